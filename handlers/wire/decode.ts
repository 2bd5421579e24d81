import { endOfFirst } from "./first_value.ts";
import { shapeOf, zero } from "./zero.ts";
import type { Schema } from "./zero.ts";
import { z } from "./zod.ts";

/** A body that is not what the operation takes. The message names the place. */
export class DecodeError extends SyntaxError {
  override readonly name = "DecodeError";
}

/**
 * Reads a body as Go's `encoding/json` does: keys match in any case, unknown keys are ignored, null and a missing key
 * leave Go's zero value, numbers keep all 64 bits, and a body that is empty is an empty object.
 *
 * Throws {@linkcode DecodeError}.
 */
export function decode<S extends z.ZodType>(schema: S, body: string | Uint8Array): z.output<S> {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return accept(schema, parseJSON(text));
}

/** {@linkcode decode} for JSON that is parsed already. */
export function accept<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(walkerOf(schema)(value) ?? zero(schema) ?? undefined);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue.path.map(String).join(".");
  throw new DecodeError(`Decoding request body as JSON: ${place === "" ? "" : `"${place}": `}${issue.message}`);
}

function parseJSON(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseExactly(text);
  } catch (error) {
    // Go's decoder reads one value and leaves what follows, which some clients send.
    const end = endOfFirst(text);
    if (end !== undefined && end < text.length) return parseJSON(text.slice(0, end));
    const why = error instanceof Error ? error.message : String(error);
    throw new DecodeError(`Decoding request body as JSON: ${why}`);
  }
}

function parseExactly(text: string): unknown {
  // The reviver is several times slower, and long digit runs are rare.
  return /\d{16}/.test(text) ? JSON.parse(text, reviveExactly) : JSON.parse(text);
}

function reviveExactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return /^-?\d{1,20}$/.test(context?.source ?? "") ? BigInt(context?.source ?? "0") : value;
}

/** Walks no deeper than its schema: a body that nests without end costs nothing. */
type Walker = (value: unknown) => unknown;

const walkers = new WeakMap<Schema, Walker>();

function walkerOf(schema: Schema): Walker {
  let walker = walkers.get(schema);
  if (!walker) walkers.set(schema, walker = compileWalker(schema));
  return walker;
}

function compileWalker(schema: Schema): Walker {
  const { inner } = shapeOf(schema);
  if (inner instanceof z.ZodObject) return walkObject(inner);
  if (inner instanceof z.ZodArray) return walkList(inner);
  if (inner instanceof z.ZodRecord) return walkMap(inner);
  if (inner instanceof z.ZodNumber) return clampNumber;
  return (value) => value ?? undefined;
}

/** Numbers past 2^53 only occur as "no limit" where the engine wants a plain number. */
function clampNumber(value: unknown): unknown {
  if (typeof value !== "bigint") return value ?? undefined;
  return value < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}

function walkObject(schema: z.ZodObject): Walker {
  const names = new Map<string, string>();
  for (const key of Object.keys(schema.shape)) names.set(key.toLowerCase(), key);
  // Compiled when first used, so that a schema may hold itself.
  let fields: Map<string, Walker> | undefined;
  const required = Object.entries(schema.shape).filter(([, field]) => !shapeOf(field).optional);
  const open = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value !== "object" || Array.isArray(value)) return value;
    fields ??= new Map(Object.entries(schema.shape).map(([key, field]) => [key, walkerOf(field)]));
    const out: Record<string, unknown> = {};
    for (const [given, item] of Object.entries(value)) {
      const key = fields.has(given) ? given : names.get(given.toLowerCase());
      if (key !== undefined) {
        const read = fields.get(key)!(item);
        // A later null leaves what an earlier spelling of the key gave.
        if (read !== undefined) out[key] = read;
      } else if (open) setField(out, given, item);
    }
    for (const [key, field] of required) if (!(key in out)) out[key] = zero(field);
    return out;
  };
}

function walkList(schema: z.ZodArray): Walker {
  const element = schema.def.element;
  return (value) => {
    if (!Array.isArray(value)) return value ?? undefined;
    const walk = walkerOf(element);
    return value.map((item) => walk(item) ?? zero(element));
  };
}

function walkMap(schema: z.ZodRecord): Walker {
  const element = schema.def.valueType;
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value !== "object" || Array.isArray(value)) return value;
    const walk = walkerOf(element);
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) setField(out, key, walk(item) ?? zero(element));
    return out;
  };
}

/** A key of a foreign object may be `__proto__`. */
function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
