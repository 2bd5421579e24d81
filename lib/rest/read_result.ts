import { type Codec, findCodec } from "./codec.ts";
import { HTTPError } from "./error.ts";
import { isHeaderReader } from "./header_value.ts";
import { isRecord, readJSON } from "./json.ts";
import type { Plan, ResultPlan } from "./plan_types.ts";
import { describeIssues, type Schema } from "./schema.ts";
import type { ErrorCodec } from "./error.ts";

/** The largest error body that is looked at, in characters. */
const MAX_ERROR = 1024 * 1024;

/** Makes the error of a response that is one. */
export async function readError(response: Response, codec: ErrorCodec): Promise<Error> {
  const text = (await response.text()).slice(0, MAX_ERROR);
  const type = response.headers.get("content-type") ?? "";
  let body: unknown = text === "" ? undefined : text;
  if (/json/i.test(type) && text !== "") {
    try {
      body = JSON.parse(text);
    } catch {
      // Said to be JSON, but is not: the text itself tells more than a parse error would.
    }
  }
  return codec.decode(response.status, body);
}

/**
 * Reads and checks the results of a call.
 *
 * @throws {HTTPError} 502 when the response is not what the definition says
 */
export async function readResult(plan: Plan, codecs: readonly Codec[], response: Response): Promise<unknown> {
  const { result } = plan;
  if (result.shape === "none") {
    await response.body?.cancel();
    return undefined;
  }
  if (result.shape === "stream") return response.body ?? new Blob([]).stream();
  const value = await decode(plan, codecs, response);
  if (result.shape === "value") return await check(plan, result.schemas[0], value, response);
  const values = result.shape === "list" ? value : pickFields(result, value);
  if (!Array.isArray(values)) throw wrong(plan, "expected a list of the results");
  const checked = await Promise.all(
    result.schemas.map((schema, index) => check(plan, schema, values[index], response)),
  );
  return checked.length === 1 ? checked[0] : checked;
}

async function decode(plan: Plan, codecs: readonly Codec[], response: Response): Promise<unknown> {
  const { kind, revive, contentType } = plan.result;
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? contentType;
  const codec = findCodec(codecs, plan.asTagged ? contentType : type);
  const text = await response.text();
  if (codec === undefined) throw wrong(plan, `"${type}" is not a type it can read`);
  try {
    return codec.decode(text, { kind, revive, replace: false });
  } catch (cause) {
    throw wrong(plan, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function pickFields(result: ResultPlan, value: unknown): unknown[] | undefined {
  return isRecord(value) ? result.names.map((name) => value[name]) : undefined;
}

async function check(plan: Plan, schema: Schema, value: unknown, response: Response): Promise<unknown> {
  const validated = await schema["~standard"].validate(value);
  if (validated.issues !== undefined) throw wrong(plan, describeIssues(validated.issues));
  if (isHeaderReader(validated.value)) validated.value.readHeadersHTTP(response.headers);
  return validated.value;
}

function wrong(plan: Plan, detail: string, cause?: unknown): HTTPError {
  return new HTTPError(502, `Read the result of "${plan.name}": ${detail}`, { kind: "body", cause });
}

/** Makes the reader of a channel's values. */
export function valueReader(plan: Plan): (text: string) => Promise<unknown> {
  const { item, kind, revive } = plan.result;
  return async (text) => {
    const value = readJSON(text, revive ? kind : undefined);
    if (item === undefined) return value;
    const validated = await item["~standard"].validate(value);
    if (validated.issues !== undefined) throw wrong(plan, describeIssues(validated.issues));
    return validated.value;
  };
}
