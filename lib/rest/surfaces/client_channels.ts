/** What {@linkcode clientChannels} makes. */
export interface ClientChannels {
  /** The values of a body of JSON lines. */
  lines<T>(response: Promise<Response>, decode: (text: string) => T, leave: () => void): ClientChannel<T>;
  /** The values of a WebSocket's messages. */
  messages<T>(url: string, decode: (text: string) => T): ClientChannel<T>;
}

/** Values as they come; `close`, or leaving the loop, lets the server know. */
export interface ClientChannel<T> extends AsyncIterableIterator<T, undefined> {
  close(): void;
}

/** Channels for a browser. The client module carries this function's own text, so that it must need nothing from outside of itself. */
export function clientChannels(): ClientChannels {
  const channel = <T>(next: () => Promise<string | undefined>, end: () => void, decode: (text: string) => T) => {
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
    };
    return made;
  };

  return {
    lines(response, decode, leave) {
      const opened = response.then((got) => (got.body ?? new Blob([]).stream()).getReader());
      opened.catch(() => {});
      const decoder = new TextDecoder();
      const waiting: string[] = [];
      let rest = "";
      const next = async (): Promise<string | undefined> => {
        const reader = await opened;
        for (;;) {
          const text = waiting.shift();
          if (text !== undefined) return text;
          const { done, value } = await reader.read();
          if (done && rest.trim() === "") return undefined;
          const parts = (rest + decoder.decode(value, { stream: !done })).split("\n");
          rest = done ? "" : parts.pop() ?? "";
          waiting.push(...parts.filter((part) => part.trim() !== ""));
        }
      };
      return channel(next, () => {
        leave();
        opened.then((reader) => reader.cancel()).catch(() => {});
      }, decode);
    },

    messages(url, decode) {
      const window = 64;
      const socket = new WebSocket(url, ["gantry.flow"]);
      const waiting: string[] = [];
      let taken = 0;
      let ended: { error?: Error } | undefined;
      let wake = () => {};
      const credit = (count: number) => socket.protocol === "gantry.flow" && socket.send(String(count));
      socket.onopen = () => credit(window);
      socket.onmessage = (event) => {
        waiting.push(String(event.data));
        wake();
      };
      socket.onclose = ({ code, reason }) => {
        ended ??= code === 1000 ? {} : { error: new Error(reason || `Read a channel: closed with ${code}`) };
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
      return channel(next, () => {
        ended ??= {};
        waiting.length = 0;
        wake();
        socket.close();
      }, decode);
    },
  };
}
