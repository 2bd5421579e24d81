/**
 * Server-sent events that outlast their connection, in the client module and on the page.
 *
 * @module
 */
import { type ClientChannel, textChannel } from "./channels.ts";

/** How often a connection is tried again without a value in between, and the first wait in milliseconds. */
const ATTEMPTS = 5;
const FIRST_WAIT = 1000;

interface ServerSentEvent {
  name: string;
  data: string;
}

/** The values of server-sent events, over as many connections as it takes. `lost` is told when there is to be another one. */
export function eventChannel<T>(
  request: Request,
  ask: (request: Request) => Promise<Response>,
  decode: (text: string) => T,
  leave: () => void,
  lost: () => void = () => {},
): ClientChannel<T> {
  const { known, push, cut } = eventParser();
  const waiting: ServerSentEvent[] = [];
  known.id = request.headers.get("last-event-id") ?? "";
  let left = ATTEMPTS;
  let closed = false;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let decoder = new TextDecoder();
  /** Whether an error is the server's word, which another connection would not change. */
  let final = false;

  const connect = async () => {
    const headers = new Headers(request.headers);
    headers.set("accept", "text/event-stream");
    if (known.id !== "") headers.set("last-event-id", known.id);
    // A body may have to be sent again.
    const response = await ask(new Request(request.clone(), { headers })).catch((error) => {
      const { status = 500 } = error as { status?: number };
      final = status < 500 && status !== 429;
      throw error;
    });
    if (response.status === 204) return false;
    decoder = new TextDecoder();
    cut();
    reader = (response.body ?? new Blob([]).stream()).getReader();
    return true;
  };
  let opened = connect();
  const first = opened;

  const again = async (error: unknown) => {
    if (closed || final || request.signal.aborted || known.id === "" || left === 0) throw error;
    lost();
    const pause = known.retry * 2 ** (ATTEMPTS - left--);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      request.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
    if (closed || request.signal.aborted) throw error;
    opened = connect();
    opened.catch(() => {});
  };

  const read = async (): Promise<string | undefined> => {
    if (!await opened) return undefined;
    for (;;) {
      const event = waiting.shift();
      if (event?.name === "end") return undefined;
      if (event?.name === "error") {
        final = true;
        throw new Error(`Read a channel: ${wordsOf(event.data)}`);
      }
      if (event?.name === "message") {
        left = ATTEMPTS;
        return event.data;
      }
      if (event !== undefined) continue;
      const { done, value } = await reader!.read();
      if (done) throw new Error("Read a channel: the connection broke off");
      waiting.push(...push(decoder.decode(value, { stream: true })));
    }
  };

  const next = async () => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        await again(error);
      }
    }
  };
  return textChannel(
    next,
    () => {
      closed = true;
      leave();
      opened.then(() => reader?.cancel()).catch(() => {});
    },
    decode,
    first,
  );
}

/** Reads events piece by piece (HTML Standard, section 9.2.6). IDs and reconnection times last over events. */
function eventParser() {
  const known = { id: "", retry: FIRST_WAIT };
  let rest = "";
  let name = "";
  let data: string[] = [];
  let id: string | undefined;
  let afterReturn = false;
  const take = (line: string): ServerSentEvent[] => {
    // Not by a regular expression: it looks at each character of a long value, too.
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^[0-9]{1,9}$/.test(value)) known.retry = Number(value);
    if (line !== "") return [];
    const made = data.length === 0 ? [] : [{ name: name || "message", data: data.join("\n") }];
    // An event that is cut off before its end was not seen, nor was its ID.
    known.id = id ?? known.id;
    [name, data, id] = ["", [], undefined];
    return made;
  };
  return {
    known,
    push(given: string) {
      // A CRLF may be cut in two.
      const text = afterReturn && given.startsWith("\n") ? given.slice(1) : given;
      if (given !== "") afterReturn = given.endsWith("\r");
      const lines = text.split(text.includes("\r") ? /\r\n|\r|\n/ : "\n");
      // The beginning of a line is not searched again: a long one comes in many pieces.
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? "";
      return lines.flatMap(take);
    },
    /** An event that was cut off is none. */
    cut() {
      [rest, name, data, id, afterReturn] = ["", "", [], undefined, false];
    },
  };
}

function wordsOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
