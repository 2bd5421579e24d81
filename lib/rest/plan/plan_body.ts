import { ANY, isNullable, isScalar, type Kind, markerOf } from "./kind.ts";
import { streamedBody } from "./marker.ts";
import type { ArgumentPlan, BodyPlan, ResultPlan } from "./plan_types.ts";
import type { Schema } from "./schema.ts";
import type { Tag } from "../tag/tag.ts";

/** The content type a kind has when nothing says one. */
export const defaultType = (kind: Kind): string =>
  // A mixture of scalars as bare text could not be read back, nor could null.
  isScalar(kind) && !isNullable(kind) && !/^(text|choice)$/.test(kind.type) ? "text/plain" : "application/json";

/** The values that stand in the body: those whose rule names no header. Nothing but a header's rule has a colon. */
export const inBody = <T>(rules: readonly string[], values: readonly T[]): T[] =>
  values.filter((_, at) => !/:/.test(rules[at]));

/** Plans the body of the arguments that are placed nowhere else. */
export function planBody(
  tag: Tag,
  all: readonly ArgumentPlan[],
  rest: readonly number[],
  kindOf: (schema: Schema) => Kind,
): BodyPlan | undefined {
  if (!rest.length) return undefined;
  const schemas = rest.map((index) => all[index].schema);
  const whole = planWhole(schemas, rest.map((index) => all[index].kind), tag.argumentRules, tag.contentType, kindOf);
  // A channel is a stream of lines.
  return { ...whole, shape: whole.shape.replace("channel", "stream") as BodyPlan["shape"], arguments: rest };
}

/** Plans the response. */
export function planResult(
  { contentType, resultRules }: Tag,
  results: readonly Schema[],
  hasBody: boolean,
  kindOf: (schema: Schema) => Kind,
): ResultPlan {
  const values = results.filter((schema, at) => at < results.length - 1 || markerOf(schema) !== "error");
  const schemas = inBody(resultRules, values);
  // The tag's type is that of the body, if there is one; JSON it says of both.
  const given = !hasBody || isJSON(contentType) ? contentType : undefined;
  const kinds = schemas.map(kindOf);
  return {
    ...planWhole(schemas, kinds, resultRules, given, kindOf, hasBody),
    ...schemas.length ? undefined : { shape: "none", contentType: "text/plain" },
    schemas,
    kinds,
    fallible: values.length < results.length,
  };
}

/** Plans a body of values: a stream or channel, an object where they have names, else a list; one alone stays as it is. */
function planWhole(
  schemas: readonly Schema[],
  kinds: readonly Kind[],
  rules: readonly string[],
  given: string | undefined,
  kindOf: (schema: Schema) => Kind,
  hasOther?: boolean,
): Pick<ResultPlan, "names" | "item" | "tagged" | "kind" | "contentType"> & {
  readonly shape: "stream" | "channel" | "fields" | "value" | "list";
} {
  // `*` is the body itself.
  const names = rules.filter((rule) => !/[:*]/.test(rule));
  const { shape, contentType, item } = streamedBody(schemas[0]);
  // Rules without a value of their own are a problem that the check tells.
  const fields = names.map((name, index) => [name, { kind: kinds[index] ?? { type: "null" } }] as const);
  const kind: Kind = item
    ? kindOf(item)
    : names.length
    ? { type: "struct", fields: new Map(fields) }
    : kinds.length > 1
    ? { type: "list", item: ANY, items: [...kinds] }
    : kinds[0] ?? { type: "null" };
  return {
    names,
    item,
    kind,
    tagged: !!given,
    // A stream with a name is a part of a form.
    shape: item ? "channel" : names.length ? "fields" : shape ?? (kinds.length > 1 ? "list" : "value"),
    contentType: (shape === "stream" && hasOther ? undefined : given) || (contentType ?? defaultType(kind)),
  };
}

/** Whether a content type is JSON, or one of its dialects. */
export const isJSON = (type: string | undefined): boolean => /^(application\/|.*\+)json\s*(;|$)/i.test(type ?? "");
