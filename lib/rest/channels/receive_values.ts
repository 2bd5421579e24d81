import { BEAT, BEAT_EVERY, FLOW } from "./flow.ts";
import { carriersOf } from "./socket_protocols.ts";
import type { OpenWebSocket, Texts } from "../call/receive.ts";

/** The other end's close, as the reader sees it. */
type End = { error?: Error };

/** Values as WebSocket messages, asked for in portions when the peer speaks `gantry.flow`. */
export function receiveValues(request: Request, window: number, open: OpenWebSocket = connect): Texts {
  const socket = open(request, [FLOW]);
  const texts: string[] = [];
  let end: End | undefined;
  let wake: (() => void) | undefined;
  let taken = 0;
  let failure: string | undefined;
  let beats: ReturnType<typeof setInterval> | undefined;
  const beat = () => void (socket.readyState === 1 && socket.send(BEAT));
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => {
      if (socket.protocol === FLOW) {
        socket.send(String(window));
        beat();
        if (end === undefined) beats = setInterval(beat, BEAT_EVERY);
      }
      resolve();
    });
    // Runtimes that know why a connection failed say so here; a browser does not tell.
    socket.addEventListener("error", (event) => failure = (event as Partial<ErrorEvent>).message);
    socket.addEventListener("close", ({ code, reason }) => {
      clearInterval(beats);
      end ??= code === 1000 ? {} : { error: closeError(code, reason || failure) };
      reject(end.error ?? new Error("Open a channel: closed before it was open"));
      wake?.();
    });
  });
  opened.catch(() => {});
  socket.addEventListener("message", (event) => {
    if (typeof event.data === "string") texts.push(event.data);
    if (socket.protocol === FLOW && texts.length > window) {
      end ??= { error: new Error("Read a channel: the sender sends more than it was asked for") };
      // Its close may never come.
      clearInterval(beats);
      socket.close();
    }
    wake?.();
  });
  return {
    opened,
    async next() {
      while (texts.length === 0 && end === undefined) await new Promise<void>((resolve) => wake = resolve);
      const text = texts.shift();
      if (text === undefined && end?.error) throw end.error;
      if (text !== undefined && ++taken >= window / 2 && socket.protocol === FLOW && end === undefined) {
        socket.send(String(taken));
        taken = 0;
      }
      return text;
    },
    close() {
      end ??= {};
      clearInterval(beats);
      texts.length = 0;
      wake?.();
      socket.close();
      return Promise.resolve();
    },
  };
}

function closeError(code: number, reason: string | undefined): Error {
  return new Error(`Read a channel: closed with ${code}${reason ? `: ${reason}` : ""}`);
}

/** Opens a WebSocket to a request's address by the platform's own class, with the request's headers where it takes some. */
export function connect(request: Request, protocols: string[]): WebSocket {
  const url = request.url.replace(/^http/, "ws");
  const headers = Object.fromEntries(request.headers);
  try {
    // Servers' runtimes take headers this way; a browser reads the object as a protocol's name and throws.
    const options = { protocols, headers } as unknown as string[];
    if (Object.keys(headers).length > 0) return new WebSocket(url, options);
  } catch { /* no headers then */ }
  return new WebSocket(url, [...protocols, ...carriersOf(headers.authorization ?? "")]);
}
