import { type EncodedError, type ErrorCodec, type ErrorContext, HTTPError, readProblem } from "./error.ts";

/** Writes an error as problem details. */
export function encodeProblem(error: unknown, { status }: Pick<ErrorContext, "status">): EncodedError {
  if (!(error instanceof HTTPError)) return { status, body: { status, title: "Internal Server Error" } };
  const { message: detail, headers, issues } = error;
  return { status, body: error.body ?? { status, detail, issues }, headers };
}

/**
 * The problem details of RFC 9457: `{status, detail}`, and the `issues` of a value that does not fit. Errors without a status of their own say
 * nothing of themselves.
 *
 * @example
 * ```ts
 * import { HTTPError, problem } from "./mod.ts";
 * const context = { status: 404, request: new Request("http://localhost/") };
 * const { body } = problem.encode(new HTTPError(404, `Find "x": there is none`), context);
 * console.assert(JSON.stringify(body) === `{"status":404,"detail":"Find \\"x\\": there is none"}`);
 * ```
 */
export const problem: ErrorCodec = {
  type: "application/problem+json",
  encode: encodeProblem,
  decode: readProblem,
};
