/**
 * The server alone, for bundles that count their bytes: routing, JSON and text, and what else is named in `handlerWith`. Its `api` trusts the
 * definition, and `handler` is that of `./mod.ts` without channels, streams, forms, exact JSON, header values and the check of definitions. It
 * tries a regular expression for each route; {@linkcode trieRouter} is the part for APIs of many, or with versions or aliases, and
 * {@linkcode patternRouter} that for other paths than plain ones.
 *
 * @example
 * ```ts
 * import { api, form, handlerWith, implement, rest } from "./server.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const Note = z.object({ text: z.string() });
 * const notes = api("notes.example.com", { Add: rest("POST(application/x-www-form-urlencoded) /notes", [Note], [z.string()]) });
 * const serve = handlerWith({ codecs: [form] }, null, implement(notes, { Add: ({ text }) => text }));
 * const body = new URLSearchParams({ text: "milk" });
 * const response = await serve(new Request("http://localhost/notes", { method: "POST", body }));
 * console.assert(await response.text() === "milk");
 * ```
 * @module
 */
import type { Authenticator } from "./auth.ts";
import type { Handler } from "./context.ts";
import { type HandlerOptions, handlerWith } from "./run/core_server.ts";
import type { Implementations } from "./implement.ts";

export { basic, bearer } from "./auth.ts";
export { receiveChannel } from "./channels/channel_argument.ts";
export { writeChannel } from "./channels/channel_server.ts";
export { compress, type CompressOptions } from "./run/compress.ts";
export { decompress } from "./run/content_coding.ts";
export { type Finish, type HandlerOptions, handlerWith, type ServerParts } from "./run/core_server.ts";
export { api, apiWith } from "./define.ts";
export type { DefinitionParts } from "./plan/plan.ts";
export { exactKinds } from "./plan/exact_kinds.ts";
export { quickPaths } from "./quick/quick_paths.ts";
export { spreadQuery } from "./plan/spread_query.ts";
export { namespace, rest } from "./definition.ts";
export { failureOf } from "./failures/failure_of.ts";
export { HTTPError } from "./error.ts";
export { exactness } from "./run/check_result.ts";
export { etag } from "./run/etag.ts";
export { exactJSON } from "./codecs/exact_json.ts";
export { exactText } from "./codecs/exact_text.ts";
export { form } from "./codecs/form.ts";
export { headerValues } from "./codecs/header_value.ts";
export { instance } from "./plan/instance.ts";
export { implement, implementPart } from "./implement.ts";
export { bytes, chan, error, int64, stream, time, uint64 } from "./plan/marker.ts";
export { negotiation } from "./run/accept.ts";
export { multipart } from "./codecs/multipart.ts";
export { formStreams } from "./forms/form_streams.ts";
export { multipartStreams } from "./forms/multipart_streams.ts";
export { namePart, type PartInfo, partOf } from "./forms/part_info.ts";
export { idOf, requestID, type RequestIDOptions } from "./run/request_id.ts";
export { type CookieOptions, cookieText, readCookies } from "./headers/cookies.ts";
export { readPlaced } from "./headers/read_placed.ts";
export { writePlaced } from "./headers/write_placed.ts";
export { writeFailures } from "./failures/write_failure.ts";
export { type CORSOptions, withCORS } from "./middleware/with_cors.ts";
export { guardCSRF } from "./middleware/guard_csrf.ts";
export { type AccessEntry, accessLog } from "./middleware/access_log.ts";
export { rateLimit, type RateLimitOptions } from "./middleware/rate_limit.ts";
export { type Middleware, middlewareStack, type Passing, type Stack } from "./middleware/middleware_stack.ts";
export { streams } from "./run/streams.ts";
export { patternRouter } from "./route/pattern_router.ts";
export { trieRouter } from "./route/trie_router.ts";
export { acceptDuplex } from "./duplex/accept_duplex.ts";

/**
 * {@linkcode handlerWith} without any part.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest } from "./server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const greeter = api("greeter.example.com", { Greet: rest("GET /hello/{name=%v}", [z.string()], [z.string()]) });
 * const serve = handler(null, implement(greeter, { Greet: (name) => `hello ${name}` }));
 * console.assert(await (await serve(new Request("http://localhost/hello/ann"))).text() === "hello ann");
 * ```
 */
export function handler<Identity = unknown, State extends object = object>(
  auth: Authenticator<Identity> | null,
  implementations: Implementations<NoInfer<Identity>, NoInfer<State>>,
  options?: HandlerOptions<State>,
): Handler {
  return handlerWith({}, auth, implementations, options);
}
