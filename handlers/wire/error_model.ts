import { type EncodedError, type ErrorCodec, HTTPError } from "../../lib/rest/mod.ts";
import { z } from "./zod.ts";

/** An error of either tree: the innermost text, the whole text, and the status once more. */
export const ErrorModel = z.object({ cause: z.string(), message: z.string(), response: z.number() });
export type ErrorModel = z.output<typeof ErrorModel>;

/** Writes an {@linkcode ErrorModel}; 204 and 304 have no body. */
export function errorModel(status: number, message: string, cause: string = message): EncodedError {
  if (status === 204 || status === 304) return { status, body: null };
  const body: ErrorModel = { cause, message, response: status };
  return { status, body };
}

/** How errors look in both trees: {@linkcode ErrorModel}, and plain text where no route fits. */
export const wireErrors: ErrorCodec = {
  type: "application/json",
  encode(error) {
    // A defect: what it says is for the log.
    if (!(error instanceof HTTPError)) return errorModel(500, "Internal error");
    const { status, headers } = error;
    if (error.kind === "route") return { status, body: "Not Found\n", headers };
    if (error.kind === "method") return { status, body: "Method Not Allowed\n", headers };
    if (error.body !== undefined) return { status, body: error.body, headers };
    return { ...errorModel(status, error.message), headers };
  },
  decode(status, body) {
    const model = ErrorModel.partial().safeParse(body);
    const text = typeof body === "string" ? body.trim() : model.data?.message;
    return new HTTPError(status, text || `Answered with status ${status}`, { body, cause: model.data?.cause });
  },
};
