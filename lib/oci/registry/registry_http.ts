/**
 * One HTTP exchange with a registry: redirects, timeouts, retries.
 *
 * @module
 */
import { discardBody } from "./body.ts";
import { tapStream } from "../bytes/byte_stream.ts";
import { isObject } from "../json.ts";
import { messageOf } from "../message_of.ts";
import { escapeUnprintable } from "../printable.ts";
import { errorOf, RegistryError } from "./registry_error.ts";
import { isLaxFor, type Laxness, readTarget } from "./registry_trust.ts";

/** TLS choices for one registry. */
export interface RegistryTLS {
  insecure?: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

/** The network as the client needs it; the engine's `Net` port is one. Redirects must be left alone. */
export interface RegistryNet {
  fetch(request: Request, tls?: RegistryTLS): Promise<Response>;
}

/** How exchanges are made. */
export interface HTTPOptions {
  net: RegistryNet;
  userAgent: string;
  /** Further attempts after the first. */
  retries: number;
  /** The first pause in milliseconds; doubled each time. */
  retryDelay: number;
  /** Milliseconds without a sign of life after which an exchange counts as broken. */
  timeout: number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Certificates for a host. */
  tls: (host: string) => RegistryTLS | undefined | Promise<RegistryTLS | undefined>;
}

/** The body of a request. A stream is sent as it comes, and not a second time. */
export type ExchangeBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** One request. */
export interface Exchange {
  url: URL;
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  headers?: Record<string, string>;
  body?: ExchangeBody;
  /** The body is a secret: no redirect takes it to another host. */
  isSecret?: boolean;
  /** The hosts of which any certificate is accepted, and to which redirects down to plain HTTP are. */
  insecure: Laxness;
  signal?: AbortSignal;
}

/** An answer, and the address that gave it: not the one that was asked where redirects led away. */
export interface Answer {
  response: Response;
  url: URL;
}

const REDIRECT_LIMIT = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BUSY = new Set([429, 500, 502, 503, 504]);
const LONGEST_PAUSE = 60_000;

/**
 * Sends and follows redirects. `Authorization` goes to no host but the first, and never from HTTPS to plain HTTP.
 *
 * Throws {@linkcode RegistryError} (`unreachable`, `protocol`), or the signal's reason.
 */
async function sendExchange(options: HTTPOptions, request: Exchange): Promise<Answer> {
  let { url } = request;
  let headers = request.headers ?? {};
  for (let hop = 0; hop <= REDIRECT_LIMIT; hop++) {
    const response = await sendOnce(options, { ...request, url, headers });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return { response, url };
    await discardBody(response);
    if (request.body instanceof ReadableStream) {
      throw new RegistryError(
        "protocol",
        `${methodOf(request)} "${redactURL(url)}": a redirect of what was sent already`,
      );
    }
    const next = redirectTarget(location, url, request.insecure);
    if (next.origin !== url.origin) {
      if (request.isSecret === true) {
        throw new RegistryError(
          "protocol",
          `${methodOf(request)} "${redactURL(url)}": a redirect of a secret to another host`,
        );
      }
      headers = withoutHeader(headers, "authorization");
    }
    url = next;
  }
  throw new RegistryError("protocol", `Get "${redactURL(request.url)}": stopped after ${REDIRECT_LIMIT} redirects`);
}

/**
 * {@linkcode sendExchange}, repeated after a pause when the connection breaks or the registry is busy (429, 5xx), minding
 * `Retry-After`. The last answer is returned whatever its status.
 */
export async function exchangeWithRetries(
  options: HTTPOptions,
  make: () => Exchange | Promise<Exchange>,
): Promise<Answer> {
  for (let attempt = 0;; attempt++) {
    const request = await make();
    let pause = pauseBefore(options, attempt);
    try {
      const answer = await sendExchange(options, request);
      const { response } = answer;
      if (!BUSY.has(response.status) || attempt >= options.retries) return answer;
      pause = retryAfter(response) ?? pause;
      await discardBody(response);
    } catch (error) {
      if (!mayPass(error) || attempt >= options.retries) throw error;
    }
    await options.sleep(Math.min(pause, LONGEST_PAUSE), request.signal);
  }
}

/** The pause before the next attempt: doubled each time, with a fifth of chance so that many do not come back at once. */
export function pauseBefore({ retryDelay }: HTTPOptions, attempt: number): number {
  return Math.min(retryDelay * 2 ** attempt * (0.9 + Math.random() * 0.2), LONGEST_PAUSE);
}

/** Throws the error that a refusal stands for; gives other answers back. */
export async function refuseErrors(
  response: Response,
  context: string,
  statuses: readonly number[],
): Promise<Response> {
  if (statuses.includes(response.status)) return response;
  throw (await errorOf(response)).within(context);
}

/** A URL without what may be secret. */
export function redactURL(url: URL): string {
  return url.origin + url.pathname;
}

async function sendOnce(options: HTTPOptions, request: Exchange): Promise<Response> {
  const { url, method = "GET", body, insecure, signal } = request;
  signal?.throwIfAborted();
  const tls = { ...await options.tls(url.host), ...(isLaxFor(insecure, url) ? { insecure: true } : {}) };
  const limit = new AbortController();
  const startTimer = () =>
    setTimeout(() => limit.abort(new Error("timeout awaiting response headers")), options.timeout);
  let timer = startTimer();
  const headers = { "user-agent": options.userAgent, "accept-encoding": "identity", ...request.headers };
  // Bytes sent are a sign of life too.
  const restart = () => {
    clearTimeout(timer);
    timer = startTimer();
  };
  try {
    const both = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const init = {
      method,
      headers,
      redirect: "manual",
      signal: both,
      ...(body === undefined
        ? {}
        : { body: body instanceof ReadableStream ? tapStream(body, { see: restart }) : body }),
      // Streams go out while nothing comes back yet: the fetch standard wants it said, its TypeScript types do not know it.
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    } as const;
    return await options.net.fetch(new Request(url, init), tls);
  } catch (cause) {
    signal?.throwIfAborted();
    const why = limit.signal.aborted ? limit.signal.reason.message : failureReason(cause, url);
    throw new RegistryError("unreachable", `${methodOf(request)} "${redactURL(url)}": ${why}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** The method as Go's errors spell it. */
function methodOf({ method = "GET" }: Exchange): string {
  return method[0] + method.slice(1).toLowerCase();
}

/** Why a fetch failed, in Go's words where clients look for them. */
export function failureReason(error: unknown, url: URL): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  const text = messageOf(innermost);
  if (/ECONNREFUSED|connection refused/i.test(text)) return `dial tcp ${url.host}: connect: connection refused`;
  if (/ENOTFOUND|dns error|failed to lookup/i.test(text)) return `dial tcp: lookup ${url.hostname}: no such host`;
  if (
    /UnknownIssuer|CaUsedAsEndEntity|self[- ]signed certificate|unable to verify|unable to get (?:local )?issuer/i.test(
      text,
    )
  ) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  }
  if (/InvalidContentType|wrong version number|packet length too long|EPROTO/i.test(text)) {
    return "http: server gave HTTP response to HTTPS client";
  }
  return escapeUnprintable(text.replace(/^error sending request (?:from \S+ )?for url \([^)]*\):\s*/, ""));
}

/** Whether trying again may help: not when nobody listens, no such host is known, the certificate is refused, or the runtime asks nobody. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof RegistryError) || error.code !== "unreachable") return false;
  if (isObject(error.cause) && error.cause.code === "unsupported") return false;
  return !/connection refused|no such host|HTTPS client|certificate|ssl|tls|blocked/i.test(error.message);
}

function redirectTarget(location: string, from: URL, insecure: Laxness): URL {
  const next = readTarget(location, from, insecure);
  if (next instanceof URL) return next;
  const why = next === "plain HTTP" ? "redirect from HTTPS to plain HTTP refused" : `redirect to ${next}`;
  throw new RegistryError("protocol", `Get "${redactURL(from)}": ${why}`);
}

function withoutHeader(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}

/** Milliseconds of a `Retry-After`, RFC 9110 section 10.2.3. */
function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value) - Date.now();
  return until > 0 ? until : undefined;
}
