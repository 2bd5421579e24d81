import { type Codec, findCodec } from "./codec.ts";
import { HTTPError } from "./error.ts";
import { isHeaderWriter } from "./header_value.ts";
import { isRecord, writeJSON } from "./json.ts";
import type { BodyPlan, PathParameter, Plan, QuerySpread, Segment } from "./plan_types.ts";
import { writeScalar } from "./scalar_text.ts";

/** Writes the request of a call. */
export function writeRequest(
  plan: Plan,
  codecs: readonly Codec[],
  base: string,
  args: readonly unknown[],
  accept: string | undefined,
  signal: AbortSignal | undefined,
): Request {
  const query = writeQuery(plan, args);
  const url = base + writePath(plan, args) + (query === "" ? "" : `?${query}`);
  const headers = new Headers();
  if (accept !== undefined) headers.set("accept", accept);
  for (const value of args) if (isHeaderWriter(value)) value.writeHeadersHTTP(headers);
  const init: RequestInit & { duplex?: "half" } = { method: plan.method, headers, signal };
  if (plan.body !== undefined) {
    const { body, type } = writeBody(plan.body, codecs, args);
    // A Blob and its like bring a type of their own only where the tag has none to say.
    if (body !== undefined && !headers.has("content-type")) headers.set("content-type", type);
    init.body = body;
    if (body instanceof ReadableStream) init.duplex = "half";
  }
  return new Request(url, init);
}

function writePath(plan: Plan, args: readonly unknown[]): string {
  let index = 0;
  const next = () => {
    const parameter = plan.parameters[index++];
    return writeParameter(parameter, pick(args, parameter.argument, parameter.path));
  };
  return plan.segments.map((segment) => "/" + writeSegment(segment, next)).join("");
}

function writeSegment(segment: Segment, next: () => string): string {
  switch (segment.type) {
    case "literal":
      return segment.text;
    case "partial":
      return segment.parts.map((part) => "text" in part ? part.text : next()).join("");
    default:
      return next();
  }
}

function writeParameter({ name, remainder }: PathParameter, value: unknown): string {
  if (value === undefined || value === null) throw new TypeError(`Write "${name}" into the path: it is missing`);
  const text = writeScalar(value);
  if (text === "") throw new TypeError(`Write "${name}" into the path: it is empty`);
  if (!remainder) {
    // A dot segment would be resolved away, encoded or not.
    if (/^\.{1,2}$/.test(text)) throw new TypeError(`Write "${name}" into the path: "${text}" is a dot segment`);
    return encodeURIComponent(text);
  }
  if (text.split("/").some((segment) => /^\.{1,2}$/.test(segment))) {
    throw new TypeError(`Write "${name}" into the path: "${text}" has a dot segment`);
  }
  if (/[?#%\\]/.test(text)) {
    throw new TypeError(`Write "${name}" into the path: "${text}" has a character that ends or changes a path`);
  }
  return encodeURI(text);
}

function pick(args: readonly unknown[], argument: number, path: readonly string[]): unknown {
  let value = args[argument];
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  return value;
}

function writeQuery(plan: Plan, args: readonly unknown[]): string {
  const parts: string[] = [];
  const append = (name: string, text: string) => parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  for (const [name, value] of plan.constants) append(name, value);
  for (const { name, argument, path } of plan.query) writeNamed(name, pick(args, argument, path), append);
  for (const spread of plan.spreads) writeSpread(spread, args[spread.argument], append);
  return parts.join("&");
}

function writeNamed(name: string, value: unknown, append: (name: string, text: string) => void): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) append(name, isPlain(item) ? writeJSON(item, true) : writeScalar(item));
  } else append(name, isPlain(value) ? writeJSON(value, true) : writeScalar(value));
}

function isPlain(value: unknown): boolean {
  return isRecord(value) || Array.isArray(value);
}

function writeSpread(spread: QuerySpread, value: unknown, append: (name: string, text: string) => void): void {
  if (!isRecord(value)) return;
  if (spread.fields === undefined) {
    for (const [name, item] of Object.entries(value)) writeNamed(name, item, append);
    return;
  }
  for (const { name, path, kind } of spread.fields) {
    // The fields of a struct follow one by one.
    if (kind.type === "struct" && path.length < 8) continue;
    let item: unknown = value;
    for (const key of path) item = isRecord(item) ? item[key] : undefined;
    writeNamed(name, item, append);
  }
}

function writeBody(
  plan: BodyPlan,
  codecs: readonly Codec[],
  args: readonly unknown[],
): { body: BodyInit | undefined; type: string } {
  const values = plan.arguments.map((index) => args[index]);
  if (plan.shape === "stream") {
    const [body] = values;
    const type = !plan.tagged && body instanceof Blob && body.type !== "" ? body.type : plan.contentType;
    // The definition's types allow a stream, a Blob, bytes or text here.
    return { body: body as BodyInit | undefined, type };
  }
  if (plan.shape === "value" && values[0] === undefined) return { body: undefined, type: plan.contentType };
  const whole = plan.shape === "value"
    ? values[0]
    : plan.shape === "list"
    ? values
    : Object.fromEntries(plan.names.map((name, index) => [name, values[index]]));
  const codec = findCodec(codecs, plan.contentType);
  if (codec === undefined) {
    throw new HTTPError(415, `Write the body: there is no codec for "${plan.contentType}"`, { kind: "media" });
  }
  const body = codec.encode(whole, { kind: plan.kind, revive: plan.revive, replace: true });
  return { body: body as BodyInit, type: plan.contentType };
}
