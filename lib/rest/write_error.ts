import type { Authenticator } from "./auth.ts";
import type { Platform } from "./context.ts";
import { type ErrorCodec, HTTPError, problem } from "./error.ts";
import type { HandlerOptions } from "./handler.ts";
import { isHeaderWriter } from "./header_value.ts";
import { writeJSON } from "./json.ts";
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
    const { encoded, redacted } = this.#encode(error, call);
    const headers = this.#base(call);
    setHeaders(headers, call.ownHeaders);
    // What the function had set described the body it did not get to send.
    for (const name of ["content-length", "content-encoding", "content-type"]) headers.delete(name);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    if (isHeaderWriter(redacted)) redacted.writeHeadersHTTP(headers);
    const { status, body } = encoded;
    if (body === null || body === undefined || status === 204 || status === 304 || call.request.method === "HEAD") {
      setHeaders(headers, encoded.headers);
      return new Response(null, { status, headers });
    }
    headers.set("content-type", typeof body === "string" ? "text/plain;charset=UTF-8" : this.#codec.type);
    setHeaders(headers, encoded.headers);
    return new Response(typeof body === "string" ? body : writeJSON(body, true), { status, headers });
  }

  /** Answers OPTIONS for a path that knows these methods. */
  writeOptions(allow: string, call: FailedCall): Response {
    const headers = this.#base(call);
    headers.set("allow", allow);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    return new Response(null, { status: 204, headers });
  }

  #base(call: FailedCall): Headers {
    const headers = new Headers();
    for (const [name, value] of this.#headers.entries) headers.set(name, value);
    setHeaders(headers, this.#headers.perCall?.(call));
    return headers;
  }

  /** The words of an error that may go to the peer once the status has gone. */
  describe(error: unknown, call: FailedCall): string {
    const { encoded, redacted } = this.#encode(error, call);
    if (typeof encoded.body === "string") return encoded.body;
    const fields = typeof encoded.body === "object" && encoded.body !== null
      ? encoded.body as Record<string, unknown>
      : {};
    const words = [fields.message, fields.detail, fields.title].find((text) => typeof text === "string");
    if (typeof words === "string") return words;
    return redacted instanceof HTTPError ? redacted.message : "Internal error";
  }

  #encode(error: unknown, call: FailedCall) {
    const redacted = this.#redact(error);
    const { request, name, version } = call;
    this.#options.onError?.(error, call);
    const status = redacted instanceof HTTPError ? redacted.status : 500;
    const context = { status, request, name, version };
    try {
      return { redacted, encoded: this.#codec.encode(redacted, context) };
    } catch (cause) {
      this.#options.onError?.(cause, call);
      return { redacted, encoded: problem.encode(cause, { ...context, status: 500 }) };
    }
  }

  #redact(error: unknown): unknown {
    if (this.#auth?.redact === undefined) return error;
    try {
      return this.#auth.redact(error);
    } catch (failure) {
      return failure;
    }
  }
}
