import type { Socket } from "node:net";
import type { Upgraded, UpgradeInit } from "../../../rest/context.ts";
import { headerCase } from "../header_case.ts";
import { webHeaders } from "./node_request.ts";
import type { SocketReader } from "./socket_reader.ts";
import { socketStreams } from "./socket_streams.ts";

/** Status 101 has no place in a `Response`, so that a marker stands for an answer that is on the socket already. */
const markers = new WeakSet<Response>();

/** Whether a response stands for a socket that was taken over. */
export function isMarker(response: Response): boolean {
  return markers.has(response);
}

/** Makes a response that stands for a socket that was taken over. */
export function markerResponse(): Response {
  const response = new Response(null);
  markers.add(response);
  return response;
}

/** Writes the head that announces the upgrade, and gives the socket away. */
export function takeOver(
  socket: Socket,
  reader: SocketReader,
  rawHeaders: readonly string[],
  init: UpgradeInit = {},
): Upgraded {
  const asked = upgradeProtocol(webHeaders(rawHeaders));
  const status = init.status ?? (asked === undefined ? 200 : 101);
  const headers = new Headers(init.headers);
  if (status === 101) {
    if (!headers.has("connection")) headers.set("connection", "Upgrade");
    if (!headers.has("upgrade")) headers.set("upgrade", asked ?? "tcp");
  }
  const lines = [`HTTP/1.1 ${status} ${status === 101 ? "UPGRADED" : "OK"}`];
  for (const [name, value] of headers) lines.push(`${headerCase(name)}: ${value}`);
  socket.write(lines.join("\r\n") + "\r\n\r\n", "latin1");
  return { ...socketStreams(socket, reader), response: markerResponse() };
}

/** The protocol a request asks to change to. */
function upgradeProtocol(headers: Headers): string | undefined {
  if (!/(?:^|[\s,])upgrade(?:[\s,]|$)/i.test(headers.get("connection") ?? "")) return undefined;
  return headers.get("upgrade")?.toLowerCase() || undefined;
}
