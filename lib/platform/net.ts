/**
 * The network of Deno and Node: the runtime's `fetch`, and `node:http` and `node:https` for ports that `fetch` refuses and where a registry has
 * TLS choices of its own, which `fetch` offers no common way to pass.
 *
 * @module
 */
import http from "node:http";
import https from "node:https";
import { rootCertificates } from "node:tls";
import { freeBytes, isByteStream, pieceStream } from "../oci/bytes/byte_stream.ts";
import type { Net, TLSOptions } from "../engine/ports/ports.ts";
import { isBlockedPort } from "../oci/registry/blocked_ports.ts";
import { sendRequest } from "./http/client/send_request.ts";

/** TLS choices kept with open connections at once. */
const AGENT_LIMIT = 64;
/** As many as `fetch()` follows. */
const REDIRECT_LIMIT = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The host's {@linkcode Net}. */
export function hostNet(): Net {
  const agents = new Map<string, https.Agent>();
  const plainAgent = new http.Agent({ keepAlive: true });
  return {
    fetch(request, tls = {}) {
      const { url } = request;
      const isSecure = url.startsWith("https:");
      const isPlain = !isSecure || Object.values(tls).every((choice) => !choice);
      if (isPlain && !isBlockedPort(url)) return fetch(givingBack(request));
      const send = (request: Request) =>
        sendRequest(
          request,
          (options, answer) =>
            isSecure
              ? https.request(request.url, { ...options, agent: agentFor(agents, tls) }, answer)
              : http.request(request.url, { ...options, agent: plainAgent }, answer),
        );
      return isPlain && request.redirect === "follow" ? followRedirects(request, send) : send(request);
    },
  };
}

/** Follows redirects as `fetch()` does, which sees to those to other servers: it refuses their ports of mail and the like. */
async function followRedirects(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
  const { origin } = new URL(request.url);
  const { method, headers, signal } = request;
  let next = request;
  for (let hop = 0; hop <= REDIRECT_LIMIT; hop++) {
    const response = await send(next);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    // A body is not sent twice.
    if (location === null || request.body !== null) return response;
    await response.body?.cancel();
    const target = new URL(location, next.url);
    next = new Request(target, { method, headers, signal });
    if (target.origin !== origin) {
      next.headers.delete("authorization");
      return await fetch(next);
    }
  }
  throw new TypeError(`Fetch "${origin}": more than ${REDIRECT_LIMIT} redirects`);
}

/** A request whose body's pieces are freed when the next is asked for, where that can be. */
function givingBack(request: Request): Request {
  // Deno's fetch has then taken a piece, with a hold of its own on the memory; Node's may still have to write it.
  const isSafe = "Deno" in globalThis && request.body !== null && isByteStream(request.body);
  if (!isSafe || request.body === null) return request;
  const reader = request.body.getReader();
  let sent: Uint8Array | undefined;
  const body = pieceStream({
    async next() {
      if (sent !== undefined) freeBytes(sent);
      return sent = (await reader.read()).value;
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { url, method, headers, signal, redirect } = request;
  // The fetch standard requires this for a stream; its TypeScript types do not know it.
  const duplex = { duplex: "half" };
  return new Request(url, { method, headers, signal, redirect, body, ...duplex });
}

function agentFor(agents: Map<string, https.Agent>, tls: TLSOptions): https.Agent {
  const key = JSON.stringify([tls.insecure, tls.ca, tls.caOnly, tls.cert, tls.key]);
  const known = agents.get(key);
  if (known !== undefined) return known;
  if (agents.size >= AGENT_LIMIT) {
    for (const agent of agents.values()) agent.destroy();
    agents.clear();
  }
  const agent = new https.Agent({
    keepAlive: true,
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.ca === undefined ? {} : { ca: [...(tls.caOnly ? [] : rootCertificates), tls.ca] }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
  agents.set(key, agent);
  return agent;
}
