/** The headers of what a gateway passes on, RFC 9110, section 7.6. */
import { HTTPError } from "../../../rest/error.ts";
import { offeredProtocols } from "../../../rest/channels/socket_protocols.ts";

/** How a gateway passes requests on. */
export interface Passing {
  /** Its name in `Via`. */
  readonly name: string;
  /** Whether credentials are the gateway's own, which the engine is not to see. */
  readonly hidesToken: boolean;
}

/** Headers that are about one connection, not about the message. `Upgrade` is passed on by what takes connections over. */
const OF_CONNECTION = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "expect"];

/** Headers that browsers judge and are judged by: the gateway has done so, by its own name and its own origins. */
const OF_PAGE = ["origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "cookie", "host"];

/**
 * Returns the request for the engine.
 *
 * @throws {HTTPError} 508 for one that has passed this gateway already
 */
export function engineRequest(request: Request, { name, hidesToken }: Passing): Request {
  const { method, url, signal } = request;
  const headers = withoutConnection(request.headers);
  const via = headers.get("via")?.split(",") ?? [];
  if (via.some((step) => step.trim().split(/\s+/)[1] === name)) {
    throw new HTTPError(508, "Pass the request on: the engine's address is the gateway's own; give another with --to");
  }
  headers.append("via", `1.1 ${name}`);
  for (const page of OF_PAGE) headers.delete(page);
  if (hidesToken) hideToken(headers);
  const { body } = request;
  if (body === null) headers.delete("content-length");
  else if (!headers.has("content-length")) headers.set("transfer-encoding", "chunked");
  // Streams as bodies need `duplex`, which the types of RequestInit do not know.
  const init: RequestInit = { method, signal, ...body !== null && { body, duplex: "half" } };
  const passed = new Request(url, init);
  headers.forEach((value, header) => passed.headers.set(header, value));
  return passed;
}

/** Takes off credentials: in `Authorization`, and as a subprotocol of a WebSocket. */
function hideToken(headers: Headers): void {
  headers.delete("authorization");
  if (!headers.has("sec-websocket-protocol")) return;
  const left = offeredProtocols(headers).filter((protocol) => !/^gantry\.(bearer|basic)\./.test(protocol));
  if (left.length > 0) headers.set("sec-websocket-protocol", left.join(", "));
  else headers.delete("sec-websocket-protocol");
}

/** Returns the headers of an answer as they go on to the caller. */
export function relayHeaders(headers: Headers): Headers {
  const passed = withoutConnection(headers);
  passed.delete("upgrade");
  // Grants to pages are the gateway's.
  for (const name of [...passed.keys()]) if (name.startsWith("access-control-")) passed.delete(name);
  return passed;
}

function withoutConnection(headers: Headers): Headers {
  const named = headers.get("connection")?.split(",").map((name) => name.trim().toLowerCase()) ?? [];
  const passed = new Headers(headers);
  for (const name of [...OF_CONNECTION, ...named]) {
    // A name that a peer makes up need not be one.
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && name !== "upgrade") passed.delete(name);
  }
  return passed;
}
