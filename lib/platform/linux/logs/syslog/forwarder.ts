/**
 * Sending the lines of containers' logs to a syslog. The supervisor writes a file in any case, which outlives this process; what is
 * sent is read from there, from the place that was reached last. A receiver that is dead or slow makes nobody wait but the
 * sending itself.
 *
 * @module
 */
import { hostname } from "node:os";
import process from "node:process";
import { setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogForwardOptions } from "../../../../engine/ports/host_port.ts";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { parseK8sLog } from "../../../../engine/text/logs/k8s_log.ts";
import { syslogTag } from "../../../../engine/text/logs/log_attributes.ts";
import {
  parseSyslogOptions,
  type SyslogIdentity,
  type SyslogLine,
  syslogMessage,
} from "../../../../engine/text/logs/syslog.ts";
import { messageOf } from "../../../../oci/message_of.ts";
import { type PlacedStream, readOlderFrom } from "../older_files.ts";
import { Datagrams } from "./datagrams.ts";
import { LineParts } from "./line_parts.ts";
import { type Place, PlaceNotes, readProgress } from "./place_notes.ts";
import { openSender, type SyslogSender } from "./senders.ts";

/** Milliseconds between two tries to reach a receiver: the first, and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Milliseconds until a receiver without room is tried again. */
const FULL_PAUSE = 20;
/**
 * Milliseconds that a receiver which is not there, or takes nothing, is tried for once its container has ended; the rest is sent
 * with the next life.
 */
const LAST_TRIES = 30_000;
/** Milliseconds that a receiver which is there has for the rest when the log is deleted. */
const DROP_PATIENCE = 2_000;
/** Milliseconds that a receiver has for what is on its way when the sending ends. */
const LAST_WORDS = 500;
/** Messages that are handed over together. */
const BATCH = 64;
const NEWLINE = 10;

/** The sending of one log. */
interface Sending {
  stop: AbortController;
  done: Promise<void>;
  receiver: Reach;
}

/** Whether a receiver can be reached. */
class Reach {
  #lost = Promise.withResolvers<void>();
  #isLost = false;

  /** Resolves when it cannot be reached. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  lose(): void {
    this.#isLost = true;
    this.#lost.resolve();
  }

  find(): void {
    if (this.#isLost) this.#lost = Promise.withResolvers();
    this.#isLost = false;
  }
}

/** The sending of all logs of a host. */
export class LogForwarder {
  readonly #log: (level: "warn", message: string) => void;
  readonly #datagrams = new Datagrams();
  /** The sending of each log, by the log's path. */
  readonly #running = new Map<string, Sending>();

  constructor(log: (level: "warn", message: string) => void) {
    this.#log = log;
  }

  /** Sends a container's log on until the container has ended and all is sent. Failures are logged. */
  async forward(record: ContainerRecord, options: LogForwardOptions): Promise<void> {
    const { path } = record.log;
    const before = this.#running.get(path);
    const stop = new AbortController();
    const receiver = new Reach();
    const tell = (error: unknown) => {
      receiver.lose();
      this.#log("warn", `Forward the log of container ${record.id}: ${messageOf(error)}`);
    };
    const done = (async () => {
      before?.stop.abort();
      await before?.done;
      const signal = AbortSignal.any([options.signal, stop.signal]);
      try {
        await forwardLog(record, { ...options, signal }, this.#datagrams, { tell, receiver });
      } catch (error) {
        tell(error);
      }
    })();
    const entry = { stop, done, receiver };
    this.#running.set(path, entry);
    await done;
    if (this.#running.get(path) === entry) this.#running.delete(path);
  }

  /** Resolves when nothing more of the log of a container that has ended is sent: all is, where the receiver takes it soon. */
  async drop(path: string): Promise<void> {
    const running = this.#running.get(path);
    if (running === undefined) return;
    const late = new AbortController();
    const patience = sleep(DROP_PATIENCE, undefined, { signal: late.signal }).catch(() => {});
    await Promise.race([running.done, running.receiver.lost, patience]);
    late.abort();
    await this.#stop(running);
  }

  async #stop({ stop, done }: Sending): Promise<void> {
    stop.abort();
    await done;
  }

  /** Ends the helper. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => this.#stop(running)));
    await this.#datagrams.close();
  }
}

async function forwardLog(
  record: ContainerRecord,
  { followUntil, signal }: LogForwardOptions,
  datagrams: Datagrams,
  outcome: DeliveryOutcome,
): Promise<void> {
  const { path } = record.log;
  const target = parseSyslogOptions(record.spec.logOptions);
  const identity: SyslogIdentity = { hostname: hostname(), tag: syslogTag(record), pid: process.pid };
  const given = new AbortController();
  const until = AbortSignal.any([signal, given.signal]);
  const { place, pending } = await readProgress(path);
  const placed = await readOlderFrom(path, place, { followUntil, signal: until });
  if (placed === undefined) throw new Error("its files cannot be followed");
  const notes = new PlaceNotes(path);
  const reader = new PlaceReader(placed);
  const delivery = new Delivery(openSender(target, datagrams), until, outcome);
  void giveUpWithout(delivery, followUntil, until).then(() => given.abort(), () => {});
  const isSamePlace = place?.number === placed.number && place.offset === placed.offset;
  const lines = new LineParts(isSamePlace ? pending : []);
  const send = async (whole: SyslogLine[]): Promise<boolean> => {
    const messages = whole.map((line) => syslogMessage(target, identity, line));
    for (let at = 0; at < messages.length; at += BATCH) {
      if (!await delivery.deliver(messages.slice(at, at + BATCH))) return false;
    }
    await notes.note(reader.place, lines.pending);
    return true;
  };
  try {
    for await (const records of parseK8sLog(reader.chunks())) {
      if (!await send(lines.take(records))) return;
    }
    if (!until.aborted && lines.pending.length > 0) await send(lines.takeRest());
  } finally {
    given.abort();
    delivery.close();
    await notes.flush();
  }
}

/** Resolves when a container has ended and its receiver has taken nothing for a while. Rejects with the signal. */
async function giveUpWithout(delivery: Delivery, followUntil: Promise<void>, signal: AbortSignal): Promise<void> {
  await followUntil;
  for (let seen = -1; seen !== delivery.taken;) {
    seen = delivery.taken;
    await sleep(LAST_TRIES, undefined, { signal, ref: false });
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

/** The parts that hear of a delivery. */
interface DeliveryOutcome {
  /** Hears of the first failure of several. */
  tell: (error: unknown) => void;
  receiver: Reach;
}

/** Hands messages over, however often it takes. */
class Delivery {
  readonly #sender: SyslogSender;
  readonly #signal: AbortSignal;
  readonly #outcome: DeliveryOutcome;
  /** Messages that are on their way when the signal comes are not sent again if they are taken soon. */
  readonly #late = new AbortController();
  #pause = FIRST_PAUSE;
  #taken = 0;

  constructor(sender: SyslogSender, signal: AbortSignal, outcome: DeliveryOutcome) {
    this.#sender = sender;
    this.#signal = signal;
    this.#outcome = outcome;
    signal.addEventListener("abort", () => {
      const timer = setTimeout(() => this.#late.abort(), LAST_WORDS);
      timer.unref();
    }, { once: true });
  }

  /** How many messages were taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Resolves with true when all are taken, with false when the signal is aborted before. */
  async deliver(messages: readonly Uint8Array[]): Promise<boolean> {
    let rest = messages;
    while (rest.length > 0 && !this.#signal.aborted) {
      try {
        const count = await this.#sender.send(rest, this.#late.signal);
        rest = rest.slice(count);
        this.#taken += count;
        this.#outcome.receiver.find();
        this.#pause = FIRST_PAUSE;
        if (count === 0) await this.#wait(FULL_PAUSE);
      } catch (error) {
        if (this.#signal.aborted) return false;
        if (this.#pause === FIRST_PAUSE) this.#outcome.tell(error);
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
