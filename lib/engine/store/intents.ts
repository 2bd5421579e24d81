import type { State } from "./state.ts";
import type { Operation, Table } from "./table.ts";

/** A pending change to the host, kept so that recovery can undo or finish it. */
export interface Intent {
  id: string;
  /** The kind of change: `container.create`, `image.pull`, … */
  kind: string;
  /** The object it is done to. */
  subject: string;
  /** Milliseconds since the epoch. */
  time: number;
  details: Record<string, string>;
}

/**
 * Records that precede host actions. `begin` goes into a batch that is committed before the action, `end` into the batch
 * that records its outcome; whatever is left at start was cut short.
 */
export class Intents {
  readonly #table: Table<Intent>;
  readonly #now: () => number;
  #count = 0;

  constructor(state: State, now: () => number) {
    this.#table = state.table<Intent>("intents");
    this.#now = now;
    // Numbers go on after the last run's, so that a new intent never takes the place of one still to be recovered.
    for (const key of this.#table.keys()) this.#count = Math.max(this.#count, Number(key) || 0);
  }

  begin(kind: string, subject: string, details: Record<string, string> = {}): { intent: Intent; operation: Operation } {
    const id = String(++this.#count);
    const intent = { id, kind, subject, time: this.#now(), details };
    return { intent, operation: this.#table.put(id, intent) };
  }

  end(intent: Intent): Operation {
    return this.#table.drop(intent.id);
  }

  /** Returns the intents begun and not ended; at start, those that the last run left. */
  open(kind?: string): Intent[] {
    return this.#table.values().filter((intent) => kind === undefined || intent.kind === kind);
  }
}
