import { eventChannel, lineChannel, socketChannel } from "../../client/module/shared.ts";
import type { FormRequest } from "./code.ts";
import type { PageElement } from "./dom.ts";
import { indentJSON } from "./indent_json.ts";
import { askPlainly, noteOfUnsent } from "./refusal.ts";
import { type Moment, Timeline } from "./timeline.ts";
import { makeButton, type MakeElement, StateView } from "./view.ts";

/** The values of a channel that stay in sight. */
const KEPT = 200;
/** The view follows its channel at this pace, in milliseconds, however fast that is. */
const PACE = 50;

/** A channel to show: its request, how it is carried, and how it ends before its time. */
export interface ShownChannel {
  readonly request: FormRequest;
  readonly over: string | undefined;
  readonly stop: AbortController;
  /** Tells a reader who does not see the page. */
  readonly tell: (text: string) => void;
  /** Shows an answer that is no channel; `below` what has come before. */
  refused(response: Response, below: boolean): Promise<void>;
}

/** Shows the values of a channel as they come, each with its time, until it ends. */
export async function showChannel(channel: ShownChannel, answer: PageElement, make: MakeElement): Promise<void> {
  const { stop, request, over, refused } = channel;
  const timeline = new Timeline(KEPT);
  const count = make("small", "count", "0 values");
  const state = new StateView(make, channel.tell);
  const list = make("ol", "values");
  list.setAttribute("tabindex", "0");
  list.setAttribute("aria-label", "Values");

  let isOpen = true;
  const flush = () => {
    const near = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(...timeline.take().map((moment) => momentView(moment, make)));
    while (list.children.length > KEPT) list.children[0].remove();
    if (near) list.scrollTop = list.scrollHeight;
    const summary = timeline.summary(isOpen ? Date.now() : undefined);
    if (count.textContent !== summary) count.textContent = summary;
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
  const headers = new Headers(request.init.headers);
  const isSocket = over === "websocket";
  const unsent = isSocket ? noteOfUnsent(headers, make) : [];
  answer.replaceChildren(
    make("p", "line", state.element, " ", count, make("span", "tools", pause, clear)),
    ...unsent,
    list,
  );
  let wasOpen = false;
  const opened = () => {
    wasOpen = true;
    if (!stop.signal.aborted) state.set("Open", "good");
  };
  let pace: ReturnType<typeof setInterval> | undefined;
  let isMade = false;
  try {
    const source = openChannel(channel, opened, () => state.set("Connecting again"));
    isMade = true;
    stop.signal.addEventListener("abort", () => source.close());
    pace = setInterval(flush, PACE);
    for await (const text of source) timeline.add(text, Date.now());
    state.set(stop.signal.aborted ? "Stopped" : "Closed");
  } catch (error) {
    state.set("Failed", "bad");
    const answered = isSocket && isMade && !wasOpen
      ? await askPlainly(request.url, headers, stop.signal)
      : (error as Partial<Refusal>).response;
    if (answered === undefined) throw error;
    await refused(answered, timeline.count > 0);
  } finally {
    clearInterval(pace);
    isOpen = false;
    flush();
  }
}

/** The error of a request that was not answered with a channel. */
interface Refusal extends Error {
  readonly status: number;
  readonly response: Response;
}

/**
 * Opens a channel, the texts of whose values come out.
 *
 * @param opened Called when it is open
 * @param again Called when it is to be opened once more
 */
function openChannel({ request: { url, init }, over, stop }: ShownChannel, opened: () => void, again: () => void) {
  const leave = new AbortController();
  const signal = AbortSignal.any([stop.signal, leave.signal]);
  const ask = async (request: Request) => {
    const response = await fetch(request);
    if (!response.ok) {
      const { status } = response;
      throw Object.assign(new Error(`Answered with status ${status}`), { status, response }) satisfies Refusal;
    }
    opened();
    return response;
  };
  const headers = new Headers(init.headers);
  const same = (text: string) => text;
  if (over === "websocket") return socketChannel(url.replace(/^http/, "ws"), headers, same, stop.signal, opened);
  if (over === "events") {
    return eventChannel(new Request(url, { ...init, signal }), ask, same, () => leave.abort(), again);
  }
  // A channel that fails says so in its last line.
  headers.set("accept", `${headers.get("accept") ?? "*/*"};errors=line`);
  return lineChannel(ask(new Request(url, { ...init, headers, signal })), same, () => leave.abort());
}

function momentView({ text, time, after }: Moment, make: MakeElement): PageElement {
  const when = make("p", "when", make("time", "", time), ...after === "" ? [] : [" ", make("small", "", after)]);
  return make("li", "", when, make("pre", "", indentJSON(text)));
}
