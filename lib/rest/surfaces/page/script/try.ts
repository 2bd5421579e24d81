import { eventChannel, lineChannel, socketChannel } from "../../client/module/shared.ts";
import type { PageDocument, PageElement, PageWindow } from "./dom.ts";
import type { ReadForm } from "./requests.ts";

/** Values of a channel that stay in sight, and characters of a body. */
const KEPT = 200;
const LONGEST = 200_000;

/** Sets up the forms: sends them and shows the response. */
export function setUpForms(document: PageDocument, window: PageWindow, read: ReadForm): void {
  const element = (name: string, className: string, ...content: (PageElement | string)[]) => {
    const made = document.createElement(name);
    made.className = className;
    made.append(...content);
    return made;
  };

  const statusLine = (response: Response, milliseconds: number) => {
    const good = response.status < 400 ? "good" : "bad";
    return element(
      "p",
      "line",
      element("span", `status ${good}`, `${response.status} ${response.statusText}`.trim()),
      element("small", "", ` ${Math.round(milliseconds)} ms`),
    );
  };

  const headersOf = (response: Response) => {
    const rows: string[] = [];
    response.headers.forEach((value, name) => rows.push(`${name}: ${value}`));
    return element("details", "", element("summary", "", "Headers"), element("pre", "", rows.join("\n")));
  };

  /** Shows a body as it comes; what is no text is counted and offered as a file. */
  const showBody = async (response: Response, answer: PageElement) => {
    const type = response.headers.get("content-type") ?? "";
    if (response.body === null || response.status === 204) return answer.append(element("p", "note", "No body"));
    if (!/text|json|xml|javascript|yaml|form/.test(type)) {
      const file = await response.blob();
      const link = element("a", "", `Save ${file.size} bytes`);
      link.setAttribute("href", URL.createObjectURL(file));
      link.setAttribute("download", "answer");
      return answer.append(element("p", "note", link, ` of ${type || "unknown type"}`));
    }
    const shown = element("pre", "body");
    answer.append(shown);
    let text = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text = (text + part.value).slice(-LONGEST);
      shown.textContent = text;
      shown.scrollTop = shown.scrollHeight;
    }
    if (/json/.test(type)) shown.textContent = indentJSON(text);
  };

  const showChannel = async (form: PageElement, answer: PageElement, stop: AbortController) => {
    const { url, init } = read(form);
    const count = element("small", "count", "0 values");
    const state = element("span", "status good", "Open");
    const list = element("ol", "values");
    list.setAttribute("tabindex", "0");
    answer.replaceChildren(element("p", "line", state, " ", count), list);
    const leave = new AbortController();
    const signal = AbortSignal.any([stop.signal, leave.signal]);
    const ask = async (request: Request) => {
      const response = await fetch(request);
      if (response.ok) return response;
      answer.replaceChildren(statusLine(response, 0));
      await showBody(response, answer);
      throw Object.assign(new Error(`Answered with status ${response.status}`), { status: response.status });
    };
    const open = () => {
      const over = form.querySelector("[data-transport]")?.value;
      const headers = new Headers(init.headers);
      const same = (text: string) => text;
      if (over === "websocket") return socketChannel(url.replace(/^http/, "ws"), headers, same, stop.signal);
      if (over === "events") return eventChannel(new Request(url, { ...init, signal }), ask, same, () => leave.abort());
      // A channel that fails says so in its last line.
      headers.set("accept", `${headers.get("accept") ?? "*/*"};errors=line`);
      return lineChannel(ask(new Request(url, { ...init, headers, signal })), same, () => leave.abort());
    };
    const source = open();
    stop.signal.addEventListener("abort", () => source.close());
    let values = 0;
    const show = (text: string) => {
      values++;
      count.textContent = values === 1 ? "1 value" : `${values} values`;
      const near = list.scrollHeight - list.scrollTop < 600;
      list.append(element("li", "", element("pre", "", indentJSON(text))));
      if (list.children.length > KEPT) list.children[0].remove();
      if (near) list.scrollTop = list.scrollHeight;
    };
    try {
      for await (const text of source) show(text);
      state.className = "status";
      state.textContent = stop.signal.aborted ? "Stopped" : "Closed";
    } catch (error) {
      state.className = "status bad";
      state.textContent = "Failed";
      throw error;
    }
  };

  const send = async (form: PageElement) => {
    const answer = form.querySelector(".answer")!;
    const submit = form.querySelector("[type=submit]")!;
    const stopButton = form.querySelector("[data-stop]")!;
    const stop = new AbortController();
    const halt = () => stop.abort();
    stopButton.addEventListener("click", halt);
    submit.disabled = true;
    stopButton.hidden = false;
    try {
      answer.replaceChildren(element("p", "note", "Sent …"));
      if (form.dataset.channel !== undefined) return await showChannel(form, answer, stop);
      const { url, init } = read(form);
      const from = performance.now();
      const response = await fetch(url, { ...init, signal: stop.signal });
      answer.replaceChildren(statusLine(response, performance.now() - from), headersOf(response));
      await showBody(response, answer);
    } catch (error) {
      if (stop.signal.aborted) answer.append(element("p", "note", "Stopped"));
      else answer.append(element("p", "failed", error instanceof Error ? error.message : String(error)));
    } finally {
      submit.disabled = false;
      stopButton.hidden = true;
    }
  };

  for (const form of document.querySelectorAll("form.try")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
    const curl = form.querySelector("[data-curl]")!;
    curl.addEventListener("click", async () => {
      const { curl: command } = read(form);
      try {
        await window.navigator.clipboard!.writeText(command);
        curl.textContent = "Copied";
        setTimeout(() => curl.textContent = "Copy as curl", 1500);
      } catch {
        form.querySelector(".answer")!.replaceChildren(element("pre", "body", command));
      }
    });
  }
  document.getElementById("credentials")?.addEventListener("submit", (event) => event.preventDefault());
}

/** Indents JSON; another text stays as it is. */
function indentJSON(text: string): string {
  // Parsed only to see whether it is JSON: printed from its own text, so that numbers of any size stay what they are.
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  const line = () => "\n" + "  ".repeat(depth);
  return tokens.map((token, index) => {
    const empty = /^[\]}]$/.test(tokens[index + 1] ?? "") && /^[[{]$/.test(token);
    if (/^[[{]$/.test(token)) return (depth++, empty ? token : token + line());
    if (/^[\]}]$/.test(token)) return (depth--, /^[[{]$/.test(tokens[index - 1] ?? "") ? token : line() + token);
    return token === "," ? token + line() : token === ":" ? ": " : token;
  }).join("");
}
