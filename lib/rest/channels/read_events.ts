import { LineSplitter } from "./line_splitter.ts";

/** One event as it came. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
  /** The last ID so far. */
  readonly id: string | undefined;
  /** The last reconnection time so far, in milliseconds. */
  readonly retry: number | undefined;
}

/** The events of a stream (HTML Standard, section 9.2.6); one that is cut off is left out. Cancelling the reader ends a wait. */
export async function* readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  const splitter = new LineSplitter(/\r\n|\r|\n/);
  const event = new EventFields();
  let afterReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (text === "") continue;
      // A CRLF may be cut in two.
      if (afterReturn && text.startsWith("\n")) text = text.slice(1);
      afterReturn = text.endsWith("\r");
      for (const line of splitter.push(text)) {
        const made = event.take(line);
        if (made) yield made;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The fields of the event that is being read. */
class EventFields {
  #name = "";
  #data: string[] = [];
  #id: string | undefined;
  #retry: number | undefined;

  /** Takes a line; gives the event that it ends. */
  take(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#end();
    // Not by a regular expression: it looks at each character of a long value, too.
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^[0-9]{1,9}$/.test(value)) this.#retry = Number(value);
    return undefined;
  }

  #end(): ServerSentEvent | undefined {
    const made = { name: this.#name || "message", data: this.#data.join("\n"), id: this.#id, retry: this.#retry };
    const empty = this.#data.length === 0;
    this.#name = "";
    this.#data = [];
    return empty ? undefined : made;
  }
}
