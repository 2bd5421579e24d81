import { openSocket } from "../../../client/module/shared.ts";
import type { PageElement } from "../dom.ts";
import type { FormReader } from "../requests.ts";
import { ScreenView } from "./screen_view.ts";
import { SizeFields } from "./size_fields.ts";
import { TypedLine } from "./typed_line.ts";
import { type MakeElement, StateView } from "../view.ts";
import { askPlainly, noteOfUnsent } from "../refusal.ts";

/** A console to open: its form, and how it ends before its time. */
export interface OpenedConsole {
  readonly form: PageElement;
  readonly reader: FormReader;
  readonly stop: AbortController;
  /** Tells a reader who does not see the page. */
  readonly tell: (text: string) => void;
  /** Shows an answer that refuses the console. */
  refused(response: Response): Promise<void>;
}

/** Opens a console over a WebSocket: its output, a line to type, and its size. Resolves when it is closed. */
export async function openConsole(
  { form, reader, stop, tell, refused }: OpenedConsole,
  answer: PageElement,
  make: MakeElement,
): Promise<void> {
  const { url, init } = reader.read(form);
  const headers = new Headers(init.headers);
  const state = new StateView(make, tell);
  const view = new ScreenView(make, form.dataset.frames !== undefined);
  const size = new SizeFields(form, reader, make);
  // Lines that are typed before the server has answered go with its answer.
  const early: Uint8Array<ArrayBuffer>[] = [];
  const typed = new TypedLine(make, (bytes) => {
    if (stop.signal.aborted || socket.readyState > WebSocket.OPEN) return false;
    if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    else early.push(bytes);
    return true;
  });
  answer.replaceChildren(
    make("p", "line", state.element, ...size.elements, typed.tools),
    ...noteOfUnsent(headers, make),
    view.element,
    typed.element,
  );
  size.fit(view);

  const opened = new URL(url);
  size.addTo(opened.searchParams);
  let socket: WebSocket;
  try {
    socket = openSocket(opened.href.replace(/^http/, "ws"), headers, "gantry.plain");
  } catch (error) {
    typed.remove();
    state.set("Failed", "bad");
    throw error;
  }
  socket.binaryType = "arraybuffer";
  stop.signal.addEventListener("abort", () => {
    if (socket.readyState === WebSocket.CLOSED) return;
    state.set("Closing");
    typed.close();
    socket.close();
  });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
    view.write(typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data));
  let wasOpen = false;
  socket.onopen = () => {
    wasOpen = true;
    if (stop.signal.aborted) return;
    state.set("Open", "good");
    size.follow(view);
    for (const bytes of early) socket.send(bytes);
    typed.focus();
  };
  const { code, reason } = await new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  view.flush();
  typed.remove();
  size.close();
  if (stop.signal.aborted) return state.set("Stopped");
  if (code === 1000) return state.set("Closed");
  state.set(wasOpen ? "Closed" : "Refused", "bad");
  if (wasOpen) throw new Error(`The WebSocket closed with ${code}${reason && `: ${reason}`}`);
  await refused(await askPlainly(opened.href, headers, stop.signal));
}
