import { type Codec, findCodec } from "../codecs/codec.ts";
import type { HeaderValues } from "../codecs/header_value.ts";
import { type ErrorCodec, HTTPError } from "../error.ts";
import type { Plan } from "../plan/plan_types.ts";
import { isRecord } from "../codecs/record.ts";
import { describeIssues, type Schema } from "../plan/schema.ts";

/** Makes the error of an answer: of its body, and of the text that this was read from. */
export type DecodeError = (...answer: [...Parameters<ErrorCodec["decode"]>, text: string]) => Error | Promise<Error>;

/** Makes the error of a response that is one. */
export async function readError(response: Response, decode: DecodeError): Promise<Error> {
  const text = await response.text();
  let body: unknown = text || undefined;
  if (/json/i.test(response.headers.get("content-type") ?? "")) {
    try {
      body = JSON.parse(text);
    } catch {
      // Said to be JSON, but is not: the text itself tells more than a parse error would.
    }
  }
  return Object.assign(await decode(response.status, body, text), { responseHeaders: response.headers });
}

/**
 * Reads and checks the results of a call.
 *
 * @throws {HTTPError} 502 when the response is not what the definition says
 */
export async function readResult(
  plan: Plan,
  codecs: readonly Codec[],
  response: Response,
  headers: HeaderValues | undefined,
): Promise<unknown> {
  const { shape, schemas, names } = plan.result;
  if (shape === "none") return void await response.body?.cancel();
  if (shape === "stream") return response.body ?? new Blob().stream();
  const whole = response.status === 204 ? undefined : await decode(plan, codecs, response);
  const values = shape === "value"
    ? [whole]
    : shape === "list"
    ? whole
    : isRecord(whole) && names.map((name) => whole[name]);
  if (!Array.isArray(values)) throw wrongResult(plan, "expected a list or an object");
  const checked = await Promise.all(schemas.map((schema, index) => check(plan, schema, values[index])));
  headers?.read(checked, response);
  return checked.length === 1 ? checked[0] : checked;
}

async function decode(plan: Plan, codecs: readonly Codec[], response: Response): Promise<unknown> {
  const { asTagged, result: { kind, contentType } } = plan;
  const type = (asTagged ? null : response.headers.get("content-type")) ?? contentType;
  const codec = findCodec(codecs, type);
  const context = { kind };
  try {
    if (codec?.read) return await codec.read(response, context);
    const text = await response.text();
    if (codec) return codec.decode(text, context);
  } catch (cause) {
    throw wrongResult(plan, cause, cause);
  }
  throw wrongResult(plan, `"${type}" cannot be read`);
}

/**
 * Checks a value that arrived.
 *
 * @throws {HTTPError} 502
 */
export async function check(plan: Plan, schema: Schema, value: unknown): Promise<unknown> {
  const validated = await schema["~standard"].validate(value);
  if (validated.issues) throw wrongResult(plan, describeIssues(validated.issues));
  return validated.value;
}

/** The error of a result that is not what the definition says. */
export const wrongResult = ({ name }: Plan, detail: unknown, cause?: unknown) =>
  new HTTPError(502, `Read the result of "${name}": ${(detail as Partial<Error> | undefined)?.message ?? detail}`, {
    kind: "body",
    cause,
  });
