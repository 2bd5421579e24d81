import { ANY, isNullable, isScalar, type Kind, knownKind } from "./kind.ts";
import { type ChannelMarker, markerIs, type StreamMarker } from "./marker.ts";
import type { ArgumentPlan, BodyPlan, ResultPlan } from "./plan_types.ts";
import type { Schema } from "./schema.ts";
import type { Tag } from "../tag/tag.ts";

/** The content type a kind has when nothing says one. */
export function defaultType(kind: Kind): string {
  // A mixture of scalars as bare text could not be read back, nor could null.
  return isScalar(kind) && !isNullable(kind) && !/^(text|choice)$/.test(kind.type) ? "text/plain" : "application/json";
}

/** The indexes of values that stand in the body: those whose rule names no header. Nothing but a header's rule has a colon. */
export function inBody(rules: readonly string[], indexes: readonly number[]): number[] {
  return indexes.filter((_, at) => !/:/.test(rules[at]));
}

/** The names of values in the body; `*` is the body itself. */
const namesOf = (rules: readonly string[]) => rules.filter((rule) => !/[:*]/.test(rule));

/** Plans the body of the arguments that are placed nowhere else. */
export function planBody(
  { contentType, argumentRules }: Tag,
  all: readonly ArgumentPlan[],
  rest: readonly number[],
): BodyPlan | undefined {
  if (!rest.length) return undefined;
  const names = namesOf(argumentRules);
  const { schema } = all[rest[0]];
  const { item } = markerIs<ChannelMarker<Schema>>(schema, "chan") ?? {};
  const streamed = item ? { type: LINES } : markerIs<StreamMarker>(schema, "stream");
  const whole = combine(rest.map((index) => all[index].kind), names);
  return {
    shape: streamed ? "stream" : whole.shape,
    kind: item ? knownKind(item) : whole.kind,
    item,
    arguments: rest,
    names,
    contentType: contentType ?? (streamed ? typeOf(streamed) : defaultType(whole.kind)),
    tagged: contentType !== undefined,
  };
}

/** The content type of a channel's values, each a line of JSON. */
const LINES = "application/x-ndjson";

const typeOf = (marker: Pick<StreamMarker, "type">) => marker.type ?? "application/octet-stream";

/** Combines the kinds of several values: an object where they have names, else a list; one alone stays as it is. */
function combine(kinds: Kind[], names: readonly string[]): { shape: "fields" | "value" | "list"; kind: Kind } {
  if (names.length > 0) {
    // Rules without a value of their own are a problem that the check tells.
    const fields = names.map((name, index) => [name, { kind: kinds[index] ?? { type: "null" } }] as const);
    return { shape: "fields", kind: { type: "struct", fields: new Map(fields) } };
  }
  if (kinds.length === 1) return { shape: "value", kind: kinds[0] };
  return { shape: "list", kind: { type: "list", item: ANY, items: kinds } };
}

/** Plans the response. */
export function planResult(tag: Tag, results: readonly Schema[], hasBody: boolean): ResultPlan {
  const fallible = results.length > 0 && markerIs(results[results.length - 1], "error") !== undefined;
  const values = fallible ? results.slice(0, -1) : results;
  const names = namesOf(tag.resultRules);
  const schemas = inBody(tag.resultRules, [...values.keys()]).map((index) => values[index]);
  const [first] = schemas;
  // The tag's type is that of the body, if there is one; JSON it says of both.
  const given = !hasBody || isJSON(tag.contentType) ? tag.contentType : undefined;
  const kinds = schemas.map(knownKind);
  const base = { schemas, kinds, names, fallible, tagged: given !== undefined, item: undefined };
  if (!first) return { ...base, shape: "none", contentType: "text/plain", kind: { type: "null" } };
  const streamed = markerIs<StreamMarker>(first, "stream");
  if (streamed) {
    return { ...base, shape: "stream", contentType: !hasBody && given || typeOf(streamed), kind: { type: "stream" } };
  }
  const { item } = markerIs<ChannelMarker<Schema>>(first, "chan") ?? {};
  if (item) {
    return { ...base, shape: "channel", contentType: given ?? LINES, kind: knownKind(item), item };
  }
  const whole = combine(kinds, names);
  return { ...base, ...whole, contentType: given ?? defaultType(whole.kind) };
}

/** Whether a content type is JSON, or one of its dialects. */
export function isJSON(type: string | undefined): boolean {
  return type !== undefined && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);
}
