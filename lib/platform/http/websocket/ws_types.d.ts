/* The little of npm:ws that `ws.ts` passes on; the package brings no types of its own. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface ClientOptions {
  headers?: Record<string, string>;
  createConnection?(): Socket;
  perMessageDeflate?: boolean;
}

export class WebSocket {
  constructor(url: string, protocols: string[], options?: ClientOptions);
  on(event: "open" | "error" | "close", listener: () => void): void;
  ping(): void;
  terminate(): void;
}

export interface ServerOptions {
  noServer: true;
  maxPayload?: number;
  clientTracking?: boolean;
  perMessageDeflate?: boolean;
  handleProtocols?(protocols: Set<string>, request: IncomingMessage): string | false;
}

export class WebSocketServer {
  constructor(options: ServerOptions);
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Uint8Array,
    callback: (socket: WebSocket, request: IncomingMessage) => void,
  ): void;
}
