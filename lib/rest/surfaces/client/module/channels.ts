/**
 * Channels for a browser, in the client module and on the page.
 *
 * @module
 */

/** Values as they come; `close`, or leaving the loop, lets the server know. */
export interface ClientChannel<T> extends AsyncIterableIterator<T, undefined> {
  close(): void;
  /** Settled when it is open, or cannot be opened. */
  readonly opened?: Promise<unknown>;
}

/** Makes a channel of texts: `next` gives one, or nothing at the end; `end` leaves it. `opened` is that of the channel. */
export function textChannel<T>(
  next: () => Promise<string | undefined>,
  end: () => void,
  decode: (text: string) => T,
  opened?: Promise<unknown>,
): ClientChannel<T> {
  // It may fail unheard: the reader is told, too.
  opened?.catch(() => {});
  let closed = false;
  const close = () => {
    if (!closed) end();
    closed = true;
  };
  const made: ClientChannel<T> = {
    async next() {
      try {
        const text = closed ? undefined : await next();
        if (text !== undefined) return { done: false, value: decode(text) };
      } catch (error) {
        const wanted = closed;
        close();
        if (!wanted) throw error;
      }
      close();
      return { done: true, value: undefined };
    },
    return() {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => made,
    close,
    opened,
  };
  return made;
}

/** The values of a body of JSON lines. */
export function lineChannel<T>(
  response: Promise<Response>,
  decode: (text: string) => T,
  leave: () => void,
): ClientChannel<T> {
  const opened = response.then((got) => (got.body ?? new Blob([]).stream()).getReader());
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  let rest = "";
  const next = async (): Promise<string | undefined> => {
    const reader = await opened;
    for (;;) {
      const text = waiting.shift();
      const failure = text && failureOf(text);
      if (failure) throw failure;
      if (text !== undefined) return text;
      const { done, value } = await reader.read();
      if (done && rest.trim() === "") return undefined;
      const parts = decoder.decode(value, { stream: !done }).split("\n");
      // The beginning of a line is not searched again: a long one comes in many pieces.
      parts[0] = rest + parts[0];
      rest = done ? "" : parts.pop() ?? "";
      waiting.push(...parts.filter((part) => part.trim() !== ""));
    }
  };
  return textChannel(
    next,
    () => {
      leave();
      opened.then((reader) => reader.cancel()).catch(() => {});
    },
    decode,
    opened,
  );
}

/**
 * The values of a WebSocket's messages. Where it takes no headers, as in a browser, a bearer token or a password still goes with
 * it.
 */
export function socketChannel<T>(
  url: string,
  headers: Headers,
  decode: (text: string) => T,
  signal?: AbortSignal,
  told: () => void = () => {},
): ClientChannel<T> {
  const window = 64;
  signal?.throwIfAborted();
  const socket = openSocket(url, headers, "gantry.flow");
  const waiting: string[] = [];
  let taken = 0;
  let ended: { error?: Error } | undefined;
  let wake = () => {};
  const abort = () => {
    ended ??= { error: signal?.reason };
    waiting.length = 0;
    wake();
    socket.close();
  };
  signal?.addEventListener("abort", abort, { once: true });
  const credit = (count: number) => socket.protocol === "gantry.flow" && socket.send(String(count));
  let beats: ReturnType<typeof setInterval> | undefined;
  let [resolve, reject] = [() => {}, (_: Error) => {}];
  const opened = new Promise<void>((...settle) => [resolve, reject] = settle);
  socket.onopen = () => {
    told();
    resolve();
    credit(window);
    // Credit for no value says that somebody is there.
    credit(0);
    beats = setInterval(() => socket.readyState === 1 && credit(0), 20_000);
  };
  socket.onmessage = (event) => {
    waiting.push(String(event.data));
    wake();
  };
  socket.onclose = ({ code, reason }) => {
    clearInterval(beats);
    const words = `Read a channel: closed with ${code}${reason && `: ${reason}`}`;
    ended ??= code === 1000 ? {} : { error: new Error(words) };
    reject(ended.error ?? new Error(words));
    signal?.removeEventListener("abort", abort);
    wake();
  };
  const next = async () => {
    while (waiting.length === 0 && ended === undefined) await new Promise<void>((resolve) => wake = resolve);
    const text = waiting.shift();
    if (text === undefined && ended?.error !== undefined) throw ended.error;
    if (text !== undefined && ++taken >= window / 2 && socket.readyState === 1) {
      credit(taken);
      taken = 0;
    }
    return text;
  };
  return textChannel(
    next,
    () => {
      ended ??= {};
      waiting.length = 0;
      wake();
      socket.close();
    },
    decode,
    opened,
  );
}

/** Opens a WebSocket with headers. */
export function openSocket(url: string, headers: Headers, protocol: string): WebSocket {
  const all = Object.fromEntries(headers);
  try {
    // Servers' runtimes take headers this way; a browser reads the object as a protocol's name and throws.
    const options = { protocols: [protocol], headers: all } as unknown as string[];
    if (Object.keys(all).length > 0) return new WebSocket(url, options);
  } catch { /* no headers then */ }
  return new WebSocket(url, protocolsOf(headers, protocol));
}

/** The subprotocols that a browser opens a WebSocket with: a bearer token or a password goes as one of them. */
export function protocolsOf(headers: Headers, protocol: string): string[] {
  const credential = headers.get("authorization") ?? "";
  if (credential === "") return [protocol];
  const [, scheme, text] = /^(bearer|basic) +(\S+) *$/i.exec(credential) ?? [];
  if (!scheme) {
    throw new TypeError("Open a WebSocket: a browser sends no credential but a bearer token or a password");
  }
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const carrier = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return [protocol, `gantry.${scheme.toLowerCase()}.${carrier}`];
}

/** Returns the failure that a line tells of, which no JSON begins like. */
function failureOf(line: string): Error | undefined {
  if (!line.startsWith("!")) return undefined;
  try {
    return new Error(`Read a channel: ${JSON.parse(line.slice(1))}`);
  } catch {
    return undefined;
  }
}
