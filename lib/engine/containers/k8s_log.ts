/**
 * The log format of the Kubernetes runtime interface, as conmon writes it: `TIME STREAM F|P TEXT`, where `P` marks a part
 * of a line that goes on in the stream's next record.
 */
import { EngineError } from "../errors.ts";
import type { LogRecord } from "./options.ts";

const NEWLINE = 10;
const SPACE = 32;
const FULL = 70;
const PARTIAL = 80;
/** conmon cuts lines long before this: more is no log. */
const LONGEST_RECORD = 1 << 20;

const text = new TextDecoder();

/** Reads a log from raw bytes, however they are cut. Records that do not parse (a rotation cut them) are left out. */
export async function* parseK8sLog(source: AsyncIterable<Uint8Array>): AsyncGenerator<LogRecord> {
  let rest = new Uint8Array();
  for await (const chunk of source) {
    let bytes: Uint8Array = chunk;
    if (rest.length > 0) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
    }
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const record = parseRecord(bytes.subarray(start, end + 1));
      if (record) yield record;
      start = end + 1;
    }
    // A copy: the chunk is the source's, and may be large.
    rest = bytes.slice(start);
    if (rest.length > LONGEST_RECORD) throw new EngineError("corrupt", "Read log: a record has no end");
  }
}

/** Reads one record, its newline included. The data of a full line keeps that newline: the container wrote it. */
export function parseRecord(bytes: Uint8Array): LogRecord | undefined {
  const time = bytes.indexOf(SPACE);
  const stream = bytes.indexOf(SPACE, time + 1);
  const tag = bytes[stream + 1];
  if (time < 1 || stream < 0 || bytes[stream + 2] !== SPACE || (tag !== FULL && tag !== PARTIAL)) return undefined;
  const name = text.decode(bytes.subarray(time + 1, stream));
  if (name !== "stdout" && name !== "stderr") return undefined;
  const partial = tag === PARTIAL;
  const data = bytes.subarray(stream + 3, partial ? bytes.length - 1 : bytes.length);
  return { time: text.decode(bytes.subarray(0, time)), stream: name, partial, data };
}
