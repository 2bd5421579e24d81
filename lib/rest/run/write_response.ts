import type { Authenticator } from "../auth.ts";
import type { Platform } from "../context.ts";
import type { HandlerOptions, ServerParts } from "./core_server.ts";
import type { APIOptions } from "../definition.ts";
import { type EncodedError, type ErrorCodec, HTTPError } from "../error.ts";
import { encodeProblem } from "../problem.ts";
import { type FixedHeaders, fixedHeaders, setHeaders } from "./response_headers.ts";

/** The facts about a call, or about a request that no operation takes. */
export interface AnsweredCall {
  readonly request: Request;
  readonly platform: Platform;
  readonly name?: string;
  readonly version?: string;
  /** The headers the function had set. */
  readonly ownHeaders?: Headers;
  /** Errors that its operation declares, as they go out. */
  readonly failures?: ReadonlyMap<unknown, EncodedError>;
  finish?(): void;
}

/** Makes the responses of an API: of bodies and of errors. */
export class ResponseWriter {
  // Declared, not defined: a field that is written twice is two in a bundle.
  declare readonly headers: FixedHeaders;
  declare readonly parts: ServerParts;
  declare readonly codec: Omit<ErrorCodec, "decode">;
  declare readonly auth: Authenticator<unknown> | null;
  declare readonly options: HandlerOptions;
  /** Whether every response has the same headers, but for what functions and values set. */
  declare readonly isFixed: boolean;

  constructor(
    { errors, headers }: APIOptions,
    auth: Authenticator<unknown> | null,
    options: HandlerOptions,
    parts: ServerParts,
  ) {
    this.headers = fixedHeaders(headers);
    this.parts = parts;
    this.codec = errors ?? { type: "application/problem+json", encode: encodeProblem };
    this.auth = auth;
    this.options = options;
    this.isFixed = !this.headers.perCall && !auth?.cors;
  }

  /**
   * A response of a body and its headers: in a record they are all it has, in a list they come on top of those of the API.
   *
   * @param values What may write headers
   */
  respond(
    status: number,
    body: BodyInit | null,
    own: HeadersInit | undefined,
    call: AnsweredCall,
    values?: readonly unknown[],
  ): Response {
    // A stream is what the call lasts as long as.
    if (typeof body === "string" || !(body instanceof ReadableStream)) call.finish?.();
    // Runtimes make a response fastest of a record, and of no status.
    if (
      this.isFixed && !call.ownHeaders && !(own && Symbol.iterator in own) &&
      !(values && this.parts.headers?.writes(values))
    ) {
      return new Response(body, status === 200 ? { headers: own } : { status, headers: own });
    }
    const headers = new Headers(this.headers.entries);
    setHeaders(headers, own);
    this.complete(headers, call, values);
    return new Response(body, { status, headers });
  }

  /** Adds to headers what is not the same for every call. */
  complete(headers: Headers, call: AnsweredCall, values: readonly unknown[] = []): void {
    setHeaders(headers, this.headers.perCall?.(call));
    this.parts.headers?.write(values, headers);
    setHeaders(headers, call.ownHeaders);
    setHeaders(headers, this.auth?.cors?.(call.request));
  }

  /** The answer to a call that failed. */
  error(error: unknown, call: AnsweredCall): Response {
    try {
      const { encoded: { status, body, headers: own }, redacted } = this.encode(error, call);
      const isText = typeof body === "string";
      const isEmpty = body == null || status === 204 || status === 304;
      const headers = new Headers(this.headers.entries);
      this.complete(headers, call, [redacted]);
      // Headers that the function set for a body of its own do not count.
      ["length", "encoding", "type"].forEach((name) => headers.delete(`content-${name}`));
      if (!isEmpty) headers.set("content-type", isText ? "text/plain;charset=UTF-8" : this.codec.type);
      setHeaders(headers, own);
      call.finish?.();
      const text = isEmpty || call.request.method === "HEAD" ? null : isText ? body : JSON.stringify(body, inexact);
      return new Response(text, { status, headers });
    } catch (cause) {
      // Headers or a status that cannot be sent.
      this.#tell(cause, 500, call);
      return new Response(null, { status: 500 });
    }
  }

  /** Answers what no route fits, of a path that knows these methods, in any order: none at all, or others. */
  unknown(path: string, methods: readonly string[], call: AnsweredCall): Response {
    const { method } = call.request;
    if (methods[0]) {
      const allow = [...new Set(methods)].sort().join(", ");
      if (method === "OPTIONS") return this.respond(204, null, [["allow", allow]], call);
      const text = `Send ${method} to "${path}": only ${allow} is known there`;
      return this.error(new HTTPError(405, text, { kind: "method", headers: { allow } }), call);
    }
    const detail = `Find "${path}": there is nothing`;
    return this.parts.quick?.unknown(this, detail, call) ??
      this.error(new HTTPError(404, detail, { kind: "route" }), call);
  }

  /** An error as it goes out, and what the authenticator left of it. */
  encode(error: unknown, call: AnsweredCall): { redacted: unknown; encoded: EncodedError } {
    const { request, name, version } = call;
    const contextOf = (failure: unknown) => {
      const status = failure instanceof HTTPError ? failure.status : 500;
      return { status, request, name, version };
    };
    try {
      const redacted = this.auth?.redact ? this.auth.redact(error) : error;
      const encoded = call.failures?.get(redacted) ?? this.codec.encode(redacted, contextOf(redacted));
      this.#tell(error, encoded.status, call);
      return { redacted, encoded };
    } catch (cause) {
      this.#tell(error, 500, call);
      this.#tell(cause, 500, call);
      return { redacted: cause, encoded: encodeProblem(cause, contextOf(cause)) };
    }
  }

  /** Tells of an error; of those that are the server's own the log, unless somebody else is told of all of them. */
  #tell(error: unknown, status: number, call: AnsweredCall): void {
    const { options } = this;
    if (options.onError) options.onError(error, call);
    else if (status >= 500 && status !== 501) console.error(`Answer "${call.name}" with ${status}:`, error);
  }
}

// An error must not fail for a big number in it.
const inexact = (_key: string, value: unknown) => typeof value === "bigint" ? Number(value) : value;
