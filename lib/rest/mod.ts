/**
 * A typed function plus a one-line tag is an HTTP endpoint on the server and a typed function on the client.
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, link, rest } from "./mod.ts";
 *
 * const calculator = api("calculator.example.com", {
 *   Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
 * });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * const client = link(calculator, "http://localhost", { fetch: serve });
 * console.assert(await client.Add(1n, 2n) === 3n);
 * ```
 * @module
 */
export { api } from "./api.ts";
export { type Authenticator, basic, bearer, sameSecret } from "./auth.ts";
export type { CompressOptions } from "./run/compress.ts";
export type { Codec, CodecContext, Encoded } from "./codecs/codec.ts";
export type { Context, Handler, Platform, Upgraded, UpgradeInit } from "./context.ts";
export { DefinitionError } from "./check/check.ts";
export type { StreamView } from "./plan/stream_view.ts";
export {
  type APIOptions,
  type Definition,
  type HeaderContext,
  type Namespace,
  namespace,
  type Operation,
  type Operations,
  rest,
  type RestOptions,
  type Tagged,
} from "./definition.ts";
export {
  type EncodedError,
  type ErrorCodec,
  type ErrorContext,
  HTTPError,
  type HTTPErrorKind,
  type HTTPErrorOptions,
} from "./error.ts";
export type { ExactFunctions, FunctionMismatch } from "./plan/exact_result.ts";
export type { Answer, ErrorSchemas, HTTPFailure } from "./plan/error_types.ts";
export { type CookieOptions, cookieText, readCookies } from "./headers/cookies.ts";
export { failureOf } from "./failures/failure_of.ts";
export { type Outcome, outcomeOf } from "./failures/outcome.ts";
export type {
  CallOptions,
  ClientFunction,
  ClientResult,
  ErrorMarker,
  ServerFunction,
  ServerResult,
  Typed,
} from "./plan/function_types.ts";
export { handler, type HandlerOptions } from "./handler.ts";
export { endpoints, handlers } from "./handlers.ts";
export type { HeaderReader, HeaderWriter, RequestWriter } from "./codecs/header_value.ts";
export {
  type Functions,
  type FunctionTable,
  implement,
  type Implementation,
  implementPart,
  type PartialFunctions,
} from "./implement.ts";
export type { Client, Linked } from "./call/core_client.ts";
export { header } from "./call/header.ts";
export { instance } from "./plan/instance.ts";
export { type ClientHooks, hooks } from "./call/hooks.ts";
export { API, link } from "./link.ts";
export {
  bytes,
  chan,
  type Channel,
  type ChannelMarker,
  error,
  int64,
  MARKER,
  type Marker,
  type MarkerKind,
  type OptionalStreamMarker,
  stream,
  type StreamMarker,
  type StreamSource,
  time,
  uint64,
} from "./plan/marker.ts";
export type { Kind } from "./plan/kind.ts";
export { type CORSOptions, withCORS } from "./middleware/with_cors.ts";
export { guardCSRF } from "./middleware/guard_csrf.ts";
export { type AccessEntry, accessLog } from "./middleware/access_log.ts";
export { rateLimit, type RateLimitOptions } from "./middleware/rate_limit.ts";
export { type Middleware, middlewareStack, type Passing, type Stack } from "./middleware/middleware_stack.ts";
export { multipart } from "./codecs/multipart.ts";
export { namePart, type PartInfo, partOf } from "./forms/part_info.ts";
export { patternOf } from "./route/pattern.ts";
export type { Plan } from "./plan/plan_types.ts";
export { problem } from "./problem.ts";
export { idOf, requestID, type RequestIDOptions } from "./run/request_id.ts";
export { retry, type RetryOptions } from "./call/retry.ts";
export { writerCodec, type WriterCodecOptions } from "./call/request_writer.ts";
export { socketProtocols } from "./channels/socket_protocols.ts";
export type { Input, Issue, JSONSchemaOptions, Output, Schema, ToldIssue, Validated } from "./plan/schema.ts";
export type { CheckTag, TagMismatch } from "./plan/tag_types.ts";
