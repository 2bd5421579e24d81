import { decodeBase64, encodeBase64 } from "./base64.ts";
import { type Kind, needsReplacer, needsRevival } from "../plan/kind.ts";
import { readExact, writeExact } from "./exact_numbers.ts";
import { isRecord } from "./record.ts";
import { readTime } from "./time_text.ts";

/** Remembers what has been found of a kind: kinds are made once and asked of at every call. */
function remembered(test: (kind: Kind) => boolean): (kind: Kind) => boolean {
  const known = new WeakMap<Kind, boolean>();
  return (kind) => {
    let found = known.get(kind);
    if (found === undefined) known.set(kind, found = test(kind));
    return found;
  };
}

const isRevived = /* @__PURE__ */ remembered(needsRevival);
/** Whether {@linkcode writeJSON} has to look at each value of a kind. */
export const isReplaced: (kind: Kind) => boolean = /* @__PURE__ */ remembered(needsReplacer);

/**
 * Writes JSON, bigint as a number and bytes as base64. A kind that holds neither, nor anything that cannot be told, is written the fast way.
 *
 * @throws {TypeError} for cycles
 */
export function writeJSON(value: unknown, kind?: Kind): string {
  if (kind !== undefined && !isReplaced(kind)) {
    try {
      return JSON.stringify(value) ?? "null";
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // A bigint where the schema has none: the slow way writes it, or throws what it must.
    }
  }
  return writeExact(value, (item) => item instanceof Uint8Array ? encodeBase64(item) : item) ?? "null";
}

/**
 * Reads JSON. With a kind that holds int64, uint64, time or bytes, integers too big for a number become bigint, and what the kind says becomes
 * bigint, Date or Uint8Array.
 *
 * @throws {SyntaxError}
 */
export function readJSON(text: string, kind?: Kind): unknown {
  return kind === undefined || !isRevived(kind) ? JSON.parse(text) : revive(readExact(text), kind);
}

/** Makes of parsed JSON what its kind says; what does not fit is left for the schema to refuse. */
export function revive(value: unknown, kind: Kind): unknown {
  switch (kind.type) {
    case "int64":
    case "uint64":
      return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
    case "number":
    case "text":
      // A number all the same, however many digits it came with.
      return typeof value === "bigint" ? Number(value) : value;
    case "time":
      return typeof value === "string" ? readTime(value) ?? value : value;
    case "bytes":
      return typeof value === "string" ? decodeBase64(value) ?? value : value;
    case "choice":
      return kind.of.reduce((made, part) => made === value ? revive(value, part) : made, value);
    case "list":
      return Array.isArray(value) ? value.map((item, index) => revive(item, kind.items?.[index] ?? kind.item)) : value;
    case "map":
      return isRecord(value) ? mapRecord(value, (item) => revive(item, kind.value)) : value;
    case "struct":
      return isRecord(value)
        ? mapRecord(value, (item, key) => {
          const field = kind.fields.get(key);
          return field === undefined ? item : revive(item, field.kind);
        })
        : value;
    default:
      return value;
  }
}

function mapRecord(
  value: Record<string, unknown>,
  change: (item: unknown, key: string) => unknown,
): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // A plain assignment to this key would set the prototype.
    if (key === "__proto__") Object.defineProperty(made, key, { value: item, enumerable: true });
    else made[key] = change(item, key);
  }
  return made;
}
