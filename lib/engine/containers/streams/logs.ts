import type { ContainerRecord } from "../../records/container_record.ts";
import { EngineError } from "../../errors.ts";
import type { LogPlace, LogReadOptions } from "../../ports/host_port.ts";
import { parseRFC3339 } from "../../text/moment.ts";
import { type Context, isLive } from "../context.ts";
import { requireHost } from "../../core.ts";
import { watchExit } from "../life/wait_for_exit.ts";
import { isCode } from "../failures.ts";
import { asksYes } from "../create/choose_log.ts";
import { type LogRecord, parseK8sLog } from "../../text/logs/k8s_log.ts";
import { findTail, type PlacedLog, skipLines } from "./log_tail.ts";
import type { LogsOptions } from "../options.ts";

/** How often the last lines of a log that keeps running away are looked for. */
const TRIES = 5;

/** Milliseconds that two ways of writing one moment may differ by once they are numbers: a clock's time has a quarter of that. */
const PRECISION = 0.001;

/** Reads a container's log, records together as they come. Throws at once, not at the first record, for what cannot be read. */
export function readLogs(context: Context, nameOrID: string, options: LogsOptions): AsyncIterable<LogRecord[]> {
  const record = context.records.resolve(nameOrID);
  requireHost(context.core);
  if (record.log.driver === "none") {
    const sentinel = "this container is not logging output";
    const text = `this container is using the 'none' log driver, cannot read logs: ${sentinel}`;
    throw new EngineError("state", text, { sentinel });
  }
  const { logDriver, logOptions } = record.spec;
  if (logDriver === "syslog" && asksYes(logOptions["cache-disabled"] ?? "0")) {
    throw new EngineError("unsupported", "configured logging driver does not support reading");
  }
  return readRecords(context, record, options);
}

async function* readRecords(
  context: Context,
  record: ContainerRecord,
  options: LogsOptions,
): AsyncGenerator<LogRecord[]> {
  using end = new FollowEnd(context, record, options);
  // The signal is asked for where a log is opened: most of the last lines are at hand without, and it may be made when it is asked for.
  const log: PlacedLog = {
    place: (records) => requireHost(context.core).processes.logPlace(record.log, records),
    open: (from) => openLog(context, record, { from, signal: options.signal }),
  };
  const openLive = (from?: LogPlace) =>
    openLog(context, record, { from, followUntil: end.promise, signal: options.signal });
  const { tail } = options;
  for await (const batch of fromTail(log, openLive, { tail, isLive: end.promise !== undefined })) {
    const fitting = batch.filter((entry) => fitsOptions(entry, options));
    if (fitting.length > 0) yield fitting;
  }
}

/** The last lines and what follows, or everything. */
async function* fromTail(
  log: PlacedLog,
  openLive: (from?: LogPlace) => AsyncIterable<LogRecord[]>,
  { tail, isLive }: { tail: number | undefined; isLive: boolean },
): AsyncGenerator<LogRecord[]> {
  if (tail === undefined) return yield* openLive();
  for (let attempt = 1;; attempt++) {
    try {
      const { from, skip, records } = await findTail(log, tail);
      if (records !== undefined && !isLive) return yield* skipLines([records], skip);
      return yield* skipLines(openLive(from), skip);
    } catch (error) {
      // The supervisor has begun a new file: the place is gone, before anything of it was read.
      if (attempt === TRIES || !isCode(error, "state")) throw error;
    }
  }
}

function fitsOptions(entry: LogRecord, { stdout, stderr, since, until }: LogsOptions): boolean {
  if (entry.stream === "stdout" ? !stdout : !stderr) return false;
  if (since === undefined && until === undefined) return true;
  // Asked for only here: to read a time takes longer than all else that is done to a record.
  const at = parseRFC3339(entry.time);
  return !(since !== undefined && at < since - PRECISION) && !(until !== undefined && at > until + PRECISION);
}

function openLog(context: Context, record: ContainerRecord, options: LogReadOptions): AsyncIterable<LogRecord[]> {
  return parseK8sLog(requireHost(context.core).processes.log(record.log, options));
}

/** When a reader that follows has seen it all: the container ended, or the time asked for has come. */
class FollowEnd implements Disposable {
  /** `undefined` where nothing is followed. */
  readonly promise?: Promise<void>;
  #timer?: AbortController;
  readonly #release: () => void = () => {};

  constructor(context: Context, record: ContainerRecord, { follow, until }: LogsOptions) {
    if (!follow || !isLive(record)) return;
    const watch = watchExit(context, record.id);
    this.#release = () => watch[Symbol.dispose]();
    const ends: Promise<unknown>[] = [watch.ended];
    const { clock } = context.core;
    // A sleep cannot be longer than a timer counts; a day is more than anybody follows to.
    const rest = Math.min((until ?? Infinity) - clock.now(), 86_400_000);
    if (until !== undefined) {
      this.#timer = new AbortController();
      ends.push(clock.sleep(Math.max(0, rest), this.#timer.signal).catch(() => {}));
    }
    this.promise = Promise.race(ends).then(() => {});
  }

  [Symbol.dispose](): void {
    this.#timer?.abort();
    this.#release();
  }
}
