import { channelSocketCode, clientCode, curlCode, fetchCode, socketCode } from "./code.ts";
import { openConsole } from "./console/console.ts";
import type { PageDocument, PageElement, PageWindow } from "./dom.ts";
import type { FormReader } from "./requests.ts";
import { RecentNames } from "./recent.ts";
import { forgetFiles, showBody } from "./show_body.ts";
import { showChannel } from "./show_channel.ts";
import { showStream } from "./show_stream.ts";
import { setUpSwitches } from "./switches.ts";
import { elementMaker, type MakeElement } from "./view.ts";

/** Sets up the forms: sends them, shows the response, and writes their code. */
export function setUpForms(document: PageDocument, window: PageWindow, reader: FormReader): void {
  const make = elementMaker(document);
  const recent = new RecentNames(document);
  setUpSwitches(document);
  const forms = [...document.querySelectorAll("form.try")];
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sendForm(form, { document, reader, recent, make });
    });
    setUpSamples(form);
    setUpCode(form, window, reader);
  }
  for (const choice of document.querySelectorAll("[data-code] input")) {
    choice.addEventListener("change", () => chooseLanguage(choice.value, forms));
  }
  const credentials = document.getElementById("page-credentials");
  credentials?.addEventListener("submit", (event) => event.preventDefault());
  credentials?.addEventListener("input", () => writeCodes(forms));
}

/** Shows a status, and how long the answer took where that is known. */
function statusLine(response: Response, make: MakeElement, milliseconds?: number): PageElement {
  const good = response.status < 400 ? "good" : "bad";
  const status = make("span", `status ${good}`, statusText(response));
  const time = milliseconds === undefined ? [] : [make("small", "", ` ${Math.round(milliseconds)} ms`)];
  return make("p", "line", status, ...time);
}

function statusText({ status, statusText }: Response): string {
  return `${status} ${statusText}`.trim();
}

function headersOf(response: Response, make: MakeElement): PageElement {
  const rows: string[] = [];
  response.headers.forEach((value, name) => rows.push(`${name}: ${value}`));
  return make("details", "", make("summary", "", "Headers"), make("pre", "", rows.join("\n")));
}

/** The parts of the page that a form is sent with. */
interface Page {
  readonly document: PageDocument;
  readonly reader: FormReader;
  readonly recent: RecentNames;
  readonly make: MakeElement;
}

async function sendForm(form: PageElement, { document, reader, recent, make }: Page): Promise<void> {
  const answer = form.querySelector(".answer")!;
  const told = form.querySelector("[data-told]")!;
  const tell = (text: string) => void (told.textContent = text);
  const submit = form.querySelector("[type=submit]")!;
  const stopButton = form.querySelector("[data-stop]")!;
  const stop = new AbortController();
  stopButton.onclick = () => stop.abort();
  submit.disabled = true;
  stopButton.hidden = false;
  const sent = make("p", "note", "Sent …");
  try {
    tell("");
    forgetFiles(answer);
    answer.replaceChildren(sent);
    const refused = async (response: Response, below = false) => {
      tell(statusText(response));
      const line = statusLine(response, make);
      if (below) answer.append(line);
      else answer.replaceChildren(line);
      await showBody(response, answer, make);
    };
    if (form.dataset.view === "console") return await openConsole({ form, reader, stop, tell, refused }, answer, make);
    const request = reader.read(form);
    if (form.dataset.channel !== undefined) {
      const over = form.querySelector("[data-transport]")?.value;
      return await showChannel({ request, over, stop, tell, refused }, answer, make);
    }
    const from = performance.now();
    const response = await fetch(request.url, { ...request.init, signal: stop.signal });
    tell(statusText(response));
    answer.replaceChildren(statusLine(response, make, performance.now() - from), headersOf(response, make));
    if (form.dataset.view === "text" && response.ok && response.body !== null) {
      return await showStream(response.body, form.dataset.frames !== undefined, answer, make);
    }
    await showBody(response, answer, make, (text) => recent.add(text));
  } catch (error) {
    sent.remove();
    const text = stop.signal.aborted ? "Stopped" : messageOf(error);
    tell(text);
    answer.append(make("p", stop.signal.aborted ? "note" : "failed", text));
  } finally {
    submit.disabled = false;
    // A button that is hidden keeps no focus.
    if (document.activeElement === stopButton) submit.focus();
    stopButton.hidden = true;
    stopButton.onclick = null;
  }
}

/** Fills the body with the sample that is chosen. */
function setUpSamples(form: PageElement): void {
  const choice = form.querySelector("[data-samples]");
  const body = form.querySelector("[data-body]");
  if (choice === null || body === null) return;
  choice.addEventListener("change", () => body.value = choice.value);
}

/** Chooses one language for the code of all forms. */
function chooseLanguage(language: string, forms: readonly PageElement[]): void {
  for (const form of forms) {
    const choice = form.querySelector(`[data-code] input[value=${language}]`);
    if (choice !== null) choice.checked = true;
  }
  writeCodes(forms);
}

/** Has the code of all forms written anew. */
function writeCodes(forms: readonly PageElement[]): void {
  for (const form of forms) form.querySelector("[data-code]")?.dispatchEvent(new Event("language"));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Keeps the code of a form's request in step with its fields, while it is in sight. */
function setUpCode(form: PageElement, window: PageWindow, reader: FormReader): void {
  const code = form.querySelector("[data-code]")!;
  const shown = code.querySelector("pre")!;
  const choices = [...code.querySelectorAll("input")];
  const write = () => {
    if (code.getAttribute("open") === null) return;
    const language = choices.find((choice) => choice.checked)?.value ?? "curl";
    try {
      shown.textContent = codeIn(language);
    } catch (error) {
      shown.textContent = messageOf(error);
    }
  };
  const codeIn = (language: string) => {
    if (language === "client") {
      const module = new URL("client.js", window.location.href).href;
      return clientCode(shown.dataset.call!, { module, server: reader.server, headers: reader.common() });
    }
    const request = reader.read(form);
    if (language === "socket") return socketCode(request);
    const over = form.querySelector("[data-transport]")?.value;
    if (over === "events") request.init.headers.accept = "text/event-stream";
    if (over === "websocket" && language === "fetch") return channelSocketCode(request);
    return language === "fetch" ? fetchCode(request, form.dataset.channel !== undefined) : curlCode(request);
  };
  code.addEventListener("toggle", write);
  code.addEventListener("language", write);
  form.addEventListener("input", write);
  form.addEventListener("change", write);
  const copy = code.querySelector("[data-copy]")!;
  copy.addEventListener("click", async () => {
    write();
    try {
      await window.navigator.clipboard!.writeText(shown.textContent ?? "");
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select the text";
      shown.focus();
    }
    setTimeout(() => copy.textContent = "Copy", 1500);
  });
}
