import type { EngineError, ErrorCode } from "../lib/engine/errors.ts";
import { type EncodedError, type ErrorCodec, type ErrorContext, HTTPError } from "../lib/rest/mod.ts";

/** The status each of the engine's codes answers. */
const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  no_such_container: 404,
  no_such_image: 404,
  no_such_network: 404,
  no_such_volume: 404,
  no_such_exec: 404,
  ambiguous: 404,
  name_in_use: 409,
  in_use: 409,
  state: 500,
  unchanged: 304,
  unauthorized: 401,
  forbidden: 403,
  registry: 500,
  corrupt: 500,
  limit: 500,
  command_not_found: 500,
  command_not_executable: 500,
  port_in_use: 500,
  unsupported: 501,
  cancelled: 500,
  timeout: 500,
  internal: 500,
};

/** Where an operation answers a code differently, as Podman does. */
const EXCEPTIONS: Record<string, Partial<Record<ErrorCode, number>>> = {
  CreateContainer: { name_in_use: 500 },
  InitContainer: { state: 304 },
  KillContainer: { state: 409, ambiguous: 500 },
  ResizeTTY: { state: 409 },
  RemoveContainer: { ambiguous: 500 },
  RestartContainer: { ambiguous: 500 },
  WaitContainer: { ambiguous: 500 },
  CompatKillContainer: { state: 409, ambiguous: 500 },
  CompatResizeTTY: { state: 409 },
  CompatRemoveContainer: { ambiguous: 500 },
  CompatRestartContainer: { ambiguous: 500 },
  CompatWaitContainer: { ambiguous: 500 },
  CompatRemoveImage: { state: 409 },
};

/** An error on the wire: the innermost text, the whole text, and the status once more. */
export interface ErrorModel {
  cause: string;
  message: string;
  response: number;
}

/** How errors of both trees look: {@linkcode ErrorModel}, and plain text where no route fits. */
export const engineErrors: ErrorCodec = {
  type: "application/json",
  encode(error, context) {
    if (isEngineError(error)) return engineError(error, context);
    if (error instanceof HTTPError) return httpError(error);
    // A defect: what it says is for the log.
    return model(500, "Internal error");
  },
  decode(status, body) {
    const { message, cause } = (typeof body === "object" && body !== null ? body : {}) as Partial<ErrorModel>;
    const text = message ?? (typeof body === "string" && body !== "" ? body.trim() : `Answered with status ${status}`);
    return new HTTPError(status, text, { body, cause });
  },
};

/** The status an engine error answers from an operation. */
export function statusOf(error: EngineError, operation = ""): number {
  // A registry's own status goes through, as long as it is one of failure.
  if (error.code === "registry" && error.status !== undefined && error.status >= 400) return error.status;
  return EXCEPTIONS[operation]?.[error.code] ?? STATUS[error.code];
}

/** By shape, so that a client that knows this table carries no engine. */
function isEngineError(error: unknown): error is EngineError {
  return error instanceof Error && error.name === "EngineError" && "code" in error && "sentinel" in error;
}

function engineError(error: EngineError, { name }: ErrorContext): EncodedError {
  return model(statusOf(error, name), error.message, error.sentinel);
}

function httpError(error: HTTPError): EncodedError {
  const { status, headers } = error;
  if (error.kind === "route") return { status, body: "Not Found\n", headers };
  if (error.kind === "method") return { status, body: "Method Not Allowed\n", headers };
  if (error.body !== undefined) return { status, body: error.body, headers };
  return { ...model(status, error.message), headers };
}

function model(status: number, message: string, cause = message): EncodedError {
  if (status === 204 || status === 304) return { status, body: null };
  const body: ErrorModel = { cause, message, response: status };
  return { status, body };
}

/** A 400 for a query parameter whose value makes no sense. */
export function badParameter(name: string, value: string, cause: unknown): HTTPError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new HTTPError(400, `failed to parse query parameter '${name}': "${value}": ${why}`, {
    cause,
    kind: "argument",
  });
}
