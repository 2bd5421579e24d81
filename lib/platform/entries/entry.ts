import { engineErrors } from "../../../handlers/errors.ts";
import type { Handler } from "../../rest/context.ts";
import { HTTPError } from "../../rest/error.ts";

/** The options that an entry's handler is made from. */
export interface EntryOptions {
  /** The token callers must send; without one nobody is let in. */
  readonly token: string | undefined;
  /** Why there is no way without a token, and where it is set. */
  readonly advice: string;
  /** Opens the engine, when the first request comes. Its handler asks for the token. */
  open(token: string): Promise<Handler>;
  /** Told why the engine cannot be opened. */
  onError?(error: unknown): void;
}

/**
 * The handler of an entry that a runtime exposes by itself, on every interface or to the whole world: without a token it
 * answers 401 and says why, and opens nothing. An engine that cannot be opened is tried again with the next request.
 */
export function entryHandler(options: EntryOptions): Handler {
  let opening: Promise<Handler> | undefined;
  const open = (token: string) =>
    opening ??= options.open(token).catch((error) => {
      opening = undefined;
      throw error;
    });
  return async (request, platform) => {
    let serve: Handler;
    try {
      if (!options.token) throw new HTTPError(401, `Refuse the request: ${options.advice}`, { kind: "auth" });
      serve = await open(options.token);
    } catch (error) {
      if (!(error instanceof HTTPError)) options.onError?.(error);
      return errorResponse(error, request);
    }
    return await serve(request, platform);
  };
}

/** An error as the engine's API words it, for what fails before a request has reached an engine. */
export function errorResponse(error: unknown, request: Request): Response {
  const status = error instanceof HTTPError ? error.status : 500;
  const encoded = engineErrors.encode(error, { status, request });
  return Response.json(encoded.body, { status: encoded.status, headers: encoded.headers });
}
