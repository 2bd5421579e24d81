import { EngineError } from "../../errors.ts";
import { showQuantity } from "./quantity.ts";
import { isObject } from "../../../oci/json.ts";

/** The largest number that Kubernetes has room for in most of its fields. */
const INT32 = 2 ** 31 - 1;

/**
 * A mapping of a Kubernetes object that is being read. It remembers which fields were read: the others are what the document asks and
 * nobody here honours ({@linkcode Fields.unread}). Every wrong value throws `invalid`, with the object, the path of the field, and what
 * would be right.
 */
export class Fields {
  readonly #object: string;
  readonly #path: string;
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();
  /** By path: a field that is read twice is the same mapping. */
  readonly #inner = new Map<string, Fields>();
  readonly #notes: string[] = [];

  /**
   * @param value The mapping
   * @param object The name of its object for errors: `document 2, Pod "web"`
   * @param path Its place in the object; empty for the object itself
   */
  constructor(value: unknown, object: string, path = "") {
    this.#object = object;
    this.#path = path;
    if (!isObject(value)) throw this.#wrong("", "a mapping", value);
    this.#value = value;
  }

  /** The name of the object, for errors. */
  get object(): string {
    return this.#object;
  }

  /** The path of a field, for texts. */
  pathOf(key: string): string {
    return this.#path === "" ? key : key === "" ? this.#path : `${this.#path}.${key}`;
  }

  /** The names of the fields that have a value. */
  keys(): string[] {
    return Object.keys(this.#value).filter((key) => this.#peek(key) !== undefined);
  }

  /** Tells whether a field has a value; it does not count as read. */
  has(key: string): boolean {
    return this.#peek(key) !== undefined;
  }

  text(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === "string") return value;
    const isPlain = typeof value === "number" || typeof value === "boolean";
    throw this.#wrong(key, isPlain ? "a text (put it in quotes)" : "a text", value);
  }

  /** A text that must be there. */
  needText(key: string): string {
    const text = this.text(key);
    if (text) return text;
    throw this.fail(key, "is missing");
  }

  /** One of several words. */
  word<const W extends string>(key: string, words: readonly W[]): W | undefined {
    const text = this.text(key);
    if (text === undefined || text === "") return undefined;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw this.fail(key, `must be ${words.map((word) => `"${word}"`).join(", ")}; it is "${text}"`);
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#wrong(key, "true or false", value);
  }

  /** A whole number. */
  number(key: string, least = 0, most = INT32): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    throw this.#wrong(key, `a whole number from ${least} to ${most}`, value);
  }

  /** A port by its number, or by the name of one. */
  portName(key: string): number | string | undefined {
    const value = this.#peek(key);
    if (typeof value !== "string") return this.number(key, 1, 65535);
    this.#read.add(key);
    if (!/^\d+$/.test(value)) return value;
    const port = Number(value);
    if (port >= 1 && port <= 65535) return port;
    throw this.#wrong(key, "a port from 1 to 65535, or the name of one", value);
  }

  /** An amount, as a text: `500m`, `1Gi`, or a number. */
  amount(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string") return showQuantity(text, (why) => this.fail(key, why));
    throw this.#wrong(key, 'an amount as "500m" or "1Gi"', value);
  }

  texts(key: string): string[] {
    return this.#items(key, "a list of texts").map((item, index) => {
      if (typeof item === "string") return item;
      throw this.#wrong(`${key}[${index}]`, "a text (put it in quotes)", item);
    });
  }

  numbers(key: string): number[] {
    return this.#items(key, "a list of numbers").map((item, index) => {
      if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 2 ** 32) return item;
      throw this.#wrong(`${key}[${index}]`, "a whole number that is an ID", item);
    });
  }

  /** A mapping of texts: labels, annotations, data. */
  map(key: string): Record<string, string> {
    const value = this.#take(key);
    if (value === undefined) return {};
    if (!isObject(value)) throw this.#wrong(key, "a mapping of texts", value);
    return Object.fromEntries(
      Object.entries(value).filter(([, item]) => item !== null).map(([name, item]) => {
        if (typeof item === "string") return [name, item];
        throw this.#wrong(`${key}.${name}`, "a text (put it in quotes)", item);
      }),
    );
  }

  /** The mapping in a field. */
  inner(key: string): Fields | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : this.#enter(value, this.pathOf(key));
  }

  /** The mapping in a field that must be there. */
  needInner(key: string): Fields {
    const inner = this.inner(key);
    if (inner) return inner;
    throw this.fail(key, "is missing");
  }

  /** A list of mappings. */
  list(key: string): Fields[] {
    return this.#items(key, "a list").map((item, index) => this.#enter(item, `${this.pathOf(key)}[${index}]`));
  }

  /** Reads fields that change nothing here, as they tell of what a cluster knows already or does by itself. */
  skip(...keys: string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  /** Notes that a field is not honoured, and why. */
  note(key: string, why: string): void {
    this.#read.add(key);
    this.#notes.push(`${this.pathOf(key)}: ${why}`);
  }

  /** Everything that the object asks and nobody honours: the paths of the fields, some with the reason. */
  unread(): string[] {
    const own = this.keys().filter((key) => !this.#read.has(key) && !isEmpty(this.#value[key]));
    return [
      ...own.map((key) => `${this.pathOf(key)}: it is not honoured`),
      ...this.#notes,
      ...[...this.#inner.values()].flatMap((inner) => inner.unread()),
    ];
  }

  /** Makes the error of a field. */
  fail(key: string, why: string, code: "invalid" | "limit" | "unsupported" = "invalid"): EngineError {
    const path = this.pathOf(key);
    return new EngineError(code, `${this.#object}: ${path === "" ? "it" : path} ${why}`);
  }

  #enter(value: unknown, path: string): Fields {
    const inner = this.#inner.get(path) ?? new Fields(value, this.#object, path);
    this.#inner.set(path, inner);
    return inner;
  }

  #items(key: string, kind: string): unknown[] {
    const value = this.#take(key);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    throw this.#wrong(key, kind, value);
  }

  #take(key: string): unknown {
    this.#read.add(key);
    return this.#peek(key);
  }

  /** Null is absent, as in Go. */
  #peek(key: string): unknown {
    return Object.hasOwn(this.#value, key) ? this.#value[key] ?? undefined : undefined;
  }

  #wrong(key: string, right: string, value: unknown): EngineError {
    return this.fail(key, `must be ${right}; it is ${describeValue(value)}`);
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
