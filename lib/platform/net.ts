/**
 * The network of Deno and Node: the runtime's `fetch`, and `node:https` where a registry has TLS choices of its own, which
 * `fetch` offers no common way to pass.
 *
 * @module
 */
import https from "node:https";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { rootCertificates } from "node:tls";
import type { Net, TLSOptions } from "../engine/ports.ts";

/** TLS choices kept with open connections at once. */
const AGENT_LIMIT = 64;

/** Statuses whose responses have no body, which `Response` insists on. */
const BODYLESS = new Set([204, 205, 304]);

/** The host's {@linkcode Net}. */
export function hostNet(): Net {
  const agents = new Map<string, https.Agent>();
  return {
    fetch(request, tls = {}) {
      const plain = !request.url.startsWith("https:") || Object.values(tls).every((choice) => !choice);
      return plain ? fetch(request) : fetchTLS(request, agentFor(agents, tls));
    },
  };
}

function agentFor(agents: Map<string, https.Agent>, tls: TLSOptions): https.Agent {
  const key = JSON.stringify([tls.insecure, tls.ca, tls.cert, tls.key]);
  const known = agents.get(key);
  if (known !== undefined) return known;
  if (agents.size >= AGENT_LIMIT) {
    for (const agent of agents.values()) agent.destroy();
    agents.clear();
  }
  const agent = new https.Agent({
    keepAlive: true,
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.ca === undefined ? {} : { ca: [...rootCertificates, tls.ca] }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
  agents.set(key, agent);
  return agent;
}

function fetchTLS(request: Request, agent: https.Agent): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const outgoing = https.request(request.url, { method, headers, agent, signal }, (incoming) => {
    try {
      resolve(toResponse(incoming));
    } catch (error) {
      incoming.destroy();
      reject(error);
    }
  });
  outgoing.on(
    "error",
    (error) => reject(signal.aborted ? signal.reason : new TypeError(error.message, { cause: error })),
  );
  if (request.body === null) outgoing.end();
  // The DOM's stream type and Node's are the same object with types that differ in what nobody uses here.
  else {Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>).on("error", (e) => outgoing.destroy(e)).pipe(
      outgoing,
    );}
  return promise;
}

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1]);
  }
  const status = incoming.statusCode ?? 502;
  const body = BODYLESS.has(status) ? null : toBody(incoming);
  if (body === null) incoming.resume();
  return new Response(body, { status, statusText: incoming.statusMessage ?? "", headers });
}

function toBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let ended = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error) => {
        if (ended) return;
        ended = true;
        controller.error(new TypeError(error.message, { cause: error }));
      };
      incoming.on("data", (chunk: Uint8Array) => {
        // What was on its way when the reader cancelled still comes.
        if (ended) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", () => {
        if (ended) return;
        ended = true;
        controller.close();
      });
      incoming.on("error", fail);
      // A connection that is cut may only say so by closing.
      incoming.on("close", () => fail(new Error("Connection closed before the end of the body")));
      incoming.pause();
    },
    pull: () => void incoming.resume(),
    cancel() {
      ended = true;
      incoming.destroy();
    },
  }, { highWaterMark: 4 });
}
