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

/** An error as it goes out, and what the authenticator left of it. */
export interface WrittenError extends EncodedError {
  readonly redacted: unknown;
}

/** Makes the responses of an API: of bodies and of errors. */
export interface ResponseWriter {
  readonly headers: FixedHeaders;
  readonly parts: ServerParts;
  readonly codec: Omit<ErrorCodec, "decode">;
  readonly auth: Authenticator<unknown> | null;
  readonly options: HandlerOptions;
  /** Whether every response has the same headers, but for what functions and values set. */
  readonly isFixed: boolean;
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
  ): Response;
  /** Adds to headers what is not the same for every call. */
  complete(headers: Headers, call: AnsweredCall, values?: readonly unknown[]): void;
  /** The answer to a call that failed. */
  error(error: unknown, call: AnsweredCall): Response;
  /** Answers what no route fits, of a path that knows these methods, in any order: none at all, or others. */
  unknown(path: string, methods: readonly string[], call: AnsweredCall): Response;
  encode(error: unknown, call: AnsweredCall): WrittenError;
}

/** Makes the writer of an API's responses. */
export function responseWriter(
  api: APIOptions,
  auth: Authenticator<unknown> | null,
  options: HandlerOptions,
  parts: ServerParts,
): ResponseWriter {
  const headers = fixedHeaders(api.headers);
  const codec = api.errors ?? { type: "application/problem+json", encode: encodeProblem };
  const isFixed = !headers.perCall && !auth?.cors;

  /** Tells of an error; of those that are the server's own the log, unless somebody else is told of all of them. */
  const tell = (error: unknown, status: number, call: AnsweredCall): void => {
    if (options.onError) options.onError(error, call);
    else if (status >= 500 && status !== 501) console.error(`Answer "${call.name}" with ${status}:`, error);
  };

  const writer: ResponseWriter = {
    headers,
    parts,
    codec,
    auth,
    options,
    isFixed,
    respond(status, body, own, call, values) {
      // A stream is what the call lasts as long as.
      if (!(typeof body === "object" && body instanceof ReadableStream)) call.finish?.();
      if (
        isFixed && !call.ownHeaders && !(own && Symbol.iterator in own) && !(values && parts.headers?.writes(values))
      ) {
        return new Response(body, { status, headers: own });
      }
      const all = new Headers(headers.entries);
      setHeaders(all, own);
      writer.complete(all, call, values);
      return new Response(body, { status, headers: all });
    },
    complete(all, call, values = []) {
      setHeaders(all, headers.perCall?.(call));
      parts.headers?.write(values, all);
      setHeaders(all, call.ownHeaders);
      setHeaders(all, auth?.cors?.(call.request));
    },
    error(error, call) {
      try {
        const made = writer.encode(error, call);
        const { status, body } = made;
        const isText = typeof body === "string";
        const isEmpty = body == null || status === 204 || status === 304;
        const all = new Headers(headers.entries);
        writer.complete(all, call, [made.redacted]);
        // Headers that the function set for a body of its own do not count.
        all.delete("content-length");
        all.delete("content-encoding");
        all.delete("content-type");
        if (!isEmpty) all.set("content-type", isText ? "text/plain;charset=UTF-8" : codec.type);
        setHeaders(all, made.headers);
        call.finish?.();
        const text = isEmpty || call.request.method === "HEAD" ? null : isText ? body : JSON.stringify(body, inexact);
        return new Response(text, { status, headers: all });
      } catch (cause) {
        // Headers or a status that cannot be sent.
        tell(cause, 500, call);
        return new Response(null, { status: 500 });
      }
    },
    unknown(path, methods, call) {
      const { method } = call.request;
      if (methods[0]) {
        const allow = [...new Set(methods)].sort().join(", ");
        if (method === "OPTIONS") return writer.respond(204, null, [["allow", allow]], call);
        return writer.error(
          new HTTPError(405, `Send ${method} to "${path}": only ${allow} is known there`, {
            kind: "method",
            headers: { allow },
          }),
          call,
        );
      }
      const detail = `Find "${path}": there is nothing`;
      return parts.quick?.unknown(writer, detail, call) ??
        writer.error(new HTTPError(404, detail, { kind: "route" }), call);
    },
    encode(error, call) {
      const contextOf = (failure: unknown) => ({
        status: failure instanceof HTTPError ? failure.status : 500,
        request: call.request,
        name: call.name,
        version: call.version,
      });
      try {
        const redacted = auth?.redact ? auth.redact(error) : error;
        const encoded = call.failures?.get(redacted) ?? codec.encode(redacted, contextOf(redacted));
        tell(error, encoded.status, call);
        return { ...encoded, redacted };
      } catch (cause) {
        tell(error, 500, call);
        tell(cause, 500, call);
        return { ...encodeProblem(cause, contextOf(cause)), redacted: cause };
      }
    },
  };
  return parts.quick?.responses(writer) ?? writer;
}

// An error must not fail for a big number in it.
const inexact = (_key: string, value: unknown) => typeof value === "bigint" ? Number(value) : value;
