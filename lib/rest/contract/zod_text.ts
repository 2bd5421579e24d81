/** Schemas of an OpenAPI document as the text of zod's. */
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";
import { literalKey } from "../surfaces/property_name.ts";
import { componentOf, type Discriminator, mergeConstants, readDiscriminator } from "./union_members.ts";

/** Formats that zod checks. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: "z.uuid()",
  email: "z.email()",
  uri: "z.url()",
  url: "z.url()",
  ipv4: "z.ipv4()",
  ipv6: "z.ipv6()",
  date: "z.iso.date()",
  time: "z.iso.time()",
  duration: "z.iso.duration()",
};

/** Names that `api.ts` imports or declares, so that no schema may have them. */
export const TAKEN: readonly string[] = [
  "api",
  "bytes",
  "chan",
  "definition",
  "int64",
  "rest",
  "stream",
  "time",
  "uint64",
  "z",
];

/** The schema that stands for bytes within others. */
export const BYTES = "z.instanceof(Uint8Array)";

/** A schema that may be made optional: markers have no methods. */
export function asSchema(text: string): string {
  if (text === "bytes") return BYTES;
  return text === "int64" || text === "uint64" ? "z.bigint()" : text === "time" ? "z.date()" : text;
}

/** A reference to a schema with a name. */
const COMPONENT = /^#\/components\/schemas\/[^/]+$/;

/** Writes schemas; those with a name are declared once, in front of what uses them. */
export class ZodText {
  /** Whether what is written now may have files within: the body of a form with parts. */
  takesFiles = false;
  /** Declarations, in the order of the module. */
  readonly declarations: string[] = [];
  readonly #schemas: Readonly<Record<string, unknown>>;
  readonly #resolve: (reference: JSONSchema) => JSONSchema;
  readonly #names = new Map<string, string>();
  readonly #declared = new Set<string>();
  /** The texts of declared schemas, by their names in the module. */
  readonly #texts = new Map<string, string>();
  /** Named schemas that are being written: a reference to one of them has to wait until it is called. */
  readonly #open = new Set<string>();

  /** @param resolve Finds what a reference to no named schema stands for; throws where that is nothing */
  constructor(schemas: Readonly<Record<string, unknown>>, resolve: (reference: JSONSchema) => JSONSchema) {
    this.#schemas = schemas;
    this.#resolve = resolve;
    const taken = new Set(TAKEN);
    for (const name of Object.keys(schemas)) this.#names.set(name, freeName(name, taken));
  }

  /** The text of a schema. */
  write(json: unknown): string {
    if (!isObject(json)) return json === false ? "z.never()" : "z.unknown()";
    const text = this.#plain(json);
    return json.nullable === true ? `${text}.nullable()` : text;
  }

  /** Whether a text that was written is a schema without a type: it takes any value, or none. */
  isUntyped(text: string): boolean {
    let found = text;
    for (let i = 0; i < 16 && this.#texts.has(found); i++) found = this.#texts.get(found) ?? found;
    return /^z\.(?:unknown|never)\(\)(?:\.nullable\(\))*$/.test(found);
  }

  #plain(json: JSONSchema): string {
    if (typeof json.$ref === "string") return this.#reference(json.$ref);
    if ("const" in json) return literalSchema([json.const]);
    if (Array.isArray(json.enum)) return literalSchema(json.enum);
    if (Array.isArray(json.allOf) && json.allOf.length > 0) return this.#intersection(json, json.allOf);
    const choices = json.anyOf ?? json.oneOf;
    if (Array.isArray(choices) && choices.length > 0) {
      return this.#union(choices, readDiscriminator(json.discriminator));
    }
    if (Array.isArray(json.type)) return this.#union(json.type.map((type) => ({ ...json, type })));
    switch (json.type) {
      case "null":
        return "z.null()";
      case "boolean":
        return "z.boolean()";
      case "integer":
        return /^u?int64$/.test(String(json.format))
          ? "z.bigint()"
          : addBounds("z.int()", numberBounds(json), NUMBER_BOUNDS);
      case "number":
        return addBounds("z.number()", numberBounds(json), NUMBER_BOUNDS);
      case "string":
        return this.takesFiles && json.format === "binary" ? "z.file()" : textSchema(json);
      case "array":
        return this.#list(json);
      case "object":
        return this.#struct(json);
      default:
        return isObject(json.properties) ? this.#struct(json) : "z.unknown()";
    }
  }

  #reference(ref: string): string {
    const key = componentOf(ref);
    const name = COMPONENT.test(ref) ? this.#names.get(key) : undefined;
    if (name === undefined) return this.#writeUnnamed(ref);
    if (this.#open.has(key)) return `z.lazy(() => ${name})`;
    if (!this.#declared.has(key)) this.#declare(key, name);
    return name;
  }

  /** Writes a part of the document that has no name of its own; one that contains itself takes anything there. */
  #writeUnnamed($ref: string): string {
    if (this.#open.has($ref)) return "z.unknown()";
    this.#open.add($ref);
    const text = this.write(this.#resolve({ $ref }));
    this.#open.delete($ref);
    return text;
  }

  #declare(key: string, name: string): void {
    this.#open.add(key);
    const written = this.write(this.#schemas[key]);
    this.#open.delete(key);
    this.#declared.add(key);
    this.#texts.set(name, written);
    const type = written.includes("z.lazy(") ? ": z.ZodType" : "";
    this.declarations.push(`export const ${name}${type} = ${written};`);
  }

  #union(choices: readonly unknown[], discriminator?: Discriminator): string {
    // Each once: of a component that is named again and again, the text can be long.
    const keyOf = (one: unknown) => isObject(one) && one.nullable !== true && one.$ref || one;
    const members = new Map(mergeConstants(choices).map((one) => [keyOf(one), one]));
    const texts = [...new Set([...members.values()].map((one) => this.#member(one, discriminator)))];
    const rest = texts.filter((one) => one !== "z.null()");
    const union = rest.length === 1 ? rest[0] : `z.union([${rest.join(", ")}])`;
    if (rest.length === 0) return "z.null()";
    return rest.length < texts.length ? `${union}.nullable()` : union;
  }

  /** A member of a union, of a struct with the values of the field that tells it apart where its own schema does not say them. */
  #member(json: unknown, discriminator: Discriminator | undefined): string {
    const text = this.write(json);
    if (discriminator === undefined || !isObject(json) || typeof json.$ref !== "string") return text;
    const key = componentOf(json.$ref);
    const values = discriminator.valuesOf(key);
    const struct = this.#texts.get(text) ?? "";
    // A schema that names itself has a type that tells nothing of its fields, and others have none to replace, as a struct that may be null.
    const isStruct = /^z\.(?:strictObject|object)\((?!.*z\.lazy\()/.test(struct) && !struct.endsWith(".nullable()");
    if (values.length === 0 || !isStruct) return text;
    const { properties } = this.#schemas[key] as JSONSchema;
    const field = isObject(properties) ? properties[discriminator.field] : undefined;
    if (isObject(field) && ("const" in field || Array.isArray(field.enum))) return text;
    return `${text}.extend({ ${literalKey(discriminator.field)}: ${literalSchema(values)} })`;
  }

  #intersection({ allOf: _, ...own }: JSONSchema, parts: readonly unknown[]): string {
    const all = isObject(own.properties) ? [...parts, { ...own, type: "object" }] : parts;
    return all.map((part) => this.write(part)).reduce((left, right) => `z.intersection(${left}, ${right})`);
  }

  #list(json: JSONSchema): string {
    if (Array.isArray(json.prefixItems)) {
      return `z.tuple([${json.prefixItems.map((item) => this.write(item)).join(", ")}])`;
    }
    return addBounds(`z.array(${this.write(json.items)})`, json, [["minItems", "min"], ["maxItems", "max"]]);
  }

  #struct(json: JSONSchema): string {
    const required = Array.isArray(json.required) ? json.required : [];
    const fields = Object.entries(isObject(json.properties) ? json.properties : {});
    const open = json.additionalProperties;
    if (fields.length === 0) return `z.record(z.string(), ${isObject(open) ? this.write(open) : "z.unknown()"})`;
    const lines = fields.map(([name, inner]) => {
      const written = this.write(inner);
      const whole = required.includes(name) ? written : `${written}.optional()`;
      // The compiler infers the type of what names itself from a getter alone.
      return LAZY.test(written)
        ? `get ${literalKey(name)}() { return ${whole.replace(LAZY, "$1$2")}; }`
        : `${literalKey(name)}: ${whole}`;
    });
    const struct = `z.object({ ${lines.join(", ")} })`;
    return open === false
      ? struct.replace(/^z\.object/, "z.strictObject")
      : isObject(open)
      ? `${struct}.catchall(${this.write(open)})`
      : struct;
  }
}

/** A reference to a schema that is being written, alone or as the item of lists. */
const LAZY = /^((?:z\.array\()*)z\.lazy\(\(\) => (\w+)\)/;

const NUMBER_BOUNDS: readonly [string, string][] = [
  ["minimum", "min"],
  ["maximum", "max"],
  ["exclusiveMinimum", "gt"],
  ["exclusiveMaximum", "lt"],
  ["multipleOf", "multipleOf"],
];

/** The bounds of a number. In OpenAPI 3.0 a boolean says that the bound beside it is exclusive (its Schema Object). */
function numberBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...json }: JSONSchema): JSONSchema {
  return {
    ...json,
    ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum, exclusiveMinimum }),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum, exclusiveMaximum }),
  };
}

function addBounds(written: string, json: JSONSchema, names: readonly (readonly [string, string])[]): string {
  return names.reduce((text, [key, method]) => {
    const value = json[key];
    const isOwn = typeof value === "number" && Number.isFinite(value) && !/^-?9007199254740991$/.test(String(value));
    return isOwn ? `${text}.${method}(${value})` : text;
  }, written);
}

function textSchema(json: JSONSchema): string {
  if (json.format === "date-time") return "z.date()";
  if (json.contentEncoding === "base64" || json.format === "byte") return BYTES;
  const known = typeof json.format === "string" ? FORMATS[json.format] : undefined;
  if (known !== undefined) return known;
  const bounded = addBounds("z.string()", json, [["minLength", "min"], ["maxLength", "max"]]);
  const { pattern } = json;
  const flags = typeof pattern === "string" ? flagsOf(pattern) : undefined;
  if (flags === undefined) return bounded;
  const given = [pattern, ...(flags === "" ? [] : [flags])].map((part) => JSON.stringify(part));
  return `${bounded}.regex(new RegExp(${given.join(", ")}))`;
}

/**
 * Returns the flags that a pattern needs: `u` for what JavaScript reads otherwise without it. Undefined for a pattern that JavaScript does not
 * know: documents bring those of other languages.
 */
function flagsOf(pattern: string): string | undefined {
  const isUnicode = UNICODE.test(pattern);
  return [isUnicode ? "u" : "", isUnicode ? "" : "u"].find((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

/** A property or code point in braces behind an odd number of backslashes, or a character of two units. */
const UNICODE = /(?<!\\)(?:\\\\)*\\[pPu]\{|[\u{10000}-\u{10FFFF}]/u;

function literalSchema(values: readonly unknown[]): string {
  const known = values.filter((value) => value === null || /^(?:string|number|boolean)$/.test(typeof value));
  if (known.length === 0) return "z.unknown()";
  if (known.length > 1 && known.every((value) => typeof value === "string")) return `z.enum(${JSON.stringify(known)})`;
  return `z.literal(${JSON.stringify(known.length === 1 ? known[0] : known)})`;
}

/**
 * A name that is an identifier of JavaScript and that nothing else has; it is taken then. An API refuses names that every object has, and `then`,
 * with which the module itself would be awaited.
 */
export function freeName(wanted: string, taken: Set<string>): string {
  const clean = wanted.replaceAll(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d|$)/, "_");
  const isOdd = RESERVED.test(clean) || clean === "then" || clean in Object.prototype;
  let name = isOdd ? `${clean}_` : clean;
  for (let n = 2; taken.has(name); n++) name = `${clean}${n}`;
  taken.add(name);
  return name;
}

const RESERVED =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|Uint8Array|RegExp)$/;
