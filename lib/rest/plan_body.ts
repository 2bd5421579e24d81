import { isScalar, type Kind, kindOf, needsReplacer, needsRevival } from "./kind.ts";
import { type ChannelMarker, markerIs, type StreamMarker } from "./marker.ts";
import type { BodyPlan, ResultPlan } from "./plan_types.ts";
import type { Planning } from "./plan.ts";
import type { Schema } from "./schema.ts";

const TEXT = "text/plain";
const JSON_TYPE = "application/json";
const OCTETS = "application/octet-stream";

const MARKERS = "use int64, uint64, time or bytes, give it a type, or name a content type in the tag";

/** The content type a kind has when nothing says one; undefined when the kind cannot be told. */
export function defaultType(kind: Kind): string | undefined {
  if (kind.type === "any") return kind.unknown ? undefined : JSON_TYPE;
  // A mixture of scalars as bare text could not be read back.
  return isScalar(kind) && kind.type !== "text" && kind.type !== "choice" ? TEXT : JSON_TYPE;
}

/** Plans the body of the arguments that are placed nowhere else. */
export function planBody(planning: Planning, placed: ReadonlySet<number>): BodyPlan | undefined {
  const { tag, arguments: all } = planning;
  const rest = all.map((_, index) => index).filter((index) => !placed.has(index));
  const rules = tag.argumentRules;
  if (rules.length > 0 && rules.length !== rest.length) {
    planning.fail(
      `${rules.length} argument rules for ${rest.length} arguments that stand neither in path nor in query`,
      tag.columns.arguments,
    );
    return undefined;
  }
  for (const index of all.keys()) {
    if (all[index].kind.type !== "chan" && all[index].kind.type !== "error") continue;
    planning.fail(`argument ${index + 1} is a ${all[index].kind.type}, which only a result can be`, 1);
  }
  if (rest.length === 0) return undefined;
  if (tag.method === "GET" || tag.method === "HEAD") {
    planning.fail(`${tag.method} has no body: argument ${rest[0] + 1} stands neither in path nor in query`, 1);
    return undefined;
  }
  const streamed = rest.find((index) => all[index].kind.type === "stream");
  if (streamed !== undefined) {
    if (rest.length > 1) {
      planning.fail(
        `argument ${streamed + 1} is a stream and takes the whole body: others must stand in path or query`,
        1,
      );
    }
    const marker = markerIs<StreamMarker>(all[streamed].schema, "stream");
    return {
      shape: "stream",
      arguments: rest,
      names: [],
      contentType: tag.contentType ?? marker?.type ?? OCTETS,
      tagged: tag.contentType !== undefined,
      kind: all[streamed].kind,
      revive: false,
    };
  }
  const shape = rules.length > 0 ? "fields" : rest.length === 1 ? "value" : "list";
  const kinds = rest.map((index) => all[index].kind);
  const kind = combine(shape, kinds, rules);
  const contentType = tag.contentType ?? defaultType(kind);
  if (contentType === undefined) {
    planning.fail(`the kind of argument ${rest[0] + 1} cannot be told from its schema: ${MARKERS}`, 1);
    return undefined;
  }
  return {
    shape,
    arguments: rest,
    names: rules,
    contentType,
    tagged: tag.contentType !== undefined,
    kind,
    revive: needsRevival(kind),
  };
}

function combine(shape: "value" | "fields" | "list", kinds: readonly Kind[], names: readonly string[]): Kind {
  if (shape === "value") return kinds[0];
  if (shape === "list") return { type: "list", item: { type: "any" }, items: [...kinds] };
  return {
    type: "struct",
    // Rules without a value of their own are a problem that has been told already.
    fields: new Map(names.map((name, index) => [name, { kind: kinds[index] ?? { type: "null" }, alias: undefined }])),
  };
}

/** Plans the response. */
export function planResult(planning: Planning, hasBody: boolean): ResultPlan {
  const { tag, operation } = planning;
  const schemas = [...operation.results];
  const kinds = schemas.map((schema, index) => resultKind(planning, schema, index));
  const fallible = kinds.at(-1)?.type === "error";
  if (fallible) {
    schemas.pop();
    kinds.pop();
  }
  if (kinds.some((kind) => kind.type === "error")) planning.fail("only the last result can be error", 1);
  const rules = tag.resultRules;
  if (rules.length > 0 && rules.length !== schemas.length) {
    planning.fail(`${rules.length} result rules for ${schemas.length} results`, tag.columns.results);
  }
  const none = { type: "null" } as const;
  const base = { schemas, names: rules, fallible, item: undefined, revive: false, replace: false, tagged: false };
  if (schemas.length === 0) return { ...base, shape: "none", contentType: TEXT, kind: none };
  // The tag's type is that of the body, if there is one; JSON it says of both.
  const tagged = !hasBody || isJSON(tag.contentType) ? tag.contentType : undefined;
  const whole = kinds.findIndex((kind) => kind.type === "stream" || kind.type === "chan");
  if (whole >= 0) {
    if (schemas.length > 1) planning.fail(`result ${whole + 1} is a ${kinds[whole].type} and must be the only one`, 1);
    return planWhole(base, schemas[whole], kinds[whole], tagged, !hasBody);
  }
  const shape = rules.length > 0 ? "fields" : schemas.length === 1 ? "value" : "list";
  const kind = combine(shape, kinds, rules);
  const contentType = tagged ?? defaultType(kind);
  if (contentType === undefined) planning.fail(`the kind of result 1 cannot be told from its schema: ${MARKERS}`, 1);
  return {
    ...base,
    shape,
    contentType: contentType ?? JSON_TYPE,
    tagged: tagged !== undefined,
    kind,
    revive: needsRevival(kind),
    replace: needsReplacer(kind),
  };
}

function planWhole(
  base: Omit<ResultPlan, "shape" | "contentType" | "kind">,
  schema: Schema,
  kind: Kind,
  tagged: string | undefined,
  fromTag: boolean,
): ResultPlan {
  if (kind.type === "stream") {
    const own = markerIs<StreamMarker>(schema, "stream")?.type;
    return {
      ...base,
      shape: "stream",
      contentType: (fromTag ? tagged : undefined) ?? own ?? OCTETS,
      tagged: tagged !== undefined,
      kind,
    };
  }
  const item = markerIs<ChannelMarker<Schema>>(schema, "chan")?.item;
  const itemKind = item === undefined ? undefined : safeKind(item);
  return {
    ...base,
    shape: "channel",
    contentType: tagged ?? "application/x-ndjson",
    tagged: tagged !== undefined,
    kind: itemKind ?? { type: "any" },
    revive: itemKind !== undefined && needsRevival(itemKind),
    replace: itemKind === undefined || needsReplacer(itemKind),
    item,
  };
}

function safeKind(schema: Schema): Kind | undefined {
  try {
    return kindOf(schema);
  } catch {
    return undefined;
  }
}

function resultKind(planning: Planning, schema: Schema, index: number): Kind {
  try {
    return kindOf(schema);
  } catch (error) {
    planning.fail(`result ${index + 1} has no JSON Schema: ${error instanceof Error ? error.message : error}`, 1);
    return { type: "any" };
  }
}

/** Whether a content type is JSON, or one of its dialects. */
export function isJSON(type: string | undefined): boolean {
  return type !== undefined && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);
}
