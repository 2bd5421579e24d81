import type { LogRecord } from "../../../../engine/text/logs/k8s_log.ts";
import type { SyslogLine } from "../../../../engine/text/logs/syslog.ts";
import { fromBase64, toBase64 } from "../../../../oci/bytes/base64.ts";
import { concatBytes } from "../../../../oci/bytes/bytes.ts";

/** Bytes of a message's text; longer lines are sent in parts, as Docker does. */
const LONGEST_TEXT = 16 * 1024;
/** Bytes of the parts of a line that a note may hold: those of a line that is not long enough, and one record. */
const LONGEST_NOTE = 128 * 1024;

/** The beginning of a line that goes on. */
export interface PendingLine {
  stream: LogRecord["stream"];
  /** When the last part was written, RFC 3339. */
  time: string;
  parts: Uint8Array[];
}

/** Puts the parts of long lines together. */
export class LineParts {
  readonly #pending: Record<LogRecord["stream"], PendingLine>;

  /** @param pending The beginnings of lines that an earlier sending had read */
  constructor(pending: readonly PendingLine[] = []) {
    const ofStream = (stream: LogRecord["stream"]): PendingLine => {
      return pending.find((line) => line.stream === stream) ?? { stream, time: "", parts: [] };
    };
    this.#pending = { stdout: ofStream("stdout"), stderr: ofStream("stderr") };
  }

  /** The lines of which only the beginning was read. */
  get pending(): PendingLine[] {
    return Object.values(this.#pending).filter(({ parts }) => parts.length > 0);
  }

  /** Returns the lines that are whole, or long enough, with these records. Empty ones are no messages. */
  take(records: readonly LogRecord[]): SyslogLine[] {
    return records.flatMap(({ time, stream, partial, data }) => {
      const pending = this.#pending[stream];
      // A copy: the chunk that a record lies in is large.
      pending.parts.push(partial ? data.slice() : data.subarray(0, data.length - 1));
      pending.time = time;
      const isLong = pending.parts.reduce((size, part) => size + part.length, 0) >= LONGEST_TEXT;
      return partial && !isLong ? [] : this.#end(pending);
    });
  }

  /** Returns the lines that have no end, since their container has ended. */
  takeRest(): SyslogLine[] {
    return this.pending.flatMap((line) => this.#end(line));
  }

  #end({ stream, time, parts }: PendingLine): SyslogLine[] {
    const text = parts.length === 1 ? parts[0] : concatBytes(parts);
    parts.length = 0;
    return text.length === 0 ? [] : [{ time, isError: stream === "stderr", text }];
  }
}

/** Writes the beginnings of lines as text, one a line: the stream, the time and the bytes in base64. */
export function writePending(pending: readonly PendingLine[]): string {
  return pending.map(({ stream, time, parts }) => `${stream} ${time} ${toBase64(concatBytes(parts))}\n`).join("");
}

/** Reads what {@linkcode writePending} has written. Lines that are none are passed over. */
export function readPending(text: string): PendingLine[] {
  return text.split("\n").flatMap((line) => {
    const [, stream, time, bytes] = /^(stdout|stderr) (\S{1,64}) ([A-Za-z0-9+/]*={0,2})$/.exec(line) ?? [];
    if (stream === undefined || bytes.length % 4 !== 0 || bytes.length > LONGEST_NOTE) return [];
    return [{ stream: stream as PendingLine["stream"], time, parts: [fromBase64(bytes)] }];
  });
}
