/**
 * How Go's decoders read query values. Every schema takes the raw text, and a client of ours may pass the value itself.
 *
 * @module
 */
import { TerminalSide } from "./numbers.ts";
import { z } from "./zod.ts";

const TRUE = new Set(["1", "t", "T", "TRUE", "true", "True", "on"]);
const FALSE = new Set(["0", "f", "F", "FALSE", "false", "False"]);
const LOOSELY_FALSE = new Set(["", "0", "no", "false", "none"]);

/** Rows or columns of a terminal. */
export const terminalSide = TerminalSide.optional();

/** A flag of the native tree: the words of `strconv.ParseBool`, and `on`. */
export const flag = z.union([z.boolean(), z.string()]).transform((value, context) => {
  if (typeof value === "boolean") return value;
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  context.addIssue({ code: "custom", message: `"${value}" is not a boolean` });
  return z.NEVER;
});

/** A flag of the native tree that may be absent. */
export const optionalFlag = flag.optional();

/** A flag of the compat tree: true unless it is one of a few words for no. */
export const looseFlag = z.union([z.boolean(), z.string()]).transform((value) =>
  typeof value === "boolean" ? value : !LOOSELY_FALSE.has(value.trim().toLowerCase())
);

/** Seconds to wait; below zero, or 2^64-1 as some clients write that: for as long as it takes. */
export const patience = z.union([z.number(), z.string()]).transform((value, context) => {
  if (/^-?\d{1,20}$/.test(String(value))) return Number(value) < 0 ? Number.MAX_SAFE_INTEGER : Number(value);
  context.addIssue({ code: "custom", message: `"${value}" is not a number of seconds` });
  return z.NEVER;
}).optional();

/** A map of texts in the form of JSON. */
export const textMap = z.string().transform((text, context): Record<string, string> => {
  try {
    const map = z.record(z.string(), z.string()).nullable().safeParse(JSON.parse(text));
    if (map.success) return map.data ?? {};
  } catch {
    // Not even JSON.
  }
  context.addIssue({ code: "custom", message: "it is no JSON map of texts" });
  return z.NEVER;
});

/** A filter expression per key. */
export type Filters = Record<string, string[]>;

const MAX_FILTERS = 64 << 10;

/** `filters`: the JSON text of `{key: [value]}`, or of the older `{key: {value: true}}`. */
export const filters = z.string().transform((text, context): Filters => {
  try {
    return readFilters(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

function readFilters(text: string): Filters {
  if (text.length > MAX_FILTERS) throw new RangeError("filters are too long");
  const value: unknown = JSON.parse(text);
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("filters are not an object");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filterValues(key, item)]));
}

function filterValues(key: string, item: unknown): string[] {
  if (item === null) return [];
  if (Array.isArray(item)) return item.map(String);
  if (typeof item === "object") return Object.entries(item).filter(([, set]) => set === true).map(([value]) => value);
  throw new TypeError(`filter "${key}" is neither a list nor an object`);
}
