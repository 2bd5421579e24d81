import type { Engine } from "../lib/engine/engine.ts";
import {
  type Authenticator,
  endpoints,
  type Handler,
  handler,
  type HandlerOptions,
  type Implementation,
} from "../lib/rest/mod.ts";
import { surfaces } from "../lib/rest/surfaces.ts";
import { redirectDoubled } from "./clean_path.ts";
import { handlerElsewhere } from "./engine_elsewhere.ts";
import { FAMILIES, listDefinitions } from "./families.ts";
import { type RequestEntry, RequestWatch } from "./monitor/watch_requests.ts";
import { refuseVersion } from "./version_bounds.ts";
import { describeAPI, swaggerText } from "./words/documents.ts";

/** Options of {@linkcode engineHandler}. */
export interface EngineHandlerOptions extends HandlerOptions {
  /** The authenticator of callers; by default anybody may call. */
  auth?: Authenticator<unknown> | null;
  /** Told of each request when its answer begins, with the reason of a failure: a log. Then `onError` is not told of by default. */
  onRequest?: (entry: RequestEntry) => void;
}

/** Every family of both trees. */
export function implementFamilies(engine: Engine): Implementation[] {
  return FAMILIES.map(({ implement }) => implement(engine, { swaggerText }));
}

/**
 * Serves an engine: the native tree under `/engine` and `/libpod`, Docker's tree beside it, each with and without a version
 * in front. On the root stand the surfaces of the API: its OpenAPI document, a page to read and try it, and a client module.
 * They tell nothing of the engine itself, and are shown to anybody.
 *
 * @param engine What is served
 * @param options Who may call, and what is told of errors
 * @throws {EngineError} `unsupported` for options but `auth` and `onRequest`, with an engine in another process (`openHostEngine()` of an
 * ordinary user)
 */
export function engineHandler(
  engine: Engine,
  { auth = null, onRequest, ...options }: EngineHandlerOptions = {},
): Handler {
  const elsewhere = handlerElsewhere(engine, { auth, onRequest, ...options });
  if (elsewhere !== undefined) return elsewhere;
  const watch = new RequestWatch(engine.metrics, onRequest);
  const onError = options.onError ?? watch.onError;
  const fallback = surfaces(listDefinitions(), { auth, onError, describe: describeAPI, fallback: options.fallback });
  const implementations = implementFamilies(engine).map((family) => watch.named(family));
  const serve = handler(auth, implementations, { ...options, ...onError && { onError }, fallback });
  return watch.around((request, platform) => {
    const answer = refuseVersion(request) ?? redirectDoubled(request);
    return answer === undefined ? serve(request, platform) : Promise.resolve(answer);
  });
}

/**
 * Every operation alone, by its name; those of Docker's tree begin with `Compat`. Each takes a request as it would come in,
 * and depends on nothing but the engine.
 */
export function operations(engine: Engine): Record<string, Handler> {
  return Object.assign({}, ...implementFamilies(engine).map((family) => endpoints(null, family)));
}
