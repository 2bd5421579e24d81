import { isObject } from "../components.ts";
import type { JSONSchema } from "../openapi_types.ts";
import { patternText, readPattern } from "./pattern_text.ts";
import { mergeParts, resolveSchema, type Schemas, type Variant, variantsOf } from "./variants.ts";

const MAX_DEPTH = 6;

/** A sample to begin with in a form. */
export interface NamedSample {
  /** The possibility of a union that it shows; empty where there is one sample only. */
  readonly name: string;
  readonly value: unknown;
}

/** Changes the sample of a value that is neither list nor struct. */
export type SampleLeaf = (json: JSONSchema, sample: unknown) => unknown;

/** Makes up a value that fits a schema, to begin with in a form: what is required, or everything of a small struct. */
export function sampleOf(json: unknown, schemas: Schemas, leaf?: SampleLeaf): unknown {
  return new Sampler(schemas, leaf).sample(json);
}

/** Makes up a value for each possibility of the first union within a schema; one value where there is no union. */
export function samplesOf(json: unknown, schemas: Schemas): NamedSample[] {
  const first = new Sampler(schemas);
  const value = first.sample(json);
  const { variants = [] } = first;
  if (variants.length < 2) return [{ name: "", value }];
  return variants.map(({ name, tag }, index) => ({
    name: name ?? (tag === undefined ? `possibility ${index + 1}` : String(tag[1])),
    value: index === 0 ? value : new Sampler(schemas, undefined, index).sample(json),
  }));
}

class Sampler {
  readonly #schemas: Schemas;
  readonly #leaf: SampleLeaf;
  readonly #choice: number;
  /** The possibilities of the first union that was met. */
  variants: readonly Variant[] | undefined;

  /** `choice` is the possibility of the first union to show: of others it is the first one. */
  constructor(schemas: Schemas, leaf: SampleLeaf = (_json, sample) => sample, choice = 0) {
    this.#schemas = schemas;
    this.#leaf = leaf;
    this.#choice = choice;
  }

  sample(schema: unknown, depth = 0): unknown {
    if (!isObject(schema) || depth > MAX_DEPTH) return null;
    const json = mergeParts(resolveSchema(schema, this.#schemas), this.#schemas);
    const inner = (part: unknown) => this.sample(part, depth + 1);
    for (const given of [json.default, json.const]) if (given !== undefined) return this.#leaf(json, given);
    for (const list of [json.examples, json.enum]) if (Array.isArray(list)) return this.#leaf(json, list[0]);
    const variants = variantsOf(json, this.#schemas);
    if (variants !== undefined) {
      const index = this.variants === undefined ? this.#choice : 0;
      this.variants ??= variants;
      return inner(variants[index]?.json);
    }
    for (const list of [json.anyOf, json.oneOf, json.allOf]) if (Array.isArray(list)) return inner(list[0]);
    const type = Array.isArray(json.type) ? json.type.find((one) => one !== "null") : json.type;
    switch (type) {
      case "string":
        return this.#leaf(json, sampleText(json));
      case "boolean":
        return this.#leaf(json, false);
      case "integer":
      case "number":
        return this.#leaf(json, sampleNumber(json, type));
      case "array":
        return Array.isArray(json.prefixItems) ? json.prefixItems.map(inner) : depth < 2 ? [inner(json.items)] : [];
      case "object":
        return sampleStruct(json, inner);
      default:
        return isObject(json.properties) ? sampleStruct(json, inner) : null;
    }
  }
}

/** The number nearest to zero that its bounds allow, as far as these say. */
function sampleNumber(
  { minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JSONSchema,
  type: "integer" | "number",
): number {
  // Halfway to the next whole number there is one with few digits.
  const step = type === "integer" ? 1 : 0.5;
  const low = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity) + step);
  const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - step);
  return Math.max(low, Math.min(high, 0));
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

/** A text of more is nothing to begin with. */
const MAX_TEXT = 64;

function sampleText({ format, contentEncoding, pattern, minLength, maxLength }: JSONSchema): string {
  if (contentEncoding === "base64") return "aGVsbG8=";
  const [least, most] = [numberOr(minLength, 0), numberOr(maxLength, Infinity)];
  const length = Math.min(Math.max(4, least), most, MAX_TEXT);
  const usual = formatText(format) ?? "text".repeat(MAX_TEXT / 4).slice(0, length);
  const expression = typeof pattern === "string" ? readPattern(pattern) : undefined;
  if (!expression || expression.test(usual)) return usual;
  // As few and as low as the pattern allows, or as many and as high.
  const made = [(low: number) => low, (_: number, high: number) => high].map((pick) => patternText(expression, pick));
  return made.find((text) => text !== undefined && text.length >= least && text.length <= most) ?? made[0] ?? usual;
}

/** The text of a format. */
function formatText(format: unknown): string | undefined {
  switch (format) {
    case "date-time":
      return "2026-01-31T12:00:00Z";
    case "date":
      return "2026-01-31";
    case "uuid":
      return "00000000-0000-4000-8000-000000000000";
    case "email":
      return "ann@example.com";
    case "uri":
      return "https://example.com/";
  }
}

/** A struct with more optional fields than these begins with the required ones only. */
const FEW = 8;

function sampleStruct(json: JSONSchema, inner: (part: unknown) => unknown): Record<string, unknown> {
  const fields = Object.entries(isObject(json.properties) ? json.properties : {});
  const required = Array.isArray(json.required) ? json.required : [];
  const shown = fields.length <= FEW ? fields : fields.filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, inner(property)]));
}
