import type {
  Change,
  Retention,
  Row,
  Store,
  StreamEntry,
  StreamExtent,
  StreamRange,
} from "../../engine/ports/ports.ts";
import { countBeyond, sizeOf } from "./retention.ts";

interface Stream {
  last: number;
  bytes: number;
  entries: StreamEntry[];
}

/** A {@linkcode Store} that lasts as long as the object. */
export class MemoryStore implements Store {
  readonly #tables = new Map<string, Map<string, string>>();
  readonly #streams = new Map<string, Stream>();

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

  append(
    stream: string,
    entries: readonly Omit<StreamEntry, "seq">[],
    retention: Retention = {},
  ): Promise<StreamExtent> {
    const kept = this.#streams.get(stream) ?? { last: 0, bytes: 0, entries: [] };
    this.#streams.set(stream, kept);
    for (const { time, value } of entries) {
      kept.entries.push({ seq: ++kept.last, time, value });
      kept.bytes += sizeOf(value);
    }
    trimStream(kept, retention);
    return this.extent(stream);
  }

  trim(stream: string, retention: Retention): Promise<boolean> {
    const kept = this.#streams.get(stream);
    if (kept) trimStream(kept, retention);
    return Promise.resolve(false);
  }

  extent(stream: string): Promise<StreamExtent> {
    const { last = 0, entries = [] } = this.#streams.get(stream) ?? {};
    return Promise.resolve({ first: entries[0]?.seq ?? last + 1, last, time: entries.at(-1)?.time });
  }

  async *read(stream: string, range: StreamRange = {}): AsyncIterable<StreamEntry> {
    const { since = -Infinity, after = 0, last = Infinity, most = Infinity } = range;
    for (const entry of this.#streams.get(stream)?.entries.slice() ?? []) {
      if (entry.time >= since && entry.seq > after && entry.seq <= last && sizeOf(entry.value) <= most) yield entry;
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

function trimStream(stream: Stream, retention: Retention): void {
  const { entries, bytes } = stream;
  const sizes = (function* () {
    for (const { value } of entries) yield sizeOf(value);
  })();
  const excess = countBeyond(retention, { records: entries.length, bytes }, sizes);
  if (excess.records === 0) return;
  stream.entries = entries.slice(excess.records);
  stream.bytes -= excess.bytes;
}
