import type { Change, Retention, Row, Store, StreamEntry } from "../engine/ports.ts";

/** A {@linkcode Store} that lasts as long as the object. */
export class MemoryStore implements Store {
  readonly #tables = new Map<string, Map<string, string>>();
  readonly #streams = new Map<string, { next: number; entries: StreamEntry[] }>();

  load(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const [table, values] of this.#tables) {
      for (const [key, value] of values) rows.push({ table, key, value });
    }
    return Promise.resolve(rows);
  }

  commit(changes: readonly Change[]): Promise<void> {
    for (const { table, key, value } of changes) {
      const values = this.#tables.get(table) ?? new Map<string, string>();
      this.#tables.set(table, values);
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    return Promise.resolve();
  }

  append(stream: string, entries: readonly Omit<StreamEntry, "seq">[], retention?: Retention): Promise<void> {
    const kept = this.#streams.get(stream) ?? { next: 1, entries: [] };
    this.#streams.set(stream, kept);
    for (const { time, value } of entries) kept.entries.push({ seq: kept.next++, time, value });
    const excess = kept.entries.length - (retention?.records ?? Infinity);
    if (excess > 0) kept.entries = kept.entries.slice(excess);
    return Promise.resolve();
  }

  async *read(stream: string, since = -Infinity): AsyncIterable<StreamEntry> {
    for (const entry of this.#streams.get(stream)?.entries.slice() ?? []) {
      if (entry.time >= since) yield entry;
    }
  }

  drop(stream: string): Promise<void> {
    this.#streams.delete(stream);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
