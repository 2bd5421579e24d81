import type { ContainerRecord } from "../container_record.ts";
import { EngineError } from "../errors.ts";
import { parseRFC3339 } from "../timestamp.ts";
import { type Context, hostOf, isLive } from "./context.ts";
import { watchEnd } from "./ended.ts";
import { parseK8sLog } from "./k8s_log.ts";
import { findTail, type OpenLog, readFrom } from "./log_tail.ts";
import type { LogRecord, LogsOptions } from "./options.ts";

/** How often the last lines of a log that keeps running away are looked for. */
const TRIES = 5;

/** Reads a container's log. Throws at once, not at the first record, for what cannot be read. */
export function readLogs(context: Context, nameOrID: string, options: LogsOptions): AsyncIterable<LogRecord> {
  const record = context.records.resolve(nameOrID);
  hostOf(context);
  if (record.log.driver === "none") {
    const sentinel = "this container is not logging output";
    const text = `this container is using the 'none' log driver, cannot read logs: ${sentinel}`;
    throw new EngineError("state", text, { sentinel });
  }
  return records(context, record, options);
}

async function* records(context: Context, record: ContainerRecord, options: LogsOptions): AsyncGenerator<LogRecord> {
  using end = new FollowEnd(context, record, options);
  const open: OpenLog = (tailRecords) => openLog(context, record, { tailRecords, signal: options.signal });
  const openLive: OpenLog = (tailRecords) => {
    return openLog(context, record, { tailRecords, followUntil: end.promise, signal: options.signal });
  };
  for await (const entry of fromTail(open, openLive, options.tail)) {
    if (fits(entry, options)) yield entry;
  }
}

/** The last lines and what follows, or everything. */
async function* fromTail(open: OpenLog, openLive: OpenLog, tail: number | undefined): AsyncGenerator<LogRecord> {
  if (tail === undefined) return yield* openLive();
  for (let attempt = 0; attempt < TRIES; attempt++) {
    let isGone = false;
    for await (const record of readFrom(openLive, await findTail(open, tail))) {
      isGone = record === undefined;
      if (record) yield record;
    }
    if (!isGone) return;
  }
}

function fits({ time, stream }: LogRecord, { stdout, stderr, since, until }: LogsOptions): boolean {
  if (stream === "stdout" ? !stdout : !stderr) return false;
  if (since === undefined && until === undefined) return true;
  const at = parseRFC3339(time);
  return !(since !== undefined && at < since) && !(until !== undefined && at > until);
}

interface OpenOptions {
  tailRecords?: number;
  followUntil?: Promise<void>;
  signal?: AbortSignal;
}

function openLog(context: Context, record: ContainerRecord, options: OpenOptions): AsyncIterable<LogRecord> {
  return parseK8sLog(hostOf(context).processes.log(record.log, options));
}

/** When a reader that follows has seen it all: the container ended, or the time asked for has come. */
class FollowEnd implements Disposable {
  /** `undefined` where nothing is followed. */
  readonly promise?: Promise<void>;
  readonly #timer = new AbortController();
  readonly #release: () => void = () => {};

  constructor(context: Context, record: ContainerRecord, { follow, until }: LogsOptions) {
    if (!follow || !isLive(record)) return;
    const watch = watchEnd(context, record.id);
    this.#release = () => watch[Symbol.dispose]();
    const ends: Promise<unknown>[] = [watch.ended];
    const { clock } = context.core;
    // A sleep cannot be longer than a timer counts; a day is more than anybody follows to.
    const rest = Math.min((until ?? Infinity) - clock.now(), 86_400_000);
    if (until !== undefined) ends.push(clock.sleep(Math.max(0, rest), this.#timer.signal).catch(() => {}));
    this.promise = Promise.race(ends).then(() => {});
  }

  [Symbol.dispose](): void {
    this.#timer.abort();
    this.#release();
  }
}
