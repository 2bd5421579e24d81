import { decodeBase64, encodeBase64 } from "./base64.ts";

/** The subprotocol of a WebSocket without flow control: what a server answers to a client that must offer one. */
export const PLAIN = "gantry.plain";

const BEARER = "gantry.bearer.";

/**
 * The subprotocols with which a page opens a channel's WebSocket: browsers let it set no header, so that the bearer token
 * travels as one of them, which {@linkcode bearer} reads and no server sends back. A linked client does so by itself.
 *
 * @example
 * ```ts
 * import { socketProtocols } from "./mod.ts";
 * const open = (token: string) => new WebSocket("wss://clock.example.com/ticks", socketProtocols(token));
 * ```
 */
export function socketProtocols(token: string): string[] {
  return [PLAIN, bearerProtocol(token)];
}

/** The subprotocol that carries a bearer token: base64url, because a subprotocol's name is an HTTP token. */
export function bearerProtocol(token: string): string {
  const encoded = encodeBase64(new TextEncoder().encode(token));
  return BEARER + encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The subprotocols a request offers. */
export function offeredProtocols(headers: Headers): string[] {
  return headers.get("sec-websocket-protocol")?.split(",").map((name) => name.trim()) ?? [];
}

/** The bearer token that a WebSocket's request carries. */
export function bearerOf(headers: Headers): string | undefined {
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const carrier = offeredProtocols(headers).find((name) => name.startsWith(BEARER));
  const bytes = carrier && decodeBase64(carrier.slice(BEARER.length));
  return bytes ? new TextDecoder().decode(bytes) : undefined;
}
