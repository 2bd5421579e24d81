import type { Authenticator } from "./auth.ts";
import type { Platform } from "./context.ts";
import { type EncodedError, type ErrorCodec, HTTPError, problem } from "./error.ts";
import type { HandlerOptions } from "./core_server.ts";
import { isHeaderWriter } from "./header_value.ts";
import { type FixedHeaders, setHeaders } from "./response_headers.ts";

/** What is known of a request that failed. */
export interface FailedCall {
  readonly request: Request;
  readonly platform: Platform;
  readonly name?: string;
  readonly version?: string;
  /** The headers the function had set. */
  readonly ownHeaders?: Headers;
  finish?(): void;
}

/** Makes responses of errors. */
export class ErrorWriter {
  readonly #codec: ErrorCodec;
  readonly #headers: FixedHeaders;
  readonly #auth: Authenticator<unknown> | null;
  readonly #options: HandlerOptions;

  constructor(
    codec: ErrorCodec | undefined,
    headers: FixedHeaders,
    auth: Authenticator<unknown> | null,
    options: HandlerOptions,
  ) {
    this.#codec = codec ?? problem;
    this.#headers = headers;
    this.#auth = auth;
    this.#options = options;
  }

  write(error: unknown, call: FailedCall): Response {
    call.finish?.();
    const { encoded, redacted } = this.encode(error, call);
    const headers = this.#base(call);
    setHeaders(headers, call.ownHeaders);
    // What the function had set described the body it did not get to send.
    for (const name of ["content-length", "content-encoding", "content-type"]) headers.delete(name);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    if (isHeaderWriter(redacted)) redacted.writeHeadersHTTP(headers);
    const { status, body } = encoded;
    const isText = typeof body === "string";
    const isEmpty = body == null || status === 204 || status === 304 || call.request.method === "HEAD";
    if (!isEmpty) headers.set("content-type", isText ? "text/plain;charset=UTF-8" : this.#codec.type);
    setHeaders(headers, encoded.headers);
    return new Response(isEmpty ? null : isText ? body : JSON.stringify(body, inexact), { status, headers });
  }

  /** Answers what no route fits, of a path that knows these methods: none at all, or others. */
  writeUnknown(path: string, methods: readonly string[], call: FailedCall): Response {
    const { method } = call.request;
    if (methods.length === 0) {
      return this.write(new HTTPError(404, `Find "${path}": there is nothing`, { kind: "route" }), call);
    }
    const allow = methods.join(", ");
    if (method !== "OPTIONS") {
      const message = `Send ${method} to "${path}": only ${allow} is known there`;
      return this.write(new HTTPError(405, message, { kind: "method", headers: { allow } }), call);
    }
    const headers = this.#base(call);
    headers.set("allow", allow);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    return new Response(null, { status: 204, headers });
  }

  #base(call: FailedCall): Headers {
    const headers = new Headers(this.#headers.entries);
    setHeaders(headers, this.#headers.perCall?.(call));
    return headers;
  }

  /** An error as it goes out, and what the authenticator left of it. */
  encode(error: unknown, call: FailedCall): { redacted: unknown; encoded: EncodedError } {
    const { request, name, version } = call;
    let redacted = error;
    const context = (status: number) => ({ status, request, name, version });
    this.#options.onError?.(error, call);
    try {
      redacted = this.#auth?.redact ? this.#auth.redact(error) : error;
      return { redacted, encoded: this.#codec.encode(redacted, context(statusOf(redacted))) };
    } catch (cause) {
      this.#options.onError?.(cause, call);
      return { redacted: cause, encoded: problem.encode(cause, context(statusOf(cause))) };
    }
  }
}

const statusOf = (error: unknown) => error instanceof HTTPError ? error.status : 500;

// An error must not fail for a big number in it.
function inexact(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
