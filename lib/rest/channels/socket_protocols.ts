import { decodeBase64, encodeBase64 } from "../codecs/base64.ts";

/** The subprotocol of a WebSocket without flow control: what a server answers to a client that must offer one. */
export const PLAIN = "gantry.plain";

/**
 * The subprotocols with which a page opens a channel's WebSocket: browsers let it set no header, so that the credential
 * travels as one of them, which {@linkcode bearer} and {@linkcode basic} read and no server sends back. A linked client does so
 * by itself.
 *
 * @param credential A bearer token, or a name and a password
 *
 * @example
 * ```ts
 * import { socketProtocols } from "../mod.ts";
 * const open = (token: string) => new WebSocket("wss://clock.example.com/ticks", socketProtocols(token));
 * ```
 */
export function socketProtocols(credential: string | { readonly name: string; readonly password: string }): string[] {
  const authorization = typeof credential === "string"
    ? `Bearer ${credential}`
    : `Basic ${encodeText(`${credential.name}:${credential.password}`)}`;
  return [PLAIN, ...carriersOf(authorization)];
}

/** The subprotocol that carries an `Authorization`: in base64url, because a subprotocol's name is an HTTP token. */
export function carriersOf(authorization: string): string[] {
  const [, scheme, text] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (!scheme) return [];
  const encoded = encodeText(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return [`gantry.${scheme.toLowerCase()}.${encoded}`];
}

function encodeText(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

/** The subprotocols a request offers. */
export function offeredProtocols(headers: Headers): string[] {
  return headers.get("sec-websocket-protocol")?.split(",").map((name) => name.trim()) ?? [];
}

/** Returns the text behind the scheme's name in a request: in its `Authorization`, or as a subprotocol of a WebSocket. */
export function credentialOf(headers: Headers, scheme: "bearer" | "basic"): string | undefined {
  const [, named, text] = /^(\w+) +(\S+) *$/.exec(headers.get("authorization") ?? "") ?? [];
  if (named?.toLowerCase() === scheme) return text;
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const prefix = `gantry.${scheme}.`;
  const carrier = offeredProtocols(headers).find((name) => name.startsWith(prefix));
  const bytes = carrier && decodeBase64(carrier.slice(prefix.length));
  return bytes ? new TextDecoder().decode(bytes) : undefined;
}
