/** Finding the last lines of a log without holding it in memory. */
import type { LogPlace } from "../../ports/host_port.ts";
import { type LogRecord, wholeRecords } from "../../text/logs/k8s_log.ts";

/** A log in which places stay what they are while it grows. */
export interface PlacedLog {
  /** Finds the place where at least the last `records` records begin. */
  place(records: number): Promise<LogPlace>;
  /** The records from a place to what is the end now. */
  open(from: LogPlace): AsyncIterable<LogRecord[]>;
}

/** The start of the last lines: some lines behind a place. */
export interface TailStart {
  from: LogPlace;
  skip: number;
  /** The records from the place to the log's end at that time, where they are at hand. */
  records?: LogRecord[];
}

/** Counts lines by where they begin. Streams interleave: each has its own line at a time. */
class LineCounter {
  /** How many lines have begun. */
  lines = 0;
  readonly #current: Partial<Record<LogRecord["stream"], number>> = {};
  readonly #first: Partial<Record<LogRecord["stream"], number>> = {};

  /** The number of the line this record belongs to, from 0. */
  lineOf({ stream, partial }: LogRecord): number {
    const line = this.#current[stream] ?? this.lines++;
    this.#current[stream] = partial ? line : undefined;
    this.#first[stream] ??= line;
    return line;
  }

  /** The latest of the streams' first lines: what was counted from the middle of a log on may have begun before. */
  get unsure(): number {
    return Math.max(-1, ...Object.values(this.#first));
  }
}

/** Records beyond the lines that are asked for at first: parts of long lines, and lines of two streams that the place cuts. */
const SPARE = 16;
/** So many records are looked through for the beginning of a line that another stream's lines follow. */
const FAR = 4096;

/** Looks back far enough to know where the last `lines` lines begin. */
export async function findTail(log: PlacedLog, lines: number): Promise<TailStart> {
  for (let asked = lines + SPARE;; asked *= 4) {
    const from = await log.place(asked);
    const counter = new LineCounter();
    const held = from.bytes && wholeRecords(from.bytes);
    if (held) { for (const record of held) counter.lineOf(record); }
    else for await (const records of log.open(from)) for (const record of records) counter.lineOf(record);
    const skip = Math.max(0, counter.lines - lines);
    // A log opened in its middle may begin inside a line of each stream: those two must not be needed.
    const isSure = counter.lines >= lines + 2 && (counter.unsure < skip || asked > lines + FAR);
    if (from.offset > 0 && !isSure) continue;
    return { from, skip, records: held };
  }
}

/** Leaves out the first lines of records that begin at a {@linkcode TailStart}'s place. */
export async function* skipLines(
  log: AsyncIterable<LogRecord[]> | Iterable<LogRecord[]>,
  skip: number,
): AsyncGenerator<LogRecord[]> {
  const counter = new LineCounter();
  for await (const records of log) yield records.filter((record) => counter.lineOf(record) >= skip);
}
