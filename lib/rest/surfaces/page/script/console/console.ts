import { openSocket } from "../../../client/module/shared.ts";
import type { PageElement } from "../dom.ts";
import type { FormReader } from "../requests.ts";
import { ScreenView } from "./screen_view.ts";
import { SizeFields } from "./size_fields.ts";
import { makeButton, type MakeElement } from "../view.ts";

/** The lines that the arrow keys bring back. */
const REMEMBERED = 100;

/** A console to open: its form, and how it ends before its time. */
export interface OpenedConsole {
  readonly form: PageElement;
  readonly reader: FormReader;
  readonly stop: AbortController;
  /** Shows what a plain request for the same address answers: a browser does not tell why a WebSocket is refused. */
  refused(response: Response): Promise<void>;
}

/** Opens a console over a WebSocket: its output, a line to type, and its size. Resolves when it is closed. */
export async function openConsole(
  { form, reader, stop, refused }: OpenedConsole,
  answer: PageElement,
  make: MakeElement,
): Promise<void> {
  const view = new ScreenView(make, form.dataset.frames !== undefined);
  const state = make("span", "status", "Opening");
  const size = new SizeFields(form, reader, make);
  // Lines that are typed before the server has answered go with its answer.
  const early: Uint8Array<ArrayBuffer>[] = [];
  const typed = typedLine(make, (bytes) => {
    if (socket.readyState === WebSocket.CONNECTING) early.push(bytes);
    else if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
  });
  answer.replaceChildren(make("p", "line", state, ...size.elements, ...typed.tools), view.element, typed.element);
  size.fit(view);

  const { url, init } = reader.read(form);
  const address = new URL(url);
  size.addTo(address.searchParams);
  const headers = new Headers(init.headers);
  const socket = openSocket(address.href.replace(/^http/, "ws"), headers, "gantry.plain");
  socket.binaryType = "arraybuffer";
  stop.signal.addEventListener("abort", () => socket.close());
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
    view.write(typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data));
  socket.onopen = () => {
    state.className = "status good";
    state.textContent = "Open";
    size.follow(view);
    for (const bytes of early) socket.send(bytes);
    typed.field.focus();
  };
  const { code, reason } = await new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  view.flush();
  typed.element.remove();
  const wasOpen = state.textContent === "Open";
  const isGood = code === 1000 || stop.signal.aborted;
  state.className = isGood ? "status" : "status bad";
  state.textContent = stop.signal.aborted ? "Stopped" : wasOpen ? "Closed" : "Refused";
  size.close();
  if (isGood) return;
  if (wasOpen) throw new Error(`The WebSocket closed with ${code}${reason && `: ${reason}`}`);
  const response = await fetch(address.href, { headers: init.headers });
  await refused(response);
}

/** A line to type, with the keys that a line does not have. */
function typedLine(make: MakeElement, send: (bytes: Uint8Array<ArrayBuffer>) => void) {
  const encoder = new TextEncoder();
  const field = make("input", "typed");
  field.setAttribute("aria-label", "Line to send");
  field.setAttribute("placeholder", "a line, sent by Enter");
  field.setAttribute("autocomplete", "off");
  field.setAttribute("spellcheck", "false");
  const lines: string[] = [];
  let place = 0;
  const sendLine = () => {
    if (field.value !== "" && lines.at(-1) !== field.value) lines.push(field.value);
    if (lines.length > REMEMBERED) lines.shift();
    place = lines.length;
    send(encoder.encode(`${field.value}\n`));
    field.value = "";
  };
  field.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (event.key !== "Enter" && step === 0) return;
    // The form around it would be sent.
    event.preventDefault();
    if (step === 0) return sendLine();
    place = Math.max(0, Math.min(lines.length, place + step));
    field.value = lines[place] ?? "";
  });
  const key = (text: string, title: string, bytes: string) => {
    const button = makeButton(make, text, () => {
      send(encoder.encode(bytes));
      field.focus();
    });
    button.setAttribute("title", title);
    return button;
  };
  const tools = make(
    "span",
    "tools",
    key("Ctrl+C", "Interrupt the program of a terminal", "\x03"),
    key("Ctrl+D", "End the input of a terminal's program", "\x04"),
    key("End input", "End standard input: nothing more can be sent", ""),
  );
  const element = make("div", "typing", field, makeButton(make, "Send", sendLine));
  return { field, element, tools: [tools] };
}
