import type { CommitWatch } from "../metrics/commit_watch.ts";
import type { Row, Store } from "../ports/ports.ts";
import { type Operation, Table, type TableOptions } from "./table.ts";
import { STORE_TABLES } from "./store_steps.ts";
import { readRow, upgradeRows } from "./upgrade.ts";

/** A batch on its way to the store. */
interface Batch {
  readonly operations: readonly Operation[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The engine's records: tables in memory, written through to a {@linkcode Store}.
 *
 * A batch is visible in memory only after the store has it for good, so nothing read here can be lost, and a batch that
 * fails leaves no trace. While one commit runs, the batches that arrive gather and go out together in the next.
 */
export class State {
  readonly #store: Store;
  readonly #place: string;
  readonly #watch?: CommitWatch;
  /** The rows of tables that nobody has asked for. */
  readonly #rows = new Map<string, Row[]>();
  // Each table is made with the type its first user names; one file owns a table, so there is one type for a name.
  readonly #tables = new Map<string, Table<unknown>>();
  #waiting: Batch[] = [];
  /** Operations that go out with the next batch. */
  #later: Operation[] = [];
  #running?: Promise<void>;
  #revision = 0;

  private constructor(store: Store, rows: Iterable<Row>, place: string, watch?: CommitWatch) {
    this.#store = store;
    this.#watch = watch;
    this.#place = place;
    for (const row of rows) {
      const group = this.#rows.get(row.table);
      if (group) group.push(row);
      else this.#rows.set(row.table, [row]);
    }
  }

  /**
   * Reads everything the store has. Records of an earlier version are brought to this one first, all or none.
   *
   * @throws {EngineError} `unsupported` where a later version wrote the store, `corrupt` where a record to upgrade does not parse;
   * the store is left as it was then
   * @param watch Told of each commit from now on
   */
  static async open(store: Store, watch?: CommitWatch): Promise<State> {
    const place = store.place === undefined ? "the store" : `"${store.place}"`;
    const { rows, changes } = upgradeRows(await store.load(), place);
    if (changes.length > 0) await store.commit(changes);
    return new State(store, rows, place, watch);
  }

  /** Grows with every change of a record that becomes visible: what was read at one revision is so while it is the same. */
  get revision(): number {
    return this.#revision;
  }

  /** Makes the revision grow for a change that is in no record, and is told of beside them. */
  touch(): void {
    this.#revision++;
  }

  /** The names of the store's tables that this engine does not know: it keeps them as they are. */
  unknownTables(): string[] {
    return [...this.#rows.keys()].filter((name) => !STORE_TABLES.includes(name));
  }

  /**
   * The table of this name; the same object each time. A name belongs to one type, and to one user, who says what it is for.
   *
   * @throws {EngineError} `corrupt` where a record of it does not parse
   */
  table<T>(name: string, options?: TableOptions): Table<T> {
    const known = this.#tables.get(name);
    // See #tables: the name stands for the type.
    if (known) return known as Table<T>;
    const rows = this.#rows.get(name) ?? [];
    this.#rows.delete(name);
    // Written by this table's `put`, or made of that by the steps of an upgrade.
    const table = new Table<T>(name, rows.map((row) => [row.key, readRow(row, this.#place) as T] as const), options);
    // Forgets T until the cast above gives it back.
    this.#tables.set(name, table as Table<unknown>);
    return table;
  }

  /** Applies operations whole or not at all; they last, and are visible, when it resolves. */
  commit(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations: [...operations], resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  /**
   * Applies operations together with the next commit, of which they share the outcome. A crash before that loses them: they are for the end of
   * an intent, which recovery may find done and end again.
   */
  commitLater(operations: readonly Operation[]): void {
    this.#later.push(...operations);
  }

  /** Resolves when every batch handed in so far has been answered, and what was to come later is done. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#later.length === 0) return;
    this.#running = this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Calls of the same turn belong together: let them all arrive before the first commit.
    await Promise.resolve();
    do {
      const group = [...this.#takeLater(), ...this.#waiting];
      this.#waiting = [];
      await this.#write(group);
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  /** A failure is left to recovery, as if the operations had never been handed in. */
  #takeLater(): Batch[] {
    const operations = this.#later;
    if (operations.length === 0) return [];
    this.#later = [];
    return [{ operations, resolve() {}, reject() {} }];
  }

  async #write(group: readonly Batch[]): Promise<void> {
    const commit = () =>
      this.#store.commit(group.flatMap((batch) => batch.operations.map((operation) => operation.change)));
    try {
      await (this.#watch?.around(commit) ?? commit());
    } catch (error) {
      if (group.length === 1) return group[0].reject(error);
      // One bad batch must not fail its neighbours. None was visible, so none was built on another.
      for (const batch of group) await this.#write([batch]);
      return;
    }
    this.#revision++;
    for (const batch of group) {
      for (const operation of batch.operations) operation.apply();
      batch.resolve();
    }
  }
}
