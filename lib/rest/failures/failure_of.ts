import { HTTPError, type HTTPErrorOptions } from "../error.ts";
import type { HTTPFailure } from "../plan/error_types.ts";

/**
 * Makes an error that an operation declares, in its tag (`!404`) or by its option `errors`. A function returns it, so that the compiler checks
 * its status and body against the definition, or throws it. Its body is checked like a result and cut to its schema.
 *
 * @param message Goes to the log, and out with an error whose body has no schema
 * @param body The body, where the definition has a schema for it
 *
 * @example
 * ```ts
 * import { api, failureOf, handler, implement, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const locks = api("locks.example.com", {
 *   Take: rest("POST /lock !409(Taken)", [], [], { errors: { Taken: z.object({ owner: z.string() }) } }),
 * });
 * const functions = implement(locks, { Take: () => failureOf(409, "Take the lock: it is taken", { owner: "ann" }) });
 * const response = await handler(null, functions)(new Request("http://localhost/lock", { method: "POST" }));
 * console.assert(response.status === 409 && await response.text() === '{"owner":"ann"}');
 * ```
 */
export function failureOf<Status extends number>(status: Status, message: string): HTTPFailure<Status, undefined>;
export function failureOf<Status extends number, Body>(
  status: Status,
  message: string,
  body: Body,
  options?: Omit<HTTPErrorOptions, "body">,
): HTTPFailure<Status, Body>;
export function failureOf(
  status: number,
  message: string,
  body?: unknown,
  options: Omit<HTTPErrorOptions, "body"> = {},
): HTTPError {
  return new HTTPError(status, message, { ...options, body });
}
