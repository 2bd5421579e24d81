/**
 * Messages of protocol buffers, by tables of their fields. The package reads and writes the parts of the wire format.
 *
 * @module
 */
import { BinaryReader, BinaryWriter, WireType } from "npm:@bufbuild/protobuf@2.17.0/wire";

interface Scalars {
  string: string;
  bytes: Uint8Array;
  bool: boolean;
  uint32: number;
  int32: number;
  /** Whole numbers up to 2^53; larger ones lose their last digits. */
  int64: number;
}

type Single = keyof Scalars | Message<Fields>;
type Kind = Single | { readonly list: Single } | { readonly map: Single };
/** Fields by their names: the number of each, and its kind. */
type Fields = Readonly<Record<string, readonly [number: number, kind: Kind]>>;

type ValueOf<K> = K extends keyof Scalars ? Scalars[K] : K extends Message<infer F> ? Values<F> : never;
type FieldOf<K> = K extends { readonly list: infer S } ? ValueOf<S>[]
  : K extends { readonly map: infer S } ? Record<string, ValueOf<S>>
  : ValueOf<K>;
/** A message's values; of those that were not sent the empty ones, and `undefined` for messages. */
type Values<F extends Fields> = {
  [N in keyof F]: F[N][1] extends Message<Fields> ? FieldOf<F[N][1]> | undefined : FieldOf<F[N][1]>;
};

/** The value of a message. */
export type MessageValue<M> = M extends Message<infer F> ? Values<F> : never;

/** Entries of a list or a map in one message. */
const MOST_ENTRIES = 100_000;

/** A kind of message. */
export class Message<F extends Fields> {
  readonly #fields: F;
  readonly #byNumber: ReadonlyMap<number, readonly [name: string, kind: Kind]>;
  /** The values of a message of which nothing was sent, without lists and maps: each message has those for itself. */
  readonly #empty: Readonly<Record<string, unknown>>;
  readonly #collections: readonly (readonly [name: string, kind: Kind])[];

  constructor(fields: F) {
    this.#fields = fields;
    const kinds = Object.entries(fields).map(([name, [, kind]]) => [name, kind] as const);
    this.#empty = Object.fromEntries(kinds.map(([name, kind]) => [name, emptyOf(kind)]));
    this.#collections = kinds.filter(([, kind]) => typeof kind === "object" && !(kind instanceof Message));
    this.#byNumber = new Map(Object.entries(fields).map(([name, [number, kind]]) => [number, [name, kind]]));
  }

  /** Writes a message. */
  encode(values: Partial<Values<F>>): Uint8Array {
    return this.write(new BinaryWriter(), values).finish();
  }

  /** Reads a message; fields that the table does not have are skipped. Throws `RangeError` or `Error` for bytes that are none. */
  decode(bytes: Uint8Array): Values<F> {
    return this.read(new BinaryReader(bytes), bytes.length);
  }

  write(writer: BinaryWriter, values: Partial<Values<F>>): BinaryWriter {
    for (const [name, [number, kind]] of Object.entries(this.#fields)) {
      const value: unknown = values[name];
      if (value === undefined) continue;
      // The tables say of which kind each value is.
      if (typeof kind === "object" && "list" in kind) {
        for (const item of value as unknown[]) writeSingle(writer, number, kind.list, item);
      } else if (typeof kind === "object" && "map" in kind) {
        for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
          writer.tag(number, WireType.LengthDelimited).fork();
          writeSingle(writer, 1, "string", key);
          writeSingle(writer, 2, kind.map, item);
          writer.join();
        }
      } else if (!isEmpty(value)) writeSingle(writer, number, kind, value);
    }
    return writer;
  }

  read(reader: BinaryReader, length: number): Values<F> {
    const end = reader.pos + length;
    const values: Record<string, unknown> = { ...this.#empty };
    for (const [name, kind] of this.#collections) values[name] = emptyOf(kind);
    let entries = 0;
    while (reader.pos < end) {
      const [number, wire] = reader.tag();
      const [name, kind] = this.#byNumber.get(number) ?? [];
      if (name === undefined || kind === undefined) {
        reader.skip(wire, number);
        continue;
      }
      if (typeof kind === "object" && ("list" in kind || "map" in kind) && ++entries > MOST_ENTRIES) {
        throw new RangeError(`a message has more than ${MOST_ENTRIES} entries`);
      }
      if (typeof kind === "object" && "list" in kind) {
        (values[name] as unknown[]).push(readSingle(reader, kind.list));
      } else if (typeof kind === "object" && "map" in kind) {
        const [key, item] = readEntry(reader, kind.map);
        (values[name] as Record<string, unknown>)[key] = item;
      } else values[name] = readSingle(reader, kind);
    }
    if (reader.pos !== end) throw new RangeError("a message ends within a field");
    return values as Values<F>;
  }
}

function isEmpty(value: unknown): boolean {
  return value === "" || value === 0 || value === false || (value instanceof Uint8Array && value.length === 0);
}

const EMPTY: Readonly<Scalars> = { string: "", bytes: new Uint8Array(), bool: false, uint32: 0, int32: 0, int64: 0 };

function emptyOf(kind: Kind): unknown {
  if (kind instanceof Message) return undefined;
  if (typeof kind === "object") return "list" in kind ? [] : Object.create(null);
  return EMPTY[kind];
}

function writeSingle(writer: BinaryWriter, number: number, kind: Single, value: unknown): void {
  if (kind instanceof Message) {
    writer.tag(number, WireType.LengthDelimited).fork();
    kind.write(writer, value as Partial<Values<Fields>>);
    writer.join();
    return;
  }
  const isText = kind === "string" || kind === "bytes";
  writer.tag(number, isText ? WireType.LengthDelimited : WireType.Varint);
  if (kind === "string") writer.string(value as string);
  else if (kind === "bytes") writer.bytes(value as Uint8Array);
  else if (kind === "bool") writer.bool(value as boolean);
  else if (kind === "int64") writer.int64(BigInt(Math.trunc(value as number)));
  else writer[kind](value as number);
}

function readSingle(reader: BinaryReader, kind: Single): unknown {
  if (kind instanceof Message) return kind.read(reader, reader.uint32());
  if (kind === "int64") return Number(reader.int64());
  return reader[kind]();
}

function readEntry(reader: BinaryReader, kind: Single): [key: string, value: unknown] {
  const end = reader.uint32() + reader.pos;
  let key = "";
  let value = emptyOf(kind);
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    if (number === 1) key = reader.string();
    else if (number === 2) value = readSingle(reader, kind);
    else reader.skip(wire, number);
  }
  return [key, value];
}
