import { encode } from "./json.ts";
import type { Change } from "../ports/ports.ts";

/** One change to come: what the store gets, and what memory does once that has lasted. */
export interface Operation {
  readonly change: Change;
  apply(): void;
}

/** Finds a table's values by something else than their key. */
export interface Index<T> {
  /** The first value under this text, or `undefined`. */
  get(text: string): Readonly<T> | undefined;
  /** Every value under this text, in insertion order. */
  all(text: string): Readonly<T>[];
}

/** The options of a table. */
export interface TableOptions {
  /** Its values are secrets: the store keeps nothing of one that is deleted or replaced. */
  isSecret?: boolean;
}

/**
 * One kind of record, in memory, by key. Reading is immediate and shows only what lasts; changing goes through
 * `State.commit` with the operations {@linkcode Table.put} and {@linkcode Table.drop} make. A value is never changed in
 * place: put a new one.
 *
 * @example
 * ```ts ignore
 * const volumes = state.table<VolumeRecord>("volumes");
 * await state.commit([volumes.put("data", { name: "data" })]);
 * ```
 */
export class Table<T> {
  readonly name: string;
  /** The fields that the table adds to each change. */
  readonly #kind: Pick<Change, "isSecret">;
  readonly #rows = new Map<string, T>();
  readonly #indexes: MapIndex<T>[] = [];

  constructor(name: string, rows: Iterable<readonly [string, T]> = [], { isSecret = false }: TableOptions = {}) {
    this.name = name;
    this.#kind = isSecret ? { isSecret } : {};
    for (const [key, value] of rows) this.#rows.set(key, value);
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Readonly<T> | undefined {
    return this.#rows.get(key);
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  keys(): string[] {
    return [...this.#rows.keys()];
  }

  values(): Readonly<T>[] {
    return [...this.#rows.values()];
  }

  /** Values whose key begins with `prefix`: how an ID is found by its first digits. */
  withPrefix(prefix: string): Readonly<T>[] {
    const found: T[] = [];
    for (const [key, value] of this.#rows) if (key.startsWith(prefix)) found.push(value);
    return found;
  }

  /** Keeps the values findable by the texts `textsOf` gives for each, from now on. */
  index(textsOf: (value: Readonly<T>) => Iterable<string>): Index<T> {
    const index = new MapIndex<T>(textsOf);
    for (const [key, value] of this.#rows) index.set(key, value);
    this.#indexes.push(index);
    return index;
  }

  /** The operation that stores a value, new or in place of the one under this key. */
  put(key: string, value: T): Operation {
    return {
      change: { table: this.name, key, value: encode(value), ...this.#kind },
      apply: () => {
        this.#forget(key);
        this.#rows.set(key, value);
        for (const index of this.#indexes) index.set(key, value);
      },
    };
  }

  /** The operation that deletes the value under this key, if any. */
  drop(key: string): Operation {
    return {
      change: { table: this.name, key, value: null, ...this.#kind },
      apply: () => {
        this.#forget(key);
        this.#rows.delete(key);
      },
    };
  }

  #forget(key: string): void {
    const old = this.#rows.get(key);
    if (old === undefined) return;
    for (const index of this.#indexes) index.delete(key, old);
  }
}

class MapIndex<T> implements Index<T> {
  readonly #textsOf: (value: Readonly<T>) => Iterable<string>;
  readonly #found = new Map<string, Map<string, T>>();

  constructor(textsOf: (value: Readonly<T>) => Iterable<string>) {
    this.#textsOf = textsOf;
  }

  get(text: string): T | undefined {
    return this.#found.get(text)?.values().next().value;
  }

  all(text: string): T[] {
    return [...this.#found.get(text)?.values() ?? []];
  }

  set(key: string, value: T): void {
    for (const text of this.#textsOf(value)) {
      const values = this.#found.get(text) ?? new Map<string, T>();
      this.#found.set(text, values.set(key, value));
    }
  }

  delete(key: string, value: T): void {
    for (const text of this.#textsOf(value)) {
      const values = this.#found.get(text);
      values?.delete(key);
      if (values?.size === 0) this.#found.delete(text);
    }
  }
}
