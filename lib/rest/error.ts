import type { ToldIssue } from "./plan/schema.ts";

/**
 * The kind of an {@linkcode HTTPError} of the transport itself, so that an {@linkcode ErrorCodec} can word it.
 *
 * @example
 * ```ts
 * import { HTTPError, type HTTPErrorKind } from "./mod.ts";
 * const kindOf = (error: unknown): HTTPErrorKind | undefined => error instanceof HTTPError ? error.kind : undefined;
 * console.assert(kindOf(new HTTPError(413, "Too large", { kind: "limit" })) === "limit");
 * ```
 */
export type HTTPErrorKind =
  /** No route fits the path (404). */
  | "route"
  /** The path is known, under other methods (405; `Allow` is set). */
  | "method"
  /** An argument in path or query is missing or wrong (400). */
  | "argument"
  /** The body cannot be read, or does not fit (400). */
  | "body"
  /** The body's content type is not one the operation reads (415). */
  | "media"
  /** None of the types the client accepts can be written (406). */
  | "accept"
  /** The body is too large (413). */
  | "limit"
  /** The caller is not known, or may not (401, 403). */
  | "auth"
  /** The function has no implementation, or the runtime cannot do it (501). */
  | "unimplemented";

/**
 * Extra facts of an {@linkcode HTTPError}.
 *
 * @example
 * ```ts
 * import { HTTPError, type HTTPErrorOptions } from "./mod.ts";
 * const options: HTTPErrorOptions = { headers: { "retry-after": "5" }, body: { busy: true } };
 * console.assert(new HTTPError(503, "Make: too busy", options).body === options.body);
 * ```
 */
export interface HTTPErrorOptions {
  headers?: HeadersInit;
  /** The decoded body: what the client got, or what the server is to send instead of the codec's own. */
  body?: unknown;
  cause?: unknown;
  kind?: HTTPErrorKind;
  /** The faults of a value, for machines. */
  issues?: readonly ToldIssue[];
}

/**
 * An error with an HTTP status. Thrown by a function it decides the answer; thrown by a client call it says what came back.
 *
 * @example
 * ```ts
 * import { HTTPError } from "./mod.ts";
 * throwing(() => { throw new HTTPError(409, `Create user "ann": the name is taken`) });
 * function throwing(run: () => void) { try { run() } catch (error) { console.assert(error instanceof HTTPError) } }
 * ```
 */
export class HTTPError extends Error {
  declare readonly status: number;
  declare readonly headers: HeadersInit | undefined;
  declare readonly body: unknown;
  declare readonly kind: HTTPErrorKind | undefined;
  declare readonly issues: readonly ToldIssue[] | undefined;
  /** The headers that came with the answer, on an error that a client call throws. A server that lets it pass does not send them on. */
  declare readonly responseHeaders?: Headers;

  constructor(status: number, message: string, { cause, ...more }: HTTPErrorOptions = {}) {
    super(message, cause ? { cause } : undefined);
    Object.assign(this, { name: "HTTPError", status }, more);
  }
}

/**
 * The facts about a failed call for an {@linkcode ErrorCodec}.
 *
 * @example
 * ```ts
 * import type { ErrorContext } from "./mod.ts";
 * const words = ({ status, name = "nothing" }: ErrorContext) => `${name} answered ${status}`;
 * console.assert(words({ status: 404, request: new Request("http://localhost/") }) === "nothing answered 404");
 * ```
 */
export interface ErrorContext {
  /** The status the transport would answer: that of an {@linkcode HTTPError}, else 500. */
  readonly status: number;
  readonly request: Request;
  /** The function's name; absent when no route was found. */
  readonly name?: string;
  readonly version?: string;
}

/**
 * An error as it goes out. A string body is text/plain, anything else JSON; null, 204 and 304 have none.
 *
 * @example
 * ```ts
 * import type { EncodedError } from "./mod.ts";
 * const teapot: EncodedError = { status: 418, body: { message: "short and stout" }, headers: { "x-pot": "tea" } };
 * ```
 */
export interface EncodedError {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: HeadersInit;
}

/**
 * How the errors of an API look on the wire. Called for every error, those of the router included.
 *
 * @example
 * ```ts
 * import { api, type ErrorCodec, handler, HTTPError, implementPart, rest } from "./mod.ts";
 * const plain: ErrorCodec = {
 *   type: "application/json",
 *   encode: (error, { status }) => ({ status, body: { message: error instanceof HTTPError ? error.message : "Oops" } }),
 *   decode: (status, body) => new HTTPError(status, (body as { message: string }).message),
 * };
 * const serve = handler(null, implementPart(api("x", { Ping: rest("GET /ping") }, { errors: plain }), {}));
 * console.assert("message" in await (await serve(new Request("http://localhost/ping"))).json());
 * ```
 */
export interface ErrorCodec {
  /** The content type of JSON bodies. */
  readonly type: string;
  encode(error: unknown, context: ErrorContext): EncodedError;
  /** Makes the error a client call throws. `body` is decoded JSON, text, or undefined. */
  decode(status: number, body: unknown): Error;
}

/** Makes an error of what a server answered: of problem details, or of any other body with a text that looks like a message. */
export function readProblem(status: number, body: unknown): HTTPError {
  const fields = Object(body) as Record<string, unknown>;
  const detail = [body, fields.detail, fields.title, fields.message].find((text): text is string =>
    typeof text === "string" && text !== ""
  );
  return new HTTPError(status, detail ?? `Answered with status ${status}`, { body });
}

/**
 * Returns a part of a definition, client or server that an operation takes.
 *
 * @param part The part, or whether the operation does without it
 * @throws {TypeError} if it is not among those given
 */
export function requirePart<Part>(part: Part | undefined, operation: string, name: string): Part {
  if (!part) throw new TypeError(`Define "${operation}": it takes the part ${name}`);
  return part;
}

/** The error of a body that is too large. */
export function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `Read the body: it is larger than ${limit} bytes`, { kind: "limit" });
}
