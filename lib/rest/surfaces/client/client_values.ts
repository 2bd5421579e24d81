import type { ClientTable, WireField, WireKind } from "./client_table.ts";

/** What {@linkcode clientValues} makes. */
export interface ClientValues {
  isRecord(value: unknown): value is Record<string, unknown>;
  writeText(value: unknown): string;
  writeJSON(value: unknown): string;
  readText(text: string, kind: WireKind): unknown;
  readJSON(text: string, kind: WireKind): unknown;
  readForm(form: { getAll(name: string): (string | Blob)[] }, fields: readonly WireField[]): Promise<unknown>;
}

/**
 * Values to text and back. The client module carries this function's own text, so that it must need nothing from outside of itself.
 *
 * @param structs The fields of structs, from the table
 */
export function clientValues(structs: ClientTable["structs"]): ClientValues {
  const big = JSON as {
    rawJSON?(text: string): unknown;
    parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  };

  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) &&
    !(value instanceof Uint8Array) && !(value instanceof Blob);

  const toBase64 = (bytes: Uint8Array) => {
    let text = "";
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text);
  };

  const fromBase64 = (text: string) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

  const writeText = (value: unknown): string => {
    if (value instanceof Date) return value.toISOString();
    return value instanceof Uint8Array ? toBase64(value) : String(value);
  };

  const writeJSON = (value: unknown): string =>
    JSON.stringify(value, (_key, item) => {
      if (typeof item === "bigint") return big.rawJSON ? big.rawJSON(String(item)) : Number(item);
      return item instanceof Uint8Array ? toBase64(item) : item;
    });

  const revive = (value: unknown, kind: WireKind): unknown => {
    if (kind === "int64" || kind === "uint64") return Number.isSafeInteger(value) ? BigInt(value as number) : value;
    if (kind === "time") return typeof value === "string" ? new Date(value) : value;
    if (kind === "bytes") return typeof value === "string" ? fromBase64(value) : value;
    if (typeof kind === "string") return value;
    if ("choice" in kind) return kind.choice.reduce((made, part) => made === value ? revive(value, part) : made, value);
    if ("list" in kind) {
      return Array.isArray(value) ? value.map((item, index) => revive(item, kind.items?.[index] ?? kind.list)) : value;
    }
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, item]) => {
      const inner = "map" in kind ? kind.map : structs[kind.struct][name];
      return [name, inner === undefined ? item : revive(item, inner)];
    });
    return Object.fromEntries(entries);
  };

  /** Integers too big for a number become bigint where the platform shows their text. */
  const exact = (_key: string, value: unknown, context?: { source?: string }) => {
    const unsafe = typeof value === "number" && !Number.isSafeInteger(value);
    return unsafe && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context!.source!) : value;
  };

  const readJSON = (text: string, kind: WireKind): unknown => {
    if (text === "") return undefined;
    return typeof kind === "string" && ["any", "string", "boolean", "number", "null"].includes(kind)
      ? JSON.parse(text)
      : revive(big.parse(text, exact), kind);
  };

  const readText = (text: string, kind: WireKind): unknown => {
    if (kind === "boolean") return text === "true" || text === "1";
    if (kind === "number") return Number(text);
    if (kind === "int64" || kind === "uint64") return BigInt(text);
    if (kind === "null") return null;
    if (typeof kind === "object" && "choice" in kind) {
      const read = kind.choice.map((part) => {
        if (part === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
        return part === "number" ? text !== "" && !Number.isNaN(Number(text)) ? Number(text) : undefined : undefined;
      });
      return read.find((value) => value !== undefined) ?? text;
    }
    return revive(text, kind);
  };

  const readPart = async (part: string | Blob, kind: WireKind): Promise<unknown> => {
    if (typeof part !== "string") return kind === "bytes" ? new Uint8Array(await part.arrayBuffer()) : part;
    const parts = kind === "any" || typeof kind === "object" && !("choice" in kind);
    return parts && /^[[{]/.test(part) ? readJSON(part, kind) : readText(part, kind);
  };

  const readForm: ClientValues["readForm"] = async (form, fields) => {
    const made: Record<string, unknown> = {};
    for (const { name, part, kind, list } of fields) {
      const parts = await Promise.all(form.getAll(part).map((one) => readPart(one, kind)));
      if (parts.length > 0 || list === "needed") made[name] = list === undefined ? parts[0] : parts;
    }
    return made;
  };

  return { isRecord, writeText, writeJSON, readText, readJSON, readForm };
}
