/**
 * Sending the lines of containers' logs to a syslog. The supervisor writes a file in any case, which outlives this process; what is
 * sent is read from there, from the place that was reached last. A receiver that is dead or slow makes nobody wait but the
 * sending itself.
 *
 * @module
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import process from "node:process";
import { setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogForwardOptions } from "../../../../engine/ports/host_port.ts";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { type LogRecord, parseK8sLog } from "../../../../engine/text/logs/k8s_log.ts";
import { syslogTag } from "../../../../engine/text/logs/log_attributes.ts";
import { parseSyslogOptions, type SyslogIdentity, syslogMessage } from "../../../../engine/text/logs/syslog.ts";
import { concatBytes } from "../../../../oci/bytes/bytes.ts";
import { messageOf } from "../../../../oci/message_of.ts";
import { besideOlder, type PlacedStream, readOlderFrom } from "../older_files.ts";
import { Datagrams } from "./datagrams.ts";
import { openSender, type SyslogSender } from "./senders.ts";

/** Milliseconds between two tries to reach a receiver: the first, and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Milliseconds until a receiver without room is tried again. */
const FULL_PAUSE = 20;
/** Milliseconds that a receiver which is not there is tried for once its container has ended; the rest is sent with the next life. */
const LAST_TRIES = 30_000;
/** Milliseconds between two notes of how far the sending has come; a crash has that much sent twice. */
const NOTE_EVERY = 1_000;
/** Milliseconds that a receiver has for what is on its way when the sending ends. */
const LAST_WORDS = 500;
/** Bytes of a message's text; longer lines are sent in parts, as Docker does. */
const LONGEST_TEXT = 16 * 1024;
/** Messages that are handed over together. */
const BATCH = 64;
const NEWLINE = 10;

/** A place in a log: bytes of one of its files. */
interface Place {
  number: number;
  offset: number;
}

/** The sending of all logs of a host. */
export class LogForwarder {
  readonly #log: (level: "warn", message: string) => void;
  readonly #datagrams = new Datagrams();
  /** The sending of each log, by the log's path. */
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();

  constructor(log: (level: "warn", message: string) => void) {
    this.#log = log;
  }

  /** Sends a container's log on until the container has ended and all is sent. Failures are logged. */
  async forward(record: ContainerRecord, options: LogForwardOptions): Promise<void> {
    const { path } = record.log;
    const before = this.#running.get(path);
    const stop = new AbortController();
    const done = (async () => {
      before?.stop.abort();
      await before?.done;
      const signal = AbortSignal.any([options.signal, stop.signal]);
      try {
        await forwardLog(record, { ...options, signal }, this.#datagrams, this.#log);
      } catch (error) {
        this.#log("warn", `Forward the log of container ${record.id}: ${messageOf(error)}`);
      }
    })();
    const entry = { stop, done };
    this.#running.set(path, entry);
    await done;
    if (this.#running.get(path) === entry) this.#running.delete(path);
  }

  /** Resolves when nothing more of a log is sent. */
  async drop(path: string): Promise<void> {
    const running = this.#running.get(path);
    running?.stop.abort();
    await running?.done;
  }

  /** Ends the helper. */
  async close(): Promise<void> {
    for (const path of [...this.#running.keys()]) await this.drop(path);
    await this.#datagrams.close();
  }
}

async function forwardLog(
  record: ContainerRecord,
  { followUntil, signal }: LogForwardOptions,
  datagrams: Datagrams,
  log: (level: "warn", message: string) => void,
): Promise<void> {
  const { path } = record.log;
  const target = parseSyslogOptions(record.spec.logOptions);
  const identity: SyslogIdentity = { hostname: hostname(), tag: syslogTag(record), pid: process.pid };
  const given = new AbortController();
  const until = AbortSignal.any([signal, given.signal]);
  const placed = await readOlderFrom(path, await readPlace(path), { followUntil, signal: until });
  if (placed === undefined) throw new Error("its files cannot be followed");
  const notes = new PlaceNotes(path);
  const reader = new PlaceReader(placed);
  const delivery = new Delivery(openSender(target, datagrams), until, (error) => {
    log("warn", `Forward the log of container ${record.id}: ${messageOf(error)}`);
  });
  void followUntil.then(() => sleep(LAST_TRIES, undefined, { signal: until, ref: false })).then(
    () => given.abort(),
    () => {},
  );
  const lines = new LineParts();
  try {
    for await (const records of parseK8sLog(reader.chunks())) {
      const messages = lines.take(records).map((line) => syslogMessage(target, identity, line));
      for (let at = 0; at < messages.length; at += BATCH) {
        if (!await delivery.deliver(messages.slice(at, at + BATCH))) return;
      }
      // A part of a line that goes on is read again.
      if (!lines.hasParts) await notes.note(reader.place);
    }
  } finally {
    given.abort();
    delivery.close();
    await notes.flush();
  }
}

/** The chunks of a log, and the place behind the last whole record of those that were read. */
class PlaceReader {
  readonly #placed: PlacedStream;
  #number: number;
  #read: number;
  #pending = 0;

  constructor(placed: PlacedStream) {
    this.#placed = placed;
    this.#number = placed.number;
    this.#read = placed.offset;
  }

  get place(): Place {
    return { number: this.#number, offset: this.#read - this.#pending };
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#placed.stream) {
      const { number } = this.#placed;
      if (number !== this.#number) [this.#number, this.#read, this.#pending] = [number, 0, 0];
      this.#read += chunk.length;
      const end = chunk.lastIndexOf(NEWLINE);
      this.#pending = end < 0 ? this.#pending + chunk.length : chunk.length - end - 1;
      yield chunk;
    }
  }
}

/** Puts the parts of long lines together. */
class LineParts {
  readonly #parts: Record<LogRecord["stream"], Uint8Array[]> = { stdout: [], stderr: [] };

  /** Whether a line is not whole yet. */
  get hasParts(): boolean {
    return this.#parts.stdout.length > 0 || this.#parts.stderr.length > 0;
  }

  /** Returns the lines that are whole, or long enough, with these records. Empty ones are no messages. */
  take(records: readonly LogRecord[]) {
    return records.flatMap(({ time, stream, partial, data }) => {
      const parts = this.#parts[stream];
      // A copy: the chunk that a record lies in is large.
      parts.push(partial ? data.slice() : data.subarray(0, data.length - 1));
      const isLong = parts.reduce((size, part) => size + part.length, 0) >= LONGEST_TEXT;
      if (partial && !isLong) return [];
      const text = parts.length === 1 ? parts[0] : concatBytes(parts);
      parts.length = 0;
      return text.length === 0 ? [] : [{ time, isError: stream === "stderr", text }];
    });
  }
}

/** Hands messages over, however often it takes. */
class Delivery {
  readonly #sender: SyslogSender;
  readonly #signal: AbortSignal;
  readonly #tell: (error: unknown) => void;
  /** Messages that are on their way when the signal comes are not sent again if they are taken soon. */
  readonly #late = new AbortController();
  #pause = FIRST_PAUSE;

  /** @param tell Hears of the first failure of several */
  constructor(sender: SyslogSender, signal: AbortSignal, tell: (error: unknown) => void) {
    this.#sender = sender;
    this.#signal = signal;
    this.#tell = tell;
    signal.addEventListener("abort", () => {
      const timer = setTimeout(() => this.#late.abort(), LAST_WORDS);
      timer.unref();
    }, { once: true });
  }

  /** Resolves with true when all are taken, with false when the signal is aborted before. */
  async deliver(messages: readonly Uint8Array[]): Promise<boolean> {
    let rest = messages;
    while (rest.length > 0 && !this.#signal.aborted) {
      try {
        const count = await this.#sender.send(rest, this.#late.signal);
        rest = rest.slice(count);
        this.#pause = FIRST_PAUSE;
        if (count === 0) await this.#wait(FULL_PAUSE);
      } catch (error) {
        if (this.#signal.aborted) return false;
        if (this.#pause === FIRST_PAUSE) this.#tell(error);
        this.#sender.close();
        await this.#wait(this.#pause);
        this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
      }
    }
    return rest.length === 0;
  }

  close(): void {
    this.#sender.close();
  }

  async #wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** Writes down how far the sending has come, now and then. */
class PlaceNotes {
  readonly #path: string;
  #place: Place | undefined;
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async note(place: Place): Promise<void> {
    this.#place = place;
    if (performance.now() - this.#last >= NOTE_EVERY) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#place === undefined) return;
    this.#last = performance.now();
    const file = besideOlder(this.#path, "sent");
    const { number, offset } = this.#place;
    this.#place = undefined;
    // The folder may be gone: its container is removed.
    await writeFile(`${file}.new`, `${number} ${offset}\n`).then(() => rename(`${file}.new`, file)).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function readPlace(path: string): Promise<Place | undefined> {
  const text = await readFile(besideOlder(path, "sent"), "utf8").catch(() => "");
  const [, number, offset] = /^(\d{1,15}) (\d{1,15})\n$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), offset: Number(offset) };
}
