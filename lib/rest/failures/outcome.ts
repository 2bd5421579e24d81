import type { Answer, HTTPFailure } from "../plan/error_types.ts";
import type { OpenChannel } from "../channels/open_channel.ts";
import { isDeclared } from "./read_failure.ts";

/**
 * The outcome of a call: its value, one of the errors that its operation declares, known by its `status`, or any other error, whose `status` is
 * undefined: of the network, of a server that is down, or one that the definition does not name.
 *
 * @example
 * ```ts
 * import type { HTTPFailure, Outcome } from "../mod.ts";
 * type Got = Outcome<string, HTTPFailure<404> | HTTPFailure<409, { owner: string }>>;
 * const words = (got: Got) => got.ok ? got.value : got.status === 409 ? got.error.body.owner : got.error.message;
 * console.assert(words({ ok: true, value: "found" }) === "found");
 * ```
 */
export type Outcome<Value, Failures extends HTTPFailure = never> =
  | { readonly ok: true; readonly status?: undefined; readonly value: Value; readonly error?: undefined }
  | (Failures extends HTTPFailure
    ? { readonly ok: false; readonly status: Failures["status"]; readonly error: Failures; readonly value?: undefined }
    : never)
  | { readonly ok: false; readonly status: undefined; readonly error: Error; readonly value?: undefined };

/**
 * Waits for a call and returns its outcome instead of throwing its error. That of a channel is known once it is open, before its first value: what
 * goes wrong later is thrown where it is read, and so are errors of functions to which a channel goes over the same WebSocket.
 *
 * @param call The promise of a linked function
 *
 * @example
 * ```ts
 * import { api, failureOf, handler, implement, link, outcomeOf, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const users = api("users.example.com", {
 *   Name: rest("GET /users/{id=%v} !404", [z.string()], [z.string()]),
 * });
 * const serve = handler(null, implement(users, { Name: (id) => id === "1" ? "Ann" : failureOf(404, "Find the user: there is none") }));
 * const client = link(users, "http://localhost", { fetch: serve });
 * const [ann, nobody] = [await outcomeOf(client.Name("1")), await outcomeOf(client.Name("2"))];
 * console.assert(ann.ok && ann.value === "Ann");
 * console.assert(nobody.status === 404 && nobody.error.message === "Find the user: there is none");
 * ```
 */
export async function outcomeOf<Value, Failures extends HTTPFailure = never>(
  call: Answer<Value, Failures> | Promise<Value>,
): Promise<Outcome<Value, Failures>> {
  try {
    const value = await call;
    // Only a channel has such a promise.
    if (Symbol.asyncIterator in Object(value)) await (value as Partial<OpenChannel<unknown>>).opened;
    return { ok: true, value };
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause), { cause });
    const status = isDeclared(error) ? error.status : undefined;
    // The definition that made the type of the call also says which errors are declared.
    return { ok: false, status, error } as Outcome<Value, Failures>;
  }
}
