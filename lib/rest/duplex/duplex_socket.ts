import { WINDOW } from "../channels/flow.ts";
import type { SentValues } from "../run/duplex_call.ts";
import { close, opened } from "../channels/websocket_channel.ts";

/** The WebSocket subprotocol of calls whose values go both ways; `gantry.duplex.put` is that of an operation called with PUT, and so on. */
export const PROTOCOL = "gantry.duplex";

/** The longest value, in characters. */
export const LONGEST = 1_048_576;
/** A sender waits while this many characters of its values are not acknowledged. */
const IN_FLIGHT = 1_048_576;
/** The most characters that an honest sender can have waiting here: the last value may begin just below the mark. */
const MOST_UNREAD = 2_097_152;
/** Characters after which a reader acknowledges, however few values they are. */
const ACKNOWLEDGE = 262_144;
/** The most values that a peer's credit adds up to. */
const MOST_CREDIT = 1_000_000;

/** How a {@linkcode DuplexSocket} behaves at its end of the wire. */
export interface DuplexSocketOptions {
  /** Makes the error of a close, for the reader of values that have not ended; undefined when that is an end. */
  closed(code: number, reason: string): Error | undefined;
  /** Makes the error of the peer's source that failed, with the peer's words. */
  failed(words: string): Error;
  /** Called with each message, before it is looked at. */
  heard?(message: unknown): void;
  /** Called once, when no more can come. */
  over?(reason: Error | undefined): void;
  /** Takes an answer; without this one is an error. */
  answered?(text: string): void;
}

/**
 * One end of a WebSocket that carries values both ways. A text message is a value, as JSON, unless its first character says otherwise, which none of
 * JSON's is: `+12` lets the peer send 12 more values and acknowledges the 12 oldest that it has sent (`+0` only shows that somebody is there), `.`
 * ends this side's values, `!"words"` says that they end with a failure, `~` that this side reads no more, and `={…}` is the answer
 * of a call that has no channel to give. Neither side sends more values than it was let, nor any while 1 Mi characters are not acknowledged.
 */
export class DuplexSocket {
  readonly #socket: WebSocket;
  readonly #options: DuplexSocketOptions;
  readonly #over = new AbortController();
  readonly #texts: string[] = [];
  #unread = 0;
  /** How many values the peer may still send. */
  #granted = 0;
  #taken = 0;
  #takenSize = 0;
  #end: { readonly error?: Error } | undefined;
  #left = false;
  #wakeReader: (() => void) | undefined;
  #credit = 0;
  /** The sizes of values that are not acknowledged, from `#acknowledged` on. */
  readonly #sizes: number[] = [];
  #acknowledged = 0;
  #inFlight = 0;
  #stopped = false;
  #wakeSender: (() => void) | undefined;
  #dropValue: (() => void) | undefined;

  constructor(socket: WebSocket, options: DuplexSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", ({ code, reason }) => this.#finish(options.closed(code, reason)));
    socket.addEventListener("error", () => {
      // Workers' sockets may fail without a close.
      if (socket.readyState === 3) this.#finish(options.closed(1006, ""));
    });
  }

  /** Lets the peer begin, once the WebSocket is open. */
  async start(): Promise<void> {
    await opened(this.#socket, this.#over.signal);
    this.#grant(WINDOW);
    if (this.#left) this.write("~");
  }

  /** Sends a message, if the WebSocket is open. */
  write(text: string): void {
    if (this.#socket.readyState === 1) this.#socket.send(text);
  }

  /**
   * Returns the JSON text of the peer's next value; undefined at the end.
   *
   * @throws What `failed` or `closed` make
   */
  async next(): Promise<string | undefined> {
    while (this.#texts.length === 0 && !this.#end) await new Promise<void>((resolve) => this.#wakeReader = resolve);
    const text = this.#texts.shift();
    if (text === undefined) {
      if (this.#end?.error) throw this.#end.error;
      return undefined;
    }
    this.#unread -= text.length;
    this.#takenSize += text.length;
    this.#taken++;
    if (!this.#end && (this.#taken >= WINDOW / 2 || this.#takenSize >= ACKNOWLEDGE)) {
      this.#grant(this.#taken);
      this.#taken = 0;
      this.#takenSize = 0;
    }
    return text;
  }

  /** Lets the peer know that nobody reads its values any more. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (!this.#end) this.write("~");
    this.#finishReading({});
    this.#texts.length = 0;
    this.#unread = 0;
  }

  /**
   * Sends values until they end, the peer reads no more, or the WebSocket is closed, and lets go of their source.
   *
   * @returns The error of the source, if it failed
   */
  async send(values: SentValues, describe: (error: unknown) => string): Promise<{ error: unknown } | undefined> {
    try {
      while (await this.#mayWrite()) {
        // Not a race with one promise for all: that would hold every value until the socket closes.
        const text = await new Promise<string | undefined>((resolve, reject) => {
          this.#dropValue = () => resolve(undefined);
          values.next().then(resolve, reject);
        });
        if (this.#isDone) break;
        if (text === undefined) {
          this.write(".");
          break;
        }
        if (text.length > LONGEST) {
          throw new RangeError(`Send a value: it has ${text.length} characters, and ${LONGEST} go over a WebSocket`);
        }
        this.#credit--;
        this.#inFlight += text.length;
        this.#sizes.push(text.length);
        this.#socket.send(text);
      }
    } catch (error) {
      this.write("!" + JSON.stringify(describe(error)));
      return { error };
    } finally {
      values.release();
    }
  }

  /** Closes the WebSocket; what was sent goes out before. */
  close(code: number, reason: string): void {
    close(this.#socket, code, reason);
    this.#finish(undefined);
  }

  get #isDone(): boolean {
    return this.#stopped || this.#over.signal.aborted;
  }

  /** Waits until a value may be sent; false when none will. */
  async #mayWrite(): Promise<boolean> {
    while (!this.#isDone && (this.#credit === 0 || this.#inFlight >= IN_FLIGHT)) {
      await new Promise<void>((resolve) => this.#wakeSender = resolve);
    }
    return !this.#isDone;
  }

  #grant(count: number): void {
    this.#granted += count;
    this.write(`+${count}`);
  }

  #take(data: unknown): void {
    this.#options.heard?.(data);
    if (this.#over.signal.aborted) return;
    if (typeof data !== "string") return this.#refuse(1003, "A binary message");
    const sign = data[0];
    if (sign === "+") return this.#takeCredit(data);
    if (sign === "!") return this.#takeFailure(data);
    if (sign === "=" && this.#options.answered) {
      this.#options.answered(data.slice(1));
      return this.#finish(undefined);
    }
    if (data === "~") return this.#stop();
    if (data === "." && !this.#end) return this.#finishReading({});
    if (sign === "." || sign === "~" || sign === "=") return this.#refuse(1002, "Not a message of this protocol");
    this.#takeValue(data);
  }

  #takeValue(text: string): void {
    // Values on their way when this side left are not read, but count.
    if (this.#end && !this.#left) return this.#refuse(1002, "A value behind the end");
    if (this.#granted-- <= 0) return this.#refuse(1002, "More values than were asked for");
    if (text.length > LONGEST) return this.#refuse(1009, `A value of more than ${LONGEST} characters`);
    if (this.#left) return;
    this.#unread += text.length;
    if (this.#unread > MOST_UNREAD) return this.#refuse(1008, "More characters than wait for an acknowledgement");
    this.#texts.push(text);
    this.#wakeReader?.();
  }

  #takeCredit(text: string): void {
    if (!/^\+\d{1,7}$/.test(text)) return this.#refuse(1002, "Not a credit message");
    const count = Number(text.slice(1));
    this.#credit = Math.min(this.#credit + count, MOST_CREDIT);
    const upTo = Math.min(this.#acknowledged + count, this.#sizes.length);
    while (this.#acknowledged < upTo) this.#inFlight -= this.#sizes[this.#acknowledged++];
    if (this.#acknowledged >= WINDOW) {
      this.#sizes.splice(0, this.#acknowledged);
      this.#acknowledged = 0;
    }
    this.#wakeSender?.();
  }

  #takeFailure(text: string): void {
    let words: unknown;
    try {
      words = JSON.parse(text.slice(1));
    } catch { /* Refused below. */ }
    if (typeof words !== "string" || this.#end && !this.#left) return this.#refuse(1002, "Not a failure message");
    this.#finishReading({ error: this.#options.failed(words) });
  }

  /** Ends a WebSocket whose peer breaks the rules. It may never answer the close, and nobody is kept waiting for that. */
  #refuse(code: number, words: string): void {
    close(this.#socket, code, words);
    this.#texts.length = 0;
    this.#finish(new Error(`Read a channel: the peer breaks the protocol: ${words}`));
  }

  #stop(): void {
    this.#stopped = true;
    this.#wakeSender?.();
    this.#dropValue?.();
  }

  #finishReading(end: { readonly error?: Error }): void {
    this.#end ??= end;
    this.#wakeReader?.();
  }

  #finish(error: Error | undefined): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#finishReading({ error });
    this.#stop();
    this.#options.over?.(error);
  }
}
