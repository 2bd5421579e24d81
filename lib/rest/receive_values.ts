import { FLOW } from "./flow.ts";
import { bearerProtocol } from "./socket_protocols.ts";
import type { Texts } from "./open_channel.ts";

/** The other end's close, as the reader sees it. */
type End = { error?: Error };

/** Values as WebSocket messages, asked for in portions when the peer speaks `gantry.flow`. */
export function receiveValues(request: Request, window: number): Texts {
  const socket = connect(request);
  const texts: string[] = [];
  let end: End | undefined;
  let wake: (() => void) | undefined;
  let taken = 0;
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => {
      if (socket.protocol === FLOW) socket.send(String(window));
      resolve();
    });
    socket.addEventListener("close", (event) => {
      end ??= event.code === 1000 ? {} : { error: closeError(event) };
      reject(end.error ?? new Error("Open a channel: closed before it was open"));
      wake?.();
    });
  });
  opened.catch(() => {});
  socket.addEventListener("message", (event) => {
    if (typeof event.data === "string") texts.push(event.data);
    if (socket.protocol === FLOW && texts.length > window) {
      end ??= { error: new Error("Read a channel: the sender sends more than it was asked for") };
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
      texts.length = 0;
      wake?.();
      socket.close();
      return Promise.resolve();
    },
  };
}

function closeError(event: CloseEvent): Error {
  return new Error(`Read a channel: closed with ${event.code}${event.reason === "" ? "" : `: ${event.reason}`}`);
}

function connect(request: Request): WebSocket {
  const url = request.url.replace(/^http/, "ws");
  const headers = Object.fromEntries(request.headers);
  try {
    // Servers' runtimes take headers this way; a browser reads the object as a protocol's name and throws.
    const options = { protocols: [FLOW], headers } as unknown as string[];
    if (Object.keys(headers).length > 0) return new WebSocket(url, options);
  } catch { /* no headers then */ }
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
  return new WebSocket(url, token === undefined ? [FLOW] : [FLOW, bearerProtocol(token)]);
}
