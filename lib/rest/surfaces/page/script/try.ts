import { clientCode, curlCode, fetchCode, socketCode } from "./code.ts";
import { openConsole } from "./console/console.ts";
import type { PageDocument, PageElement, PageWindow } from "./dom.ts";
import type { FormReader } from "./requests.ts";
import { RecentNames } from "./recent.ts";
import { showBody } from "./show_body.ts";
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
      sendForm(form, reader, recent, make);
    });
    setUpSamples(form);
    setUpCode(form, window, reader);
  }
  for (const choice of document.querySelectorAll("[data-code] input")) {
    choice.addEventListener("change", () => chooseLanguage(choice.value, forms));
  }
  document.getElementById("page-credentials")?.addEventListener("submit", (event) => event.preventDefault());
}

function statusLine(response: Response, milliseconds: number, make: MakeElement): PageElement {
  const good = response.status < 400 ? "good" : "bad";
  return make(
    "p",
    "line",
    make("span", `status ${good}`, `${response.status} ${response.statusText}`.trim()),
    make("small", "", ` ${Math.round(milliseconds)} ms`),
  );
}

function headersOf(response: Response, make: MakeElement): PageElement {
  const rows: string[] = [];
  response.headers.forEach((value, name) => rows.push(`${name}: ${value}`));
  return make("details", "", make("summary", "", "Headers"), make("pre", "", rows.join("\n")));
}

async function sendForm(
  form: PageElement,
  reader: FormReader,
  recent: RecentNames,
  make: MakeElement,
): Promise<void> {
  const answer = form.querySelector(".answer")!;
  const submit = form.querySelector("[type=submit]")!;
  const stopButton = form.querySelector("[data-stop]")!;
  const stop = new AbortController();
  stopButton.addEventListener("click", () => stop.abort());
  submit.disabled = true;
  stopButton.hidden = false;
  try {
    answer.replaceChildren(make("p", "note", "Sent …"));
    const refused = async (response: Response) => {
      answer.replaceChildren(statusLine(response, 0, make));
      await showBody(response, answer, make);
    };
    if (form.dataset.view === "console") return await openConsole({ form, reader, stop, refused }, answer, make);
    const request = reader.read(form);
    if (form.dataset.channel !== undefined) {
      const over = form.querySelector("[data-transport]")?.value;
      return await showChannel({ request, over, stop, refused }, answer, make);
    }
    const from = performance.now();
    const response = await fetch(request.url, { ...request.init, signal: stop.signal });
    answer.replaceChildren(statusLine(response, performance.now() - from, make), headersOf(response, make));
    if (form.dataset.view === "text" && response.ok && response.body !== null) {
      return await showStream(response.body, form.dataset.frames !== undefined, answer, make);
    }
    await showBody(response, answer, make, (text) => recent.add(text));
  } catch (error) {
    if (stop.signal.aborted) answer.append(make("p", "note", "Stopped"));
    else answer.append(make("p", "failed", error instanceof Error ? error.message : String(error)));
  } finally {
    submit.disabled = false;
    stopButton.hidden = true;
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
    form.querySelector("[data-code]")?.dispatchEvent(new Event("language"));
  }
}

/** Keeps the code of a form's request in step with its fields, while it is in sight. */
function setUpCode(form: PageElement, window: PageWindow, reader: FormReader): void {
  const code = form.querySelector("[data-code]")!;
  const shown = code.querySelector("pre")!;
  const choices = [...code.querySelectorAll("input")];
  const write = () => {
    if (code.getAttribute("open") === null) return;
    const language = choices.find((choice) => choice.checked)?.value ?? "curl";
    shown.textContent = codeIn(language);
  };
  const codeIn = (language: string) => {
    if (language === "client") {
      const module = new URL("client.js", window.location.href).href;
      return clientCode(shown.dataset.call!, { module, server: reader.server, headers: reader.common() });
    }
    const request = reader.read(form);
    if (language === "socket") return socketCode(request);
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
