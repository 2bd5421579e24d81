/** Finding the last lines of a log without holding it in memory. */
import { parseRFC3339 } from "../timestamp.ts";
import type { LogRecord } from "./options.ts";

/** Opens the log: all of it, or so that at least this many last records are in it. */
export type OpenLog = (tailRecords?: number) => AsyncIterable<LogRecord>;

/** Where the last lines begin: so many records from the end hold `anchor`, and so many lines after it are skipped. */
export interface TailStart {
  /** How much to open; everything when absent. */
  tailRecords?: number;
  /** The record from which lines are counted; absent in an empty log. */
  anchor?: Pick<LogRecord, "time" | "stream">;
  skip: number;
}

/** Counts lines by where they begin. Streams interleave: each has its own line at a time. */
export class LineCounter {
  /** How many lines have begun. */
  lines = 0;
  readonly #current: Partial<Record<LogRecord["stream"], number>> = {};

  /** The number of the line this record belongs to, from 0. */
  lineOf({ stream, partial }: LogRecord): number {
    const line = this.#current[stream] ?? this.lines++;
    this.#current[stream] = partial ? line : undefined;
    return line;
  }
}

/** Looks back far enough to know where the last `lines` lines begin. */
export async function findTail(open: OpenLog, lines: number): Promise<TailStart> {
  for (let asked = lines + 64;; asked *= 4) {
    const counter = new LineCounter();
    let records = 0;
    let anchor: LogRecord | undefined;
    for await (const record of open(asked)) {
      anchor ??= record;
      counter.lineOf(record);
      records++;
    }
    const isWhole = records < asked;
    // What was opened in its middle may begin inside a line of each stream: those two must not be needed.
    if (!isWhole && counter.lines < lines + 2) continue;
    return { tailRecords: isWhole ? undefined : asked, anchor, skip: Math.max(0, counter.lines - lines) };
  }
}

/**
 * Reads from a {@linkcode TailStart} on. Gives `undefined`, once, when the log has moved so far that the place is gone:
 * it has to be found anew.
 */
export async function* readFrom(open: OpenLog, start: TailStart): AsyncGenerator<LogRecord | undefined> {
  // Records came since: look back further by as much again.
  const back = start.tailRecords === undefined ? undefined : start.tailRecords * 2;
  const counter = new LineCounter();
  let aligned = start.anchor === undefined;
  for await (const record of open(back)) {
    if (!aligned && isBefore(record, start.anchor)) continue;
    if (!aligned && !isSame(record, start.anchor)) {
      yield undefined;
      return;
    }
    aligned = true;
    if (counter.lineOf(record) >= start.skip) yield record;
  }
}

function isSame(record: LogRecord, anchor: TailStart["anchor"]): boolean {
  return record.time === anchor?.time && record.stream === anchor.stream;
}

function isBefore(record: LogRecord, anchor: TailStart["anchor"]): boolean {
  if (isSame(record, anchor)) return false;
  return parseRFC3339(record.time) <= parseRFC3339(anchor?.time ?? "");
}
