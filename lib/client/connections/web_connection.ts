import { socketProtocols } from "../../rest/mod.ts";
import type { Connection } from "./connection.ts";

/** How a server is reached with `fetch`. */
export interface WebOptions {
  /** The bearer token that the server asks for. */
  readonly token?: string;
}

/**
 * A connection over `fetch` and `WebSocket`, as a browser, Deno and Node have them. Where the server is Gantry, it attaches and runs
 * further processes by WebSocket; before others it gives a program no standard input.
 *
 * @param base `https://host` or `http://host:port`, with a path or without
 * @throws {TypeError} if it is no such URL
 *
 * @example
 * ```ts
 * import { connectWeb } from "../mod.ts";
 * const connection = connectWeb("https://containers.example.com", { token: "secret" });
 * await connection.close();
 * ```
 */
export function connectWeb(base: string, { token }: WebOptions = {}): Connection {
  const url = new URL(base);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Connect to "${base}": expected http:// or https://`);
  const prefix = url.pathname.replace(/\/+$/, "");
  const sockets = new Set<WebSocket>();
  /** Requests are written for http://localhost. */
  const locate = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    return url.origin + prefix + pathname + search;
  };
  return {
    async fetch(request) {
      const { method, signal } = request;
      const headers = new Headers(request.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      // Over HTTP/1.1 a browser sends no stream: the body is gathered, in the browser's own store of blobs.
      const body = request.body === null ? undefined : await request.blob();
      return await fetch(locate(request), { method, headers, signal, body });
    },
    openWebSocket(request) {
      const target = locate(request).replace(/^http/, "ws");
      const socket = new WebSocket(target, token === undefined ? [] : socketProtocols(token));
      sockets.add(socket);
      socket.addEventListener("close", () => sockets.delete(socket));
      return socket;
    },
    close() {
      for (const socket of sockets) socket.close();
      return Promise.resolve();
    },
  };
}
