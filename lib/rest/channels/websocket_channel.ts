import type { ChannelSource } from "./channel_source.ts";
import { BEAT, BEAT_PATIENCE, Credit, FLOW, SilenceWatch } from "./flow.ts";
import { offeredProtocols, PLAIN } from "./socket_protocols.ts";

/** Bytes a plain WebSocket may hold unsent before the source has to wait. */
const HIGH = 1_048_576;
/** A peer that takes nothing for this long is too slow (milliseconds). */
const STALL = 10_000;
const POLL = 5;

/** Whether a request asks for a WebSocket. */
export function wantsWebSocket(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** The subprotocol to answer with: the one with flow control where the peer offers it. One that carries a credential never is. */
export function chooseProtocol(request: Request): string | undefined {
  const offered = offeredProtocols(request.headers);
  return [FLOW, PLAIN].find((name) => offered.includes(name));
}

/**
 * Sends every value as one text message, then closes with 1000; with 1011 and `describe`'s words when the source fails; with 1013 when a plain
 * peer takes nothing for `stall` milliseconds (10,000 by default). A peer with flow control that has sent a beat and then says nothing for
 * `patience` milliseconds (180,000 by default) is taken for gone. The socket's close is what tells that the peer has gone: the request is over
 * already, and `Deno.serve` aborts its signal then; `left` is called where the source is left before its end. Never rejects.
 */
export async function sendValues(
  source: ChannelSource,
  socket: WebSocket,
  options: { flow: boolean; describe(error: unknown): string; left?(): void; stall?: number; patience?: number },
): Promise<void> {
  const { flow, describe, stall = STALL, patience = BEAT_PATIENCE } = options;
  const gone = new AbortController();
  const credit = new Credit();
  let wake: (() => void) | undefined;
  let { left } = options;
  /** Tells the function, which may wait for nothing else any more. */
  const tellLeft = () => {
    left?.();
    left = undefined;
  };
  const leave = () => {
    tellLeft();
    watch.end();
    gone.abort();
    wake?.();
    credit.close();
    source.release();
  };
  socket.addEventListener("close", leave);
  socket.addEventListener("error", leave);
  const watch = new SilenceWatch(patience, () => {
    close(socket, 1001, "The peer is silent");
    leave();
  });
  const listen = (event: MessageEvent) => {
    watch.hear(flow && event.data === BEAT);
    if (!flow || credit.grant(event.data)) return;
    close(socket, 1002, "Not a credit message");
    // A peer like that may never answer the close, and the source is not to wait for it.
    leave();
  };
  socket.addEventListener("message", listen);
  try {
    await opened(socket, gone.signal);
    while (!gone.signal.aborted && (!flow || await credit.take())) {
      if (!flow && !await drained(socket, gone.signal, stall)) return close(socket, 1013, "The peer reads too slowly");
      // Not a race with one promise for all: that would hold every value until the socket closes.
      const text = await new Promise<string | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        source.next().then(resolve, reject);
      });
      if (gone.signal.aborted) break;
      if (text === undefined) {
        left = undefined;
        return close(socket, 1000, "");
      }
      socket.send(text);
    }
    close(socket, 1001, "");
  } catch (error) {
    close(socket, 1011, describe(error));
  } finally {
    tellLeft();
    socket.removeEventListener("message", listen);
    watch.end();
    source.release();
  }
}

/** Waits for a socket that is still being opened (`Deno.serve` opens it after the response). */
export function opened(socket: WebSocket, gone: AbortSignal): Promise<void> {
  // 0 is CONNECTING: the constant hangs on a global that not every runtime's sockets share.
  if (socket.readyState !== 0) return Promise.resolve();
  return new Promise((resolve) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits until little enough is unsent; false when nothing moves. Workers' sockets do not tell, and never wait. */
export async function drained(socket: WebSocket, gone: AbortSignal, stall: number): Promise<boolean> {
  let lowest = socket.bufferedAmount;
  let since = performance.now();
  while (socket.bufferedAmount > HIGH && !gone.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL));
    if (socket.bufferedAmount < lowest) {
      lowest = socket.bufferedAmount;
      since = performance.now();
    } else if (performance.now() - since > stall) return false;
  }
  return true;
}

/** Closes with a reason cut to what a close frame holds: 123 bytes (RFC 6455, section 5.5). */
export function close(socket: WebSocket, code: number, reason: string): void {
  const bytes = new TextEncoder().encode(reason);
  const cut = bytes.length <= 123 ? reason : new TextDecoder().decode(bytes.subarray(0, 120)).replace(/\uFFFD$/, "");
  try {
    // A client may close only with 1000 or 3000 and up; a server's sockets take any code that is its to send.
    socket.close(code, cut);
  } catch {
    socket.close();
  }
}
