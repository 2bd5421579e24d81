/** Values made up to fit a schema. */
import { revive } from "../codecs/json.ts";
import { jsonSchemaOf, knownKind } from "../plan/exact_kinds.ts";
import { type ChannelMarker, type MARKER, markerIs } from "../plan/marker.ts";
import { describeIssues, type Schema } from "../plan/schema.ts";
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";
import { patternText, readPattern } from "../surfaces/page/pattern_text.ts";

/** A source of numbers from 0 to 1, without 1. */
export type Random = () => number;

/** Objects within objects beyond this depth have their required fields only, and lists no items. */
const DEPTH = 4;
/** Values that are tried before a schema that refuses them all is given up. */
const TRIES = 50;

/** Returns numbers that a seed decides (mulberry32), so that a failure can be shown again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Makes up a value that a schema accepts.
 *
 * @param canStand Whether a value can stand where it is to
 * @throws {RangeError} if the schema refuses everything that its JSON Schema suggests
 */
export async function sampleValue(
  schema: Schema,
  random: Random,
  canStand: (value: unknown) => boolean = () => true,
): Promise<unknown> {
  const json = jsonSchemaOf(schema) ?? {};
  const kind = knownKind(schema);
  let why = "none can stand there";
  for (let i = 0; i < TRIES; i++) {
    const value = revive(new Maker(json, random).make(json, 0), kind);
    const { issues } = await schema["~standard"].validate(value);
    if (issues === undefined && canStand(value)) return value;
    if (issues) why = describeIssues(issues);
  }
  throw new RangeError(
    `Make up a value: the schema refuses all that its JSON Schema suggests: ${why} (examples in its metadata are taken first)`,
  );
}

/** Makes values of the parts of one JSON Schema. */
class Maker {
  readonly #root: JSONSchema;
  readonly #random: Random;

  constructor(root: JSONSchema, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  make(json: unknown, depth: number): unknown {
    if (!isObject(json)) return this.#text({});
    if (typeof json.$ref === "string") return this.make(this.#resolve(json.$ref), depth + 1);
    if ("const" in json) return json.const;
    for (const list of [json.enum, json.examples]) if (Array.isArray(list) && list.length > 0) return this.#pick(list);
    if (Array.isArray(json.allOf)) return this.#join([...json.allOf, { ...json, allOf: undefined }], depth);
    const choices = json.anyOf ?? json.oneOf;
    if (Array.isArray(choices) && choices.length > 0) return this.make(this.#pick(choices), depth);
    return this.#ofType(Array.isArray(json.type) ? this.#pick(json.type) : json.type, json, depth);
  }

  #ofType(type: unknown, json: JSONSchema, depth: number): unknown {
    // The marker of a nested value, which its library's JSON Schema cannot say.
    const marked = json["x-gantry-kind"];
    if (marked === "time") return this.#date().toISOString();
    if (marked === "bytes") return btoa(this.#text({}));
    switch (marked === undefined ? type : "integer") {
      case "null":
        return null;
      case "boolean":
        return this.#random() < 0.5;
      case "integer":
        return Math.round(this.#number(json, 1));
      case "number":
        return this.#number(json, 0);
      case "array":
        return this.#list(json, depth);
      case "string":
        if (json.format === "binary") {
          return new File(["made up"], "made up", { type: String(json.contentMediaType ?? "") });
        }
        return this.#text(json);
      default:
        return isObject(json.properties) || type === "object"
          ? this.#struct(json, depth)
          // A part of a text says its pattern, and not that it is one.
          : this.#text("pattern" in json ? json : {});
    }
  }

  #struct(json: JSONSchema, depth: number): Record<string, unknown> {
    const required = Array.isArray(json.required) ? json.required : [];
    const fields = Object.entries(isObject(json.properties) ? json.properties : {}).filter(([name]) =>
      required.includes(name) || (depth < DEPTH && this.#random() < 0.5)
    );
    const made = Object.fromEntries(fields.map(([name, inner]) => [name, this.make(inner, depth + 1)]));
    if (fields.length === 0 && isObject(json.additionalProperties) && depth < DEPTH) {
      for (const name of this.#names(json.propertyNames)) made[name] = this.make(json.additionalProperties, depth + 1);
    }
    return made;
  }

  /** The names in a map: every one where the schema lists them, as some libraries want them all, else one. */
  #names(names: unknown): string[] {
    const { enum: listed } = isObject(names) ? names : {};
    if (Array.isArray(listed)) return listed.map(String);
    return [this.#text({ ...isObject(names) ? names : {}, minLength: 1 })];
  }

  #list({ minItems, maxItems, items, prefixItems }: JSONSchema, depth: number): unknown[] {
    const first = Array.isArray(prefixItems) ? prefixItems.map((item) => this.make(item, depth + 1)) : [];
    const least = Math.max(0, numberOr(minItems, 0) - first.length);
    const most = items === false || (items === undefined && first.length > 0) || depth >= DEPTH ? least : least + 3;
    const count = Math.min(this.#integer(least, most), numberOr(maxItems, Infinity) - first.length);
    return [...first, ...Array.from({ length: Math.max(0, count) }, () => this.make(items, depth + 1))];
  }

  #number(
    { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format }: JSONSchema,
    step: 0 | 1,
  ): number {
    const low = Math.max(
      numberOr(minimum, -Infinity),
      numberOr(exclusiveMinimum, -Infinity) + (step || Number.EPSILON),
    );
    const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - (step || Number.EPSILON));
    const from = Number.isFinite(low) && low > Number.MIN_SAFE_INTEGER
      ? low
      : Math.min(0, high) - (format === "uint64" ? 0 : 9);
    const to = Number.isFinite(high) && high < Number.MAX_SAFE_INTEGER ? high : Math.max(from, 0) + 100;
    const value = step === 1 ? this.#integer(Math.ceil(from), Math.floor(to)) : from + this.#random() * (to - from);
    return typeof multipleOf === "number" ? Math.ceil(value / multipleOf) * multipleOf : value;
  }

  #text({ format, minLength, maxLength, contentEncoding, pattern }: JSONSchema): string {
    if (contentEncoding === "base64") return btoa("made up");
    const made = FORMATS[String(format)]?.(this.#date(), this.#integer(1, 999_999));
    const expression = typeof pattern === "string" ? readPattern(pattern) : undefined;
    if (made !== undefined && expression?.test(made) !== false) return made;
    const fitting = expression ? this.#fitting(expression) : undefined;
    if (fitting !== undefined) return fitting;
    const least = Math.max(numberOr(minLength, 1), 0);
    const length = this.#integer(least, Math.min(numberOr(maxLength, least + 12), least + 12));
    // Letters that a careless reader of a URL or of JSON would take for something else are among them.
    return Array.from({ length }, () => this.#pick([..."abcdefgXYZ019-_ é+&=%ü"])).join("").replace(/^\s|\s$/g, "a");
  }

  /** A text that a pattern fits: its own words, a number or a text of a known format where one does, else one that is made of its parts. */
  #fitting(expression: RegExp): string | undefined {
    const { source } = expression;
    const words = source.replace(/^\^|\$$/g, "").replace(/^\.\*|\.\*$/g, "").replace(/\\([^a-z0-9])/gi, "$1");
    const candidates = ["1", words, ...Object.values(FORMATS).map((make) => make(this.#date(), this.#integer(1, 999)))];
    return candidates.find((text) => expression.test(text)) ??
      patternText(expression, (low, high) => this.#integer(low, high));
  }

  #join(parts: unknown[], depth: number): unknown {
    const values = parts.map((part) => this.make(part, depth));
    if (values.every(isObject)) return Object.assign({}, ...values);
    const texts = values.filter((_, index) => isObject(parts[index]) && "pattern" in parts[index]);
    // Of the patterns of one text each may be of one end of it.
    return texts.length > 1 ? this.#pick([values[0], texts.join("")]) : values[0];
  }

  #resolve(ref: string): unknown {
    return ref.split("/").slice(1).reduce<unknown>(
      (within, part) => isObject(within) ? within[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
      this.#root,
    );
  }

  #date(): Date {
    return new Date(Math.floor(this.#random() * 2e9) * 1000);
  }

  #integer(low: number, high: number): number {
    return low + Math.floor(this.#random() * (Math.max(low, high) - low + 1));
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)];
  }
}

/** Texts of the formats that libraries check. */
const FORMATS: Record<string, (date: Date, number: number) => string> = {
  "date-time": (date) => date.toISOString(),
  date: (date) => date.toISOString().slice(0, 10),
  time: (date) => date.toISOString().slice(11, 19),
  email: (_, number) => `user${number}@example.com`,
  uri: (_, number) => `https://example.com/${number}`,
  url: (_, number) => `https://example.com/${number}`,
  uuid: (_, number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  hostname: (_, number) => `host${number}.example.com`,
  ipv4: (_, number) => `192.0.2.${number % 256}`,
  ipv6: (_, number) => `2001:db8::${(number % 65536).toString(16)}`,
  duration: (_, number) => `P${number}D`,
  cidrv4: (_, number) => `192.0.2.${number % 256}/32`,
  cidrv6: (_, number) => `2001:db8::${(number % 65536).toString(16)}/128`,
  mac: (_, number) => `00:00:5E:00:53:${(number % 256).toString(16).padStart(2, "0").toUpperCase()}`,
  e164: (_, number) => `+1202555${String(number % 10_000).padStart(4, "0")}`,
  emoji: () => "🙂",
  nanoid: (_, number) => String(number).padStart(21, "n"),
  cuid: (_, number) => `c${String(number).padStart(24, "0")}`,
  ulid: (_, number) => String(number).padStart(26, "0"),
  ksuid: (_, number) => String(number).padStart(27, "0"),
  xid: (_, number) => String(number).padStart(20, "0"),
};

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

/** As many values of a channel as are asked for. */
export async function* sampleValues(channel: Schema, random: Random, values: number): AsyncGenerator<unknown> {
  const { item } = markerIs<ChannelMarker<Schema> & { readonly [MARKER]: "chan" }>(channel, "chan")!;
  for (let i = 0; i < values; i++) yield await sampleValue(item, random);
}

/** Whether a value can stand in a header: text of visible ASCII, or no text at all. */
export function canStandInHeader(value: unknown): boolean {
  return typeof value !== "string" || /^[!-~]+(?: [!-~]+)*$/.test(value);
}

/** Whether a client can send a value in a path: text that is not empty, no dot segment, and in a remainder without what ends or escapes it. */
export function canStandInPath(value: unknown, remainder: boolean): boolean {
  if (typeof value !== "string") return true;
  return value !== "" && !(remainder ? /(^|\/)\.\.?(\/|$)|[?#%\\]/ : /^\.\.?$/).test(value);
}
