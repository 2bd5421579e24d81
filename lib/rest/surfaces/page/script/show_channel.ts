import { eventChannel, lineChannel, socketChannel } from "../../client/module/shared.ts";
import type { FormRequest } from "./code.ts";
import type { PageElement } from "./dom.ts";
import { indentJSON } from "./indent_json.ts";
import { type Moment, Timeline } from "./timeline.ts";
import { makeButton, type MakeElement } from "./view.ts";

/** The values of a channel that stay in sight. */
const KEPT = 200;
/** The view follows its channel at this pace, in milliseconds, however fast that is. */
const PACE = 50;

/** A channel to show: its request, how it is carried, and how it ends before its time. */
export interface ShownChannel {
  readonly request: FormRequest;
  readonly over: string | undefined;
  readonly stop: AbortController;
  /** Shows an answer that is no channel. */
  refused(response: Response): Promise<void>;
}

/** Shows the values of a channel as they come, each with its time, until it ends. */
export async function showChannel(channel: ShownChannel, answer: PageElement, make: MakeElement): Promise<void> {
  const { stop } = channel;
  const timeline = new Timeline(KEPT);
  const count = make("small", "count", "0 values");
  const state = make("span", "status good", "Open");
  const list = make("ol", "values");
  list.setAttribute("tabindex", "0");
  list.setAttribute("aria-label", "Values");

  let isOpen = true;
  const flush = () => {
    const near = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(...timeline.take().map((moment) => momentView(moment, make)));
    while (list.children.length > KEPT) list.children[0].remove();
    if (near) list.scrollTop = list.scrollHeight;
    count.textContent = timeline.summary(isOpen ? Date.now() : undefined);
  };
  const pause = makeButton(make, "Pause", (button) => {
    timeline.pause(!timeline.isPaused);
    button.textContent = timeline.isPaused ? "Go on" : "Pause";
    button.setAttribute("aria-pressed", String(timeline.isPaused));
    flush();
  });
  const clear = makeButton(make, "Clear", () => {
    timeline.clear();
    list.replaceChildren();
    flush();
  });
  answer.replaceChildren(make("p", "line", state, " ", count, make("span", "tools", pause, clear)), list);
  const source = openChannel(channel);
  stop.signal.addEventListener("abort", () => source.close());
  const pace = setInterval(flush, PACE);
  try {
    for await (const text of source) timeline.add(text, Date.now());
    state.className = "status";
    state.textContent = stop.signal.aborted ? "Stopped" : "Closed";
  } catch (error) {
    state.className = "status bad";
    state.textContent = "Failed";
    throw error;
  } finally {
    clearInterval(pace);
    isOpen = false;
    flush();
  }
}

/** Opens a channel, the texts of whose values come out. */
function openChannel({ request: { url, init }, over, stop, refused }: ShownChannel) {
  const leave = new AbortController();
  const signal = AbortSignal.any([stop.signal, leave.signal]);
  const ask = async (request: Request) => {
    const response = await fetch(request);
    if (response.ok) return response;
    await refused(response);
    throw Object.assign(new Error(`Answered with status ${response.status}`), { status: response.status });
  };
  const headers = new Headers(init.headers);
  const same = (text: string) => text;
  if (over === "websocket") return socketChannel(url.replace(/^http/, "ws"), headers, same, stop.signal);
  if (over === "events") return eventChannel(new Request(url, { ...init, signal }), ask, same, () => leave.abort());
  // A channel that fails says so in its last line.
  headers.set("accept", `${headers.get("accept") ?? "*/*"};errors=line`);
  return lineChannel(ask(new Request(url, { ...init, headers, signal })), same, () => leave.abort());
}

function momentView({ text, time, after }: Moment, make: MakeElement): PageElement {
  const when = make("p", "when", make("time", "", time), ...after === "" ? [] : [" ", make("small", "", after)]);
  return make("li", "", when, make("pre", "", indentJSON(text)));
}
