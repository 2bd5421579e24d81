import { type Codec, findCodec } from "../codecs/codec.ts";
import type { ClientParts } from "../call/core_client.ts";
import { declaredErrors } from "../plan/declared_errors.ts";
import { HTTPError } from "../error.ts";
import { isRecord } from "../codecs/record.ts";
import { knownKind } from "../plan/exact_kinds.ts";
import type { Plan } from "../plan/plan_types.ts";
import { describeIssues, type Schema } from "../plan/schema.ts";

/** Errors that a definition declares, as they came from a server. */
const declaredOnes = new WeakSet<object>();

/** Whether an error is one that its operation declares. */
export function isDeclared(error: unknown): error is HTTPError {
  return error instanceof HTTPError && declaredOnes.has(error);
}

/**
 * Typed errors: the part of a client that reads those which an operation declares, and checks their bodies, for `outcomeOf`.
 *
 * @example
 * ```ts
 * import { api, linkWith, outcomeOf, readFailures, rest } from "../client.ts";
 * import { z } from "npm:zod@4.6.7";
 * const locks = api("x", { Take: rest("POST /lock", [], [], { errors: { 409: z.object({ owner: z.string() }) } }) });
 * const fetch = () => Promise.resolve(Response.json({ owner: "ann" }, { status: 409 }));
 * const outcome = await outcomeOf(linkWith({ failures: readFailures }, locks, "http://localhost", { fetch }).Take());
 * console.assert(outcome.status === 409 && outcome.error.body.owner === "ann");
 * ```
 */
export const readFailures: NonNullable<ClientParts["failures"]> = (plan, codecs, decode) => {
  const declared = declaredErrors(plan);
  if (declared.size === 0) return decode;
  return async (status, body, text) => {
    const one = declared.get(status);
    if (!one) return decode(status, body, text);
    const made = await decode(status, body, text);
    let error = made;
    if (one.schema) {
      const read = await readBody(plan, status, codecs, one.schema, text);
      // The server's own refusal, of a caller without a token for one, is none that the operation has declared.
      if (read instanceof HTTPError) return isProblem(body, status) ? made : read;
      error = new HTTPError(status, made.message, { body: read.body, cause: made.cause });
    } else if (!(made instanceof HTTPError)) error = new HTTPError(status, made.message, { body, cause: made.cause });
    declaredOnes.add(error);
    return error;
  };
};

/** Whether a body is problem details (RFC 9457) of a status, as the transport writes them. */
function isProblem(body: unknown, status: number): boolean {
  return isRecord(body) && body.status === status && typeof (body.detail ?? body.title) === "string";
}

/** Reads the body of a declared error; gives an error where it is another. */
async function readBody(
  { name }: Plan,
  status: number,
  codecs: readonly Codec[],
  schema: Schema,
  text: string,
): Promise<{ body: unknown } | HTTPError> {
  const wrong = (detail: string, cause?: unknown) =>
    new HTTPError(502, `Read the error ${status} of "${name}": ${detail}`, { kind: "body", cause });
  let value: unknown;
  try {
    // JSON is always among them.
    value = findCodec(codecs, "application/json")!.decode(text, { kind: knownKind(schema) });
  } catch (cause) {
    return wrong("it is not JSON", cause);
  }
  const validated = await schema["~standard"].validate(value);
  return validated.issues ? wrong(describeIssues(validated.issues)) : { body: validated.value };
}
