/**
 * The log format of the Kubernetes runtime interface, as conmon writes it: `TIME STREAM F|P TEXT`, where `P` marks a part
 * of a line that goes on in the stream's next record.
 */
import { EngineError } from "../../errors.ts";

const NEWLINE = 10;
const SPACE = 32;
const FULL = 70;
const PARTIAL = 80;
/** Both names are as long. */
const NAME = "stdout".length;
/** The streams by their name's fourth letter, in which they differ. */
const STREAMS: Record<number, LogRecord["stream"]> = { 111: "stdout", 101: "stderr" };
/** conmon cuts lines long before this: more is no log. */
const LONGEST_RECORD = 1 << 20;

const text = new TextDecoder();

/** One record of a container's log: a line, or a part of one. */
export interface LogRecord {
  /** When it was written, RFC 3339 with nanoseconds, as logged. */
  time: string;
  stream: "stdout" | "stderr";
  /** True when the line goes on in the stream's next record: `data` then has no newline at its end, else it has one. */
  partial: boolean;
  data: Uint8Array;
}

/**
 * Reads a log from raw bytes, however they are cut; the records of a chunk come together. Records that do not parse (a
 * rotation cut them) are left out.
 */
export async function* parseK8sLog(source: AsyncIterable<Uint8Array>): AsyncGenerator<LogRecord[]> {
  let rest = new Uint8Array();
  for await (const chunk of source) {
    let bytes: Uint8Array = chunk;
    if (rest.length > 0) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
    }
    const records: LogRecord[] = [];
    const start = takeRecords(bytes, records);
    if (records.length > 0) yield records;
    // A copy: the chunk is the source's, and may be large.
    rest = bytes.slice(start);
    if (rest.length > LONGEST_RECORD) throw new EngineError("corrupt", "Read log: a record has no end");
  }
}

/** Returns the records of bytes that are at hand, as {@linkcode parseK8sLog} does: one without an end is left out. */
export function wholeRecords(bytes: Uint8Array): LogRecord[] {
  const records: LogRecord[] = [];
  takeRecords(bytes, records);
  return records;
}

/** Adds the records that end in the bytes, and returns where the next one begins. */
function takeRecords(bytes: Uint8Array, records: LogRecord[]): number {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const record = parseRecord(bytes, start, end);
    if (record) records.push(record);
    start = end + 1;
  }
  return start;
}

/** A record as it stands in the log's bytes. Few readers ask when it was written: that is read when it is asked for. */
class K8sRecord implements LogRecord {
  readonly stream: LogRecord["stream"];
  readonly partial: boolean;
  readonly data: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  constructor(
    stamp: { bytes: Uint8Array; start: number; end: number },
    stream: LogRecord["stream"],
    partial: boolean,
    data: Uint8Array,
  ) {
    this.#bytes = stamp.bytes;
    this.#start = stamp.start;
    this.#end = stamp.end;
    this.stream = stream;
    this.partial = partial;
    this.data = data;
  }

  get time(): string {
    return text.decode(this.#bytes.subarray(this.#start, this.#end));
  }
}

/** Reads the record from `start` to its newline at `end`. The data of a full line keeps that newline: the container wrote it. */
function parseRecord(bytes: Uint8Array, start: number, end: number): LogRecord | undefined {
  let time = start;
  while (time < end && bytes[time] !== SPACE) time++;
  const stream = STREAMS[bytes[time + 4]];
  const tag = time + NAME + 2;
  if (time === start || tag + 1 >= end || !stream || !spellsAt(bytes, time + 1, stream)) return undefined;
  const partial = bytes[tag] === PARTIAL;
  if (bytes[tag - 1] !== SPACE || bytes[tag + 1] !== SPACE || (!partial && bytes[tag] !== FULL)) return undefined;
  const data = bytes.subarray(tag + 2, partial ? end : end + 1);
  return new K8sRecord({ bytes, start, end: time }, stream, partial, data);
}

function spellsAt(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < NAME; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false;
  return true;
}
