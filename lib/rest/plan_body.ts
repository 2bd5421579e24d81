import { isScalar, type Kind, knownKind, needsReplacer, needsRevival } from "./kind.ts";
import { type ChannelMarker, markerIs, type StreamMarker } from "./marker.ts";
import type { ArgumentPlan, BodyPlan, ResultPlan } from "./plan_types.ts";
import type { Schema } from "./schema.ts";
import type { Tag } from "./tag.ts";

const JSON_TYPE = "application/json";

/** The content type a kind has when nothing says one. */
export function defaultType(kind: Kind): string {
  // A mixture of scalars as bare text could not be read back.
  return isScalar(kind) && kind.type !== "text" && kind.type !== "choice" ? "text/plain" : JSON_TYPE;
}

/** Plans the body of the arguments that are placed nowhere else. */
export function planBody(
  { contentType, argumentRules: names }: Tag,
  all: readonly ArgumentPlan[],
  rest: readonly number[],
): BodyPlan | undefined {
  if (rest.length === 0) return undefined;
  const kinds = rest.map((index) => all[index].kind);
  const streamed = markerIs<StreamMarker>(all[rest[0]].schema, "stream");
  const shape = streamed ? "stream" : shapeOf(names, rest);
  const kind = combine(shape, kinds, names);
  return {
    shape,
    arguments: rest,
    names,
    contentType: contentType ?? (streamed ? typeOf(streamed) : defaultType(kind)),
    tagged: contentType !== undefined,
    kind,
    revive: needsRevival(kind),
  };
}

const typeOf = (marker: StreamMarker) => marker.type ?? "application/octet-stream";

const shapeOf = (names: readonly string[], values: readonly unknown[]) =>
  names.length > 0 ? "fields" : values.length === 1 ? "value" : "list";

function combine(shape: string, kinds: readonly Kind[], names: readonly string[]): Kind {
  if (shape === "list") return { type: "list", item: { type: "any" }, items: [...kinds] };
  if (shape !== "fields") return kinds[0];
  return {
    type: "struct",
    // Rules without a value of their own are a problem that the check tells.
    fields: new Map(names.map((name, index) => [name, { kind: kinds[index] ?? { type: "null" }, alias: undefined }])),
  };
}

/** Plans the response. */
export function planResult(tag: Tag, results: readonly Schema[], hasBody: boolean): ResultPlan {
  const fallible = results.length > 0 && markerIs(results[results.length - 1], "error") !== undefined;
  const schemas = fallible ? results.slice(0, -1) : results;
  const names = tag.resultRules;
  const [first] = schemas;
  // The tag's type is that of the body, if there is one; JSON it says of both.
  const tagged = !hasBody || isJSON(tag.contentType) ? tag.contentType : undefined;
  const base = { schemas, names, fallible, tagged: tagged !== undefined };
  const streamed = first && markerIs<StreamMarker>(first, "stream");
  const channel = first && markerIs<ChannelMarker<Schema>>(first, "chan");
  if (streamed) {
    const contentType = (hasBody ? undefined : tagged) ?? typeOf(streamed);
    return { ...base, shape: "stream", contentType, ...forms({ type: "stream" }), item: undefined };
  }
  if (channel) {
    const { item } = channel;
    return {
      ...base,
      shape: "channel",
      contentType: tagged ?? "application/x-ndjson",
      ...forms(knownKind(item)),
      item,
    };
  }
  const shape = first ? shapeOf(names, schemas) : "none";
  const kind: Kind = first ? combine(shape, schemas.map(knownKind), names) : { type: "null" };
  const contentType = first ? tagged ?? defaultType(kind) : "text/plain";
  return { ...base, shape, contentType, ...forms(kind), item: undefined };
}

const forms = (kind: Kind) => ({ kind, revive: needsRevival(kind), replace: needsReplacer(kind) });

/** Whether a content type is JSON, or one of its dialects. */
export function isJSON(type: string | undefined): boolean {
  return type !== undefined && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);
}
