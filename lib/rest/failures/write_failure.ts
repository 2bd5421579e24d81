import type { Call } from "../run/call.ts";
import { checkOf } from "../run/check_result.ts";
import { encodeWith, findCodec } from "../codecs/codec.ts";
import type { ServerParts } from "../run/core_server.ts";
import { declaredErrors } from "../plan/declared_errors.ts";
import { type EncodedError, HTTPError } from "../error.ts";
import { isForward } from "../run/forwarded.ts";
import { knownKind } from "../plan/exact_kinds.ts";

/**
 * Typed errors: the part of a server that sends those which an operation declares, with bodies that fit their schemas.
 *
 * @example
 * ```ts
 * import { api, failureOf, handlerWith, implement, rest, writeFailures } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const locks = api("x", { Take: rest("POST /lock", [], [], { errors: { 409: z.object({ owner: z.string() }) } }) });
 * const functions = implement(locks, { Take: () => failureOf(409, "Take the lock: it is taken", { owner: "ann" }) });
 * const serve = handlerWith({ around: writeFailures }, null, functions);
 * const response = await serve(new Request("http://localhost/lock", { method: "POST" }));
 * console.assert(response.status === 409 && await response.text() === '{"owner":"ann"}');
 * ```
 */
export const writeFailures: NonNullable<ServerParts["around"]> = (plan, run, codecs) => {
  const declared = declaredErrors(plan);
  if (declared.size === 0 || isForward(run)) return run;
  // JSON is always among them.
  const codec = findCodec(codecs, "application/json")!;
  const encoders = new Map<number, (error: HTTPError) => Promise<EncodedError>>();
  for (const { status, schema } of declared.values()) {
    if (!schema) continue;
    const kind = knownKind(schema);
    const check = checkOf({ name: `${plan.name} !${status}` }, schema, kind);
    encoders.set(status, async ({ body: given, headers: own }) => {
      const checked = plan.trusted ? given : await check(given);
      const { body, headers } = encodeWith(codec, { "content-type": "application/json" }, checked, { kind });
      return { status, body, headers: [...new Headers(headers), ...new Headers(own)] };
    });
  }
  return function (this: unknown, ...args: unknown[]): unknown {
    const fail = async (error: unknown): Promise<never> => {
      // One without a body is none of those that are declared with a schema: it goes out as problem details.
      const encode = error instanceof HTTPError && error.body !== undefined && encoders.get(error.status);
      // The last argument of every function is its call.
      if (encode) (args.at(-1) as Call).failures = new Map([[error, await encode(error)]]);
      throw error;
    };
    const settle = (value: unknown) => value instanceof HTTPError ? fail(value) : value;
    try {
      const value: unknown = run.apply(this, args);
      return value instanceof Promise ? value.then(settle, fail) : settle(value);
    } catch (error) {
      return fail(error);
    }
  };
};
