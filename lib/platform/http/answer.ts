import type { ServerResponse } from "node:http";
import type { Handler, Platform } from "../../rest/context.ts";
import type { IdleWatch } from "./idle_watch.ts";
import { nodeRequest, type Peer, rawHeader, type RequestParts, webHeaders } from "./exchange/node_request.ts";
import type { KeptAnswers } from "./exchange/kept_answers.ts";
import { sendResponse } from "./exchange/node_response.ts";

/** The options that all connections of a listener share. */
export interface Serving {
  readonly handler: Handler;
  /** The scheme of requests' URLs. */
  readonly scheme: "http" | "https";
  /** Host and port for the URL of requests; that of their `Host` header where absent. */
  readonly authority?: string;
  /** Why a request is refused, or undefined when it is not. */
  refuse?(headers: Headers, localAddress: string | undefined): string | undefined;
  /** Gives up bodies that stop coming. */
  readonly idle: IdleWatch;
  /** Milliseconds a WebSocket's peer may be silent. */
  readonly socketPatience: number;
  /** The most bytes of body a request may have that takes its socket over. */
  readonly upgradeBodyLimit: number;
  /** Answers that are sent again; none are where it is absent. */
  readonly kept?: KeptAnswers;
  /** Told of what no client can be told any more. */
  onError(error: unknown): void;
}

/** Makes the request and runs the handler. Answers in plain text what cannot be a request, or is refused. */
export async function answerRequest(
  serving: Serving,
  parts: RequestParts,
  localAddress: string | undefined,
  peer: Peer,
  platform: Platform,
): Promise<Response> {
  let request: Request;
  const wrong = wrongHead(parts);
  if (wrong !== undefined) return wrong;
  // An empty name is what a client may send that has none (RFC 9110, section 7.2); a URL would take the path for it.
  const authority = serving.authority || rawHeader(parts.rawHeaders, "host") || "localhost";
  try {
    request = nodeRequest(parts, `${serving.scheme}://${authority}`, peer);
  } catch (error) {
    const reason = serving.refuse?.(webHeaders(parts.rawHeaders), localAddress);
    if (reason !== undefined) return plainResponse(403, reason);
    if (!URL.canParse(`${serving.scheme}://${authority}`)) {
      return plainResponse(400, `Read the request: the Host "${authority}" is malformed`);
    }
    // A `Request` has none of these methods (RFC 9110, section 9.1).
    if (/^(?:CONNECT|TRACE|TRACK)$/i.test(parts.method)) {
      return plainResponse(501, `Read the request: the method "${parts.method}" is not served`);
    }
    return plainResponse(400, error instanceof Error ? error.message : "Read the request: it is malformed");
  }
  const reason = serving.refuse?.(request.headers, localAddress);
  if (reason !== undefined) return plainResponse(403, reason);
  try {
    return await serving.handler(request, platform);
  } catch (error) {
    // A handler that finds its peer gone has done nothing wrong, and there is nobody to tell.
    if (!peer.gone || error !== peer.signal.reason) serving.onError(error);
    return plainResponse(500, "Internal error");
  }
}

/**
 * Returns the refusal of a head that node:http lets pass and two readers may understand in two ways (RFC 9112, sections 2.3, 3.2
 * and 6.1); `undefined` for any other head.
 */
function wrongHead({ major = 1, rawHeaders }: RequestParts): Response | undefined {
  if (major !== 1) return plainResponse(505, "Read the request: only HTTP/1.1 and HTTP/1.0 are spoken here");
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name.length === 4 && name.toLowerCase() === "host" && ++hosts > 1) {
      return plainResponse(400, "Read the request: it has several Host headers");
    }
    if (name.length !== 17 || name.toLowerCase() !== "transfer-encoding") continue;
    if (rawHeaders[i + 1].trim().toLowerCase() !== "chunked") {
      return plainResponse(400, "Read the request: its framing is not clear");
    }
  }
  return undefined;
}

/** A short text as a response. */
export function plainResponse(status: number, text: string): Response {
  return new Response(text + "\n", { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/**
 * Sends a response; what goes wrong ends the connection and is told to the listener's owner. Never rejects.
 *
 * @param onWhole As for {@linkcode sendResponse}
 */
export async function sendAnswer(
  serving: Serving,
  out: ServerResponse,
  response: Response,
  peer: Peer,
  onWhole?: (body: string) => void,
): Promise<void> {
  try {
    await sendResponse(out, response, peer, onWhole);
  } catch (error) {
    serving.onError(error);
    out.destroy();
  }
}
