import { type Codec, type Described, encodeWith, findCodec } from "../codecs/codec.ts";
import type { HeaderValues } from "../codecs/header_value.ts";
import { isRecord } from "../codecs/record.ts";
import { ANY } from "../plan/kind.ts";
import type { BodyPlan, PathParameter, Plan } from "../plan/plan_types.ts";
import { writeScalar } from "../codecs/scalar_text.ts";

/** Makes the body of a stream, or of a channel. */
export type WriteStream = (value: unknown, body: BodyPlan) => BodyInit;

/** Writes the request of a call. */
export function writeRequest(
  plan: Plan,
  codecs: readonly Codec[],
  base: string,
  args: readonly unknown[],
  accept: string | undefined,
  signal: AbortSignal | undefined,
  values: HeaderValues | undefined,
  stream: WriteStream | undefined,
): Request {
  const query = writeQuery(plan, args, codecs);
  const encoded = plan.body && writeBody(plan.body, codecs, args, stream);
  const headers = new Headers(encoded?.headers);
  if (accept) headers.set("accept", accept);
  values?.write(args, headers);
  const body = encoded?.body;
  // The library of types does not know `duplex`, which a stream needs.
  const init = { method: plan.method, headers, signal, body, duplex: "half" } as RequestInit;
  return new Request(base + writePath(plan, args) + (query && `?${query}`), init);
}

function writePath({ segments, parameters }: Plan, args: readonly unknown[]): string {
  let index = 0;
  const next = () => {
    const parameter = parameters[index++];
    return writeParameter(parameter, pick(args[parameter.argument], parameter.path));
  };
  return segments.map((segment) =>
    "/" + ("parts" in segment ? segment.parts : [segment]).map((part, index, { length }) =>
      "text" in part
        ? part.text
        // The literal behind a name is looked for from the front, but for that behind the last one.
        : index + 2 < length
        ? next().replace(/[-_.!~*'()]/g, (mark) => "%" + mark.charCodeAt(0).toString(16))
        : next()
    ).join("")
  ).join("");
}

function writeParameter({ name, remainder }: PathParameter, value: unknown): string {
  const text = value == null ? "" : writeScalar(value);
  // A dot segment would be resolved away, encoded or not; a remainder is not encoded.
  const odd = remainder ? /(^|\/)\.\.?(\/|$)|[?#%\\]/ : /^\.\.?$/;
  const detail = value == null
    ? "it is missing"
    : !text
    ? "it is empty"
    : odd.test(text) && `"${text}" would not arrive`;
  if (detail) throw new TypeError(`Write "${name}" into the path: ${detail}`);
  return remainder ? encodeURI(text) : encodeURIComponent(text);
}

const pick = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((value, key) => isRecord(value) ? value[key] : undefined, value);

function writeQuery({ constants, query, spreads }: Plan, args: readonly unknown[], codecs: readonly Codec[]): string {
  const parts: string[] = [];
  const append = (name: string, value: unknown) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item != null) parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(writeItem(item, codecs))}`);
    }
  };
  for (const [name, value] of constants) append(name, value);
  for (const { argument, entries } of spreads) {
    for (const [name, item] of entries(args[argument])) append(name, item);
  }
  // The last one counts, should a map have an entry of the same name.
  for (const { name, argument, path, followed } of query) if (!followed) append(name, pick(args[argument], path));
  return parts.join("&");
}

/** A value as the text that stands for it: JSON where it has parts. */
const writeItem = (item: unknown, codecs: readonly Codec[]): string =>
  isRecord(item) || Array.isArray(item)
    // JSON is always among them, and always text.
    ? String(findCodec(codecs, "application/json")?.encode(item, { kind: ANY }))
    : writeScalar(item);

function writeBody(
  plan: BodyPlan,
  codecs: readonly Codec[],
  args: readonly unknown[],
  stream: WriteStream | undefined,
): Described | undefined {
  const { shape, names, contentType, tagged, kind, arguments: indexes } = plan;
  const values = indexes.map((index) => args[index]);
  const [value] = values;
  if ((shape === "stream" || shape === "value") && value === undefined) return undefined;
  if (shape === "stream") {
    // A Blob brings a type of its own where the tag has none to say.
    const type = !tagged && value instanceof Blob && value.type || contentType;
    // The definition's types allow a stream, a Blob, bytes or text here.
    return { body: stream ? stream(value, plan) : value as BodyInit, headers: { "content-type": type } };
  }
  const whole = shape === "value"
    ? value
    : shape === "list"
    ? values
    : Object.fromEntries(names.map((name, index) => [name, values[index]]));
  const codec = findCodec(codecs, contentType);
  if (!codec) throw new TypeError(`Write the body: no codec for "${contentType}"`);
  return encodeWith(codec, { "content-type": contentType }, whole, { kind });
}
