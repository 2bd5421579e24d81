import { acceptDuplex } from "./duplex/accept_duplex.ts";
import { type Authenticator, requireAuthenticator } from "./auth.ts";
import { receiveChannel } from "./channels/channel_argument.ts";
import { writeChannel } from "./channels/channel_server.ts";
import { DefinitionError, problemsOfImplementation } from "./check/check.ts";
import { compress, type CompressOptions } from "./run/compress.ts";
import { decompress, refuseCodings } from "./run/content_coding.ts";
import type { Handler } from "./context.ts";
import { type HandlerOptions as CoreOptions, handlerWith, type ServerParts } from "./run/core_server.ts";
import { findDuplicates } from "./check/duplicates.ts";
import { requireImplementations, requireOptions } from "./check/check_serving.ts";
import { etag } from "./run/etag.ts";
import { exactness } from "./run/check_result.ts";
import { exactJSON } from "./codecs/exact_json.ts";
import { exactText } from "./codecs/exact_text.ts";
import { form } from "./codecs/form.ts";
import { formStreams } from "./forms/form_streams.ts";
import { headerValues } from "./codecs/header_value.ts";
import type { Implementations } from "./implement.ts";
import { negotiation } from "./run/accept.ts";
import { pathOfBase } from "./route/request_path.ts";
import { patientRequest } from "./run/patient_body.ts";
import { quickPaths } from "./quick/quick_paths.ts";
import { readPlaced } from "./headers/read_placed.ts";
import { trieRouter } from "./route/trie_router.ts";
import { writePlaced } from "./headers/write_placed.ts";
import { writeFailures } from "./failures/write_failure.ts";
import { streams } from "./run/streams.ts";

/**
 * Options of {@linkcode handler}.
 *
 * @example
 * ```ts
 * import { api, handler, type HandlerOptions, implement, rest } from "./mod.ts";
 * const options: HandlerOptions = { compress: true, etag: true, onError: (error, { name }) => console.error(name, error) };
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }), options);
 * console.assert((await serve(new Request("http://localhost/ping"))).status === 204);
 * ```
 */
export interface HandlerOptions<State extends object = object> extends CoreOptions<State> {
  /** Gives JSON answers of GET an `ETag`, and answers 304 to a client that has the same. */
  etag?: boolean;
  /**
   * Compresses answers for clients that take it, see {@linkcode compress} for when not to, and reads bodies that are compressed, as
   * {@linkcode decompress} does. Without it such a body is answered 415; one that is a stream reaches its function as it was sent.
   */
  compress?: boolean | CompressOptions;
  /**
   * Milliseconds without a byte of a body that is waited for, until the call is answered 408. For servers that wait for ever, as `Deno.serve` does;
   * not by default.
   */
  bodyPatience?: number;
}

/** Everything a server of this module can do. */
export const SERVER_PARTS: ServerParts = formStreams({
  router: trieRouter,
  codecs: [exactText, form, exactJSON],
  decode: refuseCodings,
  streams,
  receive: receiveChannel,
  channel: writeChannel,
  headers: headerValues,
  exactness,
  quick: quickPaths,
  negotiate: negotiation,
  places: readPlaced,
  around: (plan, run, codecs) => writePlaced(plan, writeFailures(plan, run, codecs), codecs),
});

/**
 * Serves APIs: one compiled router over all of their operations. The result is a pure function of the request.
 *
 * @param auth Who may call; null lets everybody
 * @param implementations The APIs; the errors of unknown paths look like those of the first
 * @throws {DefinitionError} when operations have no function, or those of different APIs take the same requests
 * @throws {TypeError} when there is no authenticator, no implementation, no stack in `use`, or a prefix without a slash
 *
 * @example
 * ```ts
 * import { api, bearer, handler, implement, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(bearer("secret"), implement(calculator, { Add: (a, b) => a + b }));
 * console.assert((await serve(new Request("http://localhost/sum?a=1&b=2"))).status === 401);
 * ```
 */
export function handler<Identity = unknown, State extends object = object>(
  auth: Authenticator<Identity> | null,
  implementations: Implementations<NoInfer<Identity>, NoInfer<State>>,
  options: HandlerOptions<State> = {},
): Handler {
  requireAuthenticator(auth);
  requireImplementations(implementations);
  requireOptions(options);
  const all = "definition" in implementations ? [implementations] : implementations;
  const prefixes = all.map(({ definition: { base } }) => pathOfBase(options.prefix ?? base));
  // Within one definition duplicates are among its own problems.
  const across = [...new Set(prefixes)].flatMap((prefix) => {
    const together = all.filter((_, index) => prefixes[index] === prefix);
    return together.length > 1 ? findDuplicates(together.flatMap(({ definition: { plans } }) => plans)) : [];
  });
  const problems = new Set([...all.flatMap(problemsOfImplementation), ...across]);
  if (problems.size > 0) throw new DefinitionError([...problems]);
  return acceptDuplex(handlerWith(partsOf(options), auth, all, options), all, options);
}

/** Returns the parts of a server with these options. */
export function partsOf(
  { etag: tagged, compress: compressed, bodyPatience }: Omit<HandlerOptions, "use">,
): ServerParts {
  if (!tagged && !compressed && bodyPatience === undefined) return SERVER_PARTS;
  const options = typeof compressed === "object" ? compressed : {};
  const finish = [...tagged ? [etag] : [], ...compressed ? [compress(options)] : []];
  const undo = compressed ? decompress : refuseCodings;
  const decode: typeof undo = bodyPatience === undefined
    ? undo
    : (request, limit, shape) => undo(patientRequest(request, bodyPatience), limit, shape);
  return { ...SERVER_PARTS, finish, decode };
}
