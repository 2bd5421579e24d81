/**
 * Channels both ways over one WebSocket, in the client module.
 *
 * @module
 */
import { answerOfText } from "../../../duplex/answer_text.ts";
import { BEAT_EVERY } from "../../../channels/flow.ts";
import { ChannelSource } from "../../../channels/channel_source.ts";
import { DuplexSocket, PROTOCOL } from "../../../duplex/duplex_socket.ts";
import { openSocket } from "./shared.ts";

/** A call over a WebSocket. */
export interface ModuleDuplex {
  /** The text of the next value, or nothing at the end. */
  next(): Promise<string | undefined>;
  /** The answer, where it is no channel; nothing if there was none. */
  readonly answer: Promise<Response | undefined>;
  close(): void;
}

/** Sends the values of a channel over a WebSocket, for an operation that is called with `method`. */
export function callDuplex(
  url: string,
  method: string,
  headers: Headers,
  source: AsyncIterable<unknown>,
  write: (value: unknown) => string,
  signal: AbortSignal,
): ModuleDuplex {
  signal.throwIfAborted();
  const protocol = method === "POST" ? PROTOCOL : `${PROTOCOL}.${method.toLowerCase()}`;
  const raw = openSocket(url.replace(/^http/, "ws"), headers, protocol);
  let beats: ReturnType<typeof setInterval> | undefined;
  let failure: { error: unknown } | undefined;
  let answered: (response?: Promise<Response>) => void = () => {};
  const answer = new Promise<Response | undefined>((resolve) => answered = resolve);
  answer.catch(() => {});
  const abort = () => socket.close(1000, "");
  const socket = new DuplexSocket(raw, {
    closed: (code, reason) =>
      code === 1000 ? undefined : new Error(`Read a channel: closed with ${code}${reason && `: ${reason}`}`),
    failed: (words) => new Error(`Read a channel: ${words}`),
    answered(text) {
      answered(Promise.resolve(text).then(answerOfText));
      raw.close();
    },
    over() {
      clearInterval(beats);
      signal.removeEventListener("abort", abort);
      answered();
    },
  });
  signal.addEventListener("abort", abort, { once: true });
  raw.addEventListener("open", () => {
    socket.start();
    socket.write("+0");
    beats = setInterval(() => socket.write("+0"), BEAT_EVERY);
    socket.send(new ChannelSource(source, write), () => "its source failed").then((failed) => failure = failed);
  });
  return {
    answer,
    async next() {
      try {
        const text = await socket.next();
        signal.throwIfAborted();
        return text;
      } catch (error) {
        signal.throwIfAborted();
        throw failure ? failure.error : error;
      }
    },
    close: abort,
  };
}
