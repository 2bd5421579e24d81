/**
 * Values to text and back, in the client module.
 *
 * @module
 */
import { decodeBase64, encodeBase64 } from "../../../codecs/base64.ts";
import { readExact, writeExact } from "../../../codecs/exact_numbers.ts";
import { isRecord } from "../../../codecs/record.ts";
import type { ClientTable, WireField, WireKind } from "../client_table.ts";

/** Whether a value is an object of fields. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !(value instanceof Blob);
}

/** Writes a value as text, as for a path. */
export function textOfValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? encodeBase64(value) : String(value);
}

/** Writes a value as JSON. */
export function jsonOfValue(value: unknown): string {
  return writeExact(value, (item) => item instanceof Uint8Array ? encodeBase64(item) : item) as string;
}

/** Reads values by their kinds. */
export class ValueReader {
  readonly #structs: ClientTable["structs"];

  /** `structs` are the fields of structs, from the table. */
  constructor(structs: ClientTable["structs"]) {
    this.#structs = structs;
  }

  /** Reads JSON; an empty text is no value. */
  readJSON(text: string, kind: WireKind): unknown {
    if (text === "") return undefined;
    return typeof kind === "string" && ["any", "string", "boolean", "number", "null"].includes(kind)
      ? JSON.parse(text)
      : this.#revive(readExact(text), kind);
  }

  /** Reads a text. */
  readText(text: string, kind: WireKind): unknown {
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
    return this.#revive(text, kind);
  }

  /** Reads the fields of a form. */
  async readForm(
    form: { getAll(name: string): (string | Blob)[] },
    fields: readonly WireField[],
  ): Promise<Record<string, unknown>> {
    const made: Record<string, unknown> = {};
    for (const { name, part, kind, list } of fields) {
      const parts = await Promise.all(form.getAll(part).map((one) => this.#readPart(one, kind)));
      if (parts.length > 0 || list === "needed") made[name] = list === undefined ? parts[0] : parts;
    }
    return made;
  }

  async #readPart(part: string | Blob, kind: WireKind): Promise<unknown> {
    if (typeof part !== "string") return kind === "bytes" ? new Uint8Array(await part.arrayBuffer()) : part;
    const parts = kind === "any" || typeof kind === "object" && !("choice" in kind);
    return parts && /^[[{]/.test(part) ? this.readJSON(part, kind) : this.readText(part, kind);
  }

  /** Makes a value of JSON into what its kind is; one that does not fit passes as it is. */
  #revive(value: unknown, kind: WireKind): unknown {
    if (kind === "int64" || kind === "uint64") return Number.isSafeInteger(value) ? BigInt(value as number) : value;
    if (kind === "time") return typeof value === "string" ? new Date(value) : value;
    if (kind === "bytes") return typeof value === "string" ? decodeBase64(value) ?? value : value;
    if (typeof kind === "string") return value;
    if ("choice" in kind) {
      return kind.choice.reduce((made, part) => made === value ? this.#revive(value, part) : made, value);
    }
    if ("list" in kind) {
      if (!Array.isArray(value)) return value;
      return value.map((item, index) => this.#revive(item, kind.items?.[index] ?? kind.list));
    }
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value).map(([name, item]) => {
      const inner = "map" in kind ? kind.map : ownField(this.#structs[kind.struct], name);
      return [name, inner === undefined ? item : this.#revive(item, inner)];
    });
    return Object.fromEntries(entries);
  }
}

/** The kind of a field, which an answer may name like something that every object has. */
function ownField(fields: Readonly<Record<string, WireKind>>, name: string): WireKind | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
