import type { RequestEntry } from "../../../../handlers/monitor/watch_requests.ts";
import type { Connection } from "../../../client/connections/connection.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { type Authenticator, identify } from "../../../rest/auth.ts";
import type { Handler, Platform } from "../../../rest/context.ts";
import { HTTPError } from "../../../rest/error.ts";
import { cutPath } from "../../../rest/route/request_path.ts";
import { refuseCrossSite } from "../../../rest/run/cross_site.ts";
import { setHeaders } from "../../../rest/run/response_headers.ts";
import { errorResponse } from "../entry.ts";
import { takesOver } from "../start/open_doors.ts";
import { engineRequest, type Passing, relayHeaders } from "./passed_headers.ts";

/** The parts of a gateway. */
export interface GatewayParts {
  /** The way to the engine. */
  readonly connection: Connection;
  /** The engine's address, for errors. */
  readonly address: string;
  /** The authenticator of callers, which is given the name `gateway` of each; null lets everybody call. Nothing is asked of `authorize`. */
  readonly auth: Authenticator<unknown> | null;
  /** Told of each request when its answer begins. */
  onRequest?(entry: RequestEntry): void;
}

/** The page, the client module and the documents of an API: `gantry serve` shows them to anybody, since they tell nothing of the engine. */
const FACES = new Set(["/", "/client.js", "/client.d.ts", "/docs.html", "/openapi.json"]);

/** The methods that change nothing. */
const READS = /^(GET|HEAD|OPTIONS)$/;

/**
 * Passes requests on to an engine and its answers back: streams as they come, and connections that are taken over (attach, exec, sessions
 * of builds, WebSockets) byte by byte. It asks callers for its own token and answers for its own allowed origins: pages of others change
 * nothing. An engine that cannot be reached is a 502.
 */
export function gatewayHandler({ connection, address, auth, onRequest }: GatewayParts): Handler {
  // A gateway whose engine is the gateway itself would call itself until no socket is left.
  const passing: Passing = { name: `gantry-${crypto.randomUUID().slice(0, 8)}`, hidesToken: auth !== null };
  const answer = async (request: Request, platform: Platform): Promise<Response> => {
    if (isPreflight(request) && new Headers(auth?.cors?.(request)).has("access-control-allow-origin")) {
      return new Response(null, { status: 204 });
    }
    // The engine does not see the headers that tell it so. A listener refuses such a request by itself; the runtime's own server does not.
    if (request.headers.has("upgrade") || !READS.test(request.method)) refuseCrossSite(request, auth, "the request");
    if (auth !== null && !isFace(request)) await identify(auth, request, "gateway");
    const passed = engineRequest(request, passing);
    try {
      const isTaken = request.headers.has("upgrade") || takesOver(request.method, cutPath(request.url).path);
      if (isTaken && platform.upgrade && connection.hijack) return await passRaw(passed, platform, connection.hijack);
      return relayAnswer(await connection.fetch(passed));
    } catch (error) {
      const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
      // A caller that has gone, or whose body stops coming, is no fault of the engine's.
      if (request.signal.aborted || cause instanceof HTTPError) throw cause;
      throw new HTTPError(502, `Reach the engine at ${address}: ${messageOf(cause)}`, { cause: error });
    }
  };
  return async (request, platform = {}) => {
    const began = performance.now();
    let reason: unknown;
    const response = await answer(request, platform).catch((error) => {
      reason = error;
      return errorResponse(error, request);
    });
    // A response that stands for a connection that was taken over is known by its identity: it stays the same object.
    setHeaders(response.headers, auth?.cors?.(request));
    const { method } = request;
    const { status } = response;
    const path = cutPath(request.url).path;
    onRequest?.({ method, path, status, duration: performance.now() - began, error: reason });
    return response;
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

function isFace({ method, url }: Request): boolean {
  return (method === "GET" || method === "HEAD") && FACES.has(cutPath(url).path);
}

/** The engine's answer, whose headers can be added to. */
function relayAnswer({ body, status, statusText, headers }: Response): Response {
  return new Response(body, { status, statusText, headers: relayHeaders(headers) });
}

/** Asks the engine to give its connection away, and joins it to the caller's where it does. */
async function passRaw(
  request: Request,
  platform: Platform,
  hijack: NonNullable<Connection["hijack"]>,
): Promise<Response> {
  const end = new AbortController();
  const signal = AbortSignal.any([request.signal, end.signal]);
  const { response, input } = await hijack(new Request(request, { signal }));
  if (input === undefined) return relayAnswer(response);
  const asked = request.headers.has("upgrade");
  let caller;
  try {
    caller = await platform.upgrade!({ status: asked ? 101 : 200, headers: relayHeaders(response.headers) });
  } catch (error) {
    end.abort(error);
    throw error;
  }
  // A caller that has said all may go on to listen; one that has gone ends the engine's connection.
  const leave = (error: unknown) => end.abort(error);
  caller.readable.pipeTo(input, { signal: end.signal }).catch(leave);
  (response.body ?? new ReadableStream()).pipeTo(caller.writable).then(leave, leave);
  return caller.response;
}
