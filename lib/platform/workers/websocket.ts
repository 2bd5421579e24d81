import type { Platform } from "../../rest/context.ts";

/** Opens a WebSocket: the runtime gets one end with the response, the handler the other. */
export const upgradeWebSocket: NonNullable<Platform["upgradeWebSocket"]> = ({ protocol } = {}) => {
  if (globalThis.WebSocketPair === undefined) {
    throw new TypeError("Open a WebSocket: this runtime has no WebSocketPair");
  }
  const { 0: theirs, 1: ours } = new globalThis.WebSocketPair();
  ours.accept();
  const headers: HeadersInit = protocol === undefined ? {} : { "sec-websocket-protocol": protocol };
  // `webSocket` is workerd's own, and so is 101 as the status of a Response.
  const init = { status: 101, headers, webSocket: theirs } as ResponseInit;
  return { socket: ours, response: new Response(null, init) };
};
