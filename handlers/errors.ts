import { EngineError } from "../lib/engine/errors.ts";
import { parseMoment } from "../lib/engine/text/moment.ts";
import { printableLines } from "../lib/oci/printable.ts";
import { isFullDisk, NO_SPACE } from "../lib/oci/system_error.ts";
import { type ErrorCodec, HTTPError } from "../lib/rest/mod.ts";
import { PartialFailure } from "./partial_failure.ts";
import { absentMethod, absentOperation } from "./absent.ts";
import { RequestError } from "./request_error.ts";
import { QUOTING, statusOfCode, UNREADABLE } from "./statuses.ts";
import { errorModel, wireErrors } from "./wire/error_model.ts";
import { messageOf } from "../lib/oci/message_of.ts";

/** How errors look on the wire, the engine's own by the table above. */
export const engineErrors: ErrorCodec = {
  ...wireErrors,
  // Any text of an error may quote a registry, an image or a caller, and clients print it is.
  encode(error, context) {
    const { body, ...rest } = encodeError(error, context);
    return { ...rest, body: printableTexts(body) };
  },
};

const encodeError: ErrorCodec["encode"] = (error, context) => {
  if (error instanceof HTTPError && error.kind === "route") {
    const absent = absentOperation(context.request);
    if (absent) return absent;
  }
  if (error instanceof HTTPError && error.kind === "method") {
    const absent = absentMethod(context.request);
    if (absent) return { ...absent, headers: error.headers };
  }
  if (error instanceof HTTPError && error.kind === "argument" && UNREADABLE.has(context.name ?? "")) {
    return errorModel(500, error.message, unconvertedText(error.message));
  }
  if (error instanceof HTTPError && error.kind === "argument" && QUOTING.has(context.name ?? "")) {
    const cause = unconvertedText(error.message);
    const text = `failed to parse parameters for ${pathOf(context.request)}: ${error.message}`;
    if (cause !== undefined) return errorModel(error.status, text, cause);
  }
  if (error instanceof PartialFailure) return { status: 409, body: error.report };
  const stall = stalledBody(error);
  if (stall !== undefined) return wireErrors.encode(stall, context);
  if (error instanceof EngineError || error instanceof RequestError) {
    return errorModel(statusOf(error, context.name), error.message, error.sentinel);
  }
  // The one failure of a host that its users can do something about. Errors of the transport quote the request instead.
  if (!(error instanceof HTTPError) && isFullDisk(error)) return errorModel(500, NO_SPACE);
  return wireErrors.encode(error, context);
};

/** The same value with every text in it fit to be shown. */
function printableTexts(value: unknown): unknown {
  if (typeof value === "string") return printableLines(value);
  if (Array.isArray(value)) return value.map(printableTexts);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printableTexts(item)]));
}

/** What Podman's reader of queries says of the parameter that a message of the transport's names. */
function unconvertedText(message: string): string | undefined {
  const name = /(?:^Read|: at) "([^"]+)": "/.exec(message)?.[1];
  return name && `schema: error converting value for "${name}"`;
}

/** The path and query of a request. */
function pathOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns the transport's own error of a body that stopped coming, whatever the engine made of it on its way. */
function stalledBody(error: unknown): HTTPError | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof HTTPError && inner.kind === "body" && inner.status === 408) return inner;
  }
}

/** The status that an error answers from an operation. */
export function statusOf(error: EngineError | RequestError, operation = ""): number {
  // A registry's own status goes through, as long as it is one of failure.
  if (error.code === "registry" && error.status !== undefined && error.status >= 400) return error.status;
  return statusOfCode(error.code, operation);
}

/** A 400 for a query parameter whose value makes no sense. */
export function badParameter(name: string, value: string, cause: unknown): RequestError {
  const why = messageOf(cause);
  return new RequestError("malformed", `failed to parse query parameter '${name}': "${value}": ${why}`, {
    field: name,
    cause,
    kind: "argument",
  });
}

/** Reads the moment that a query parameter tells, in milliseconds since the epoch. */
export function momentParameter(name: string, text: string | undefined): number | undefined {
  try {
    return parseMoment(text, Date.now());
  } catch (error) {
    throw badParameter(name, text ?? "", error);
  }
}
