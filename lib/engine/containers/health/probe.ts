import type { Clock } from "../../ports/ports.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { ExecExit } from "../../ports/exec_port.ts";
import type { Attachment } from "../../ports/host_port.ts";
import type { GRPCHealthQuestion } from "../../ports/network_port.ts";
import { randomID } from "../../text/names.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { exitsWithin } from "../life/wait_for_exit.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { grpcQuestion, probeCommand } from "./health_check.ts";
import type { HealthLogEntry } from "./health_states.ts";
import type { HealthCheck } from "../../records/health_plan.ts";

/** Bytes of output kept where nothing else is asked for. */
const MOST_OUTPUT = 64 * 1024;
const FAILED = 1;
const CANNOT_RUN = 125;
/** The exit code of a probe that took too long. */
export const TIMED_OUT = -1;

/** The outcome of a probe. */
export interface ProbeResult {
  entry: HealthLogEntry;
  /** Milliseconds for which the host was busy with starting it. */
  cost: number;
}

/**
 * Runs a check's command in a container, once. It is no exec session of anybody's: nobody lists it, and what the engine's
 * end leaves of one is cleared away by its next run. `undefined` where the engine closed meanwhile.
 *
 * @param size Characters of output to keep; 0: all there is room for
 */
export function probeContainer(
  context: Context,
  record: ContainerRecord,
  check: Pick<HealthCheck, "test" | "timeout">,
  size: number,
): Promise<ProbeResult | undefined> {
  const question = grpcQuestion(check.test);
  return question === undefined
    ? runProbe(context, record, check, size)
    : askProbe(context, record, { ...question, timeout: check.timeout });
}

async function askProbe(
  context: Context,
  { state: { pid } }: ContainerRecord,
  question: Omit<GRPCHealthQuestion, "pid">,
): Promise<ProbeResult | undefined> {
  const { clock } = context.core;
  const start = clock.now();
  const { isServing, text } = await requireHost(context.core).networks.askGRPCHealth({ pid, ...question });
  if (context.closing.aborted) return undefined;
  return { entry: { start, end: clock.now(), exitCode: isServing ? 0 : FAILED, output: text }, cost: 0 };
}

async function runProbe(
  context: Context,
  record: ContainerRecord,
  { test, timeout }: Pick<HealthCheck, "test" | "timeout">,
  size: number,
): Promise<ProbeResult | undefined> {
  const { clock, random } = context.core;
  const { execs } = requireHost(context.core).processes;
  const id = randomID(random);
  const exit = Promise.withResolvers<ExecExit>();
  const off = execs.onExit((ended, status) => void (ended === id && exit.resolve(status)));
  const closing = Promise.withResolvers<void>();
  context.closing.addEventListener("abort", () => closing.resolve(), { signal: abortAtEnd(exit.promise) });
  const start = clock.now();
  let running: number | undefined;
  const found = (exitCode: number, output: string) => {
    const end = clock.now();
    return { entry: { start, end, exitCode, output }, cost: (running ?? end) - start };
  };
  let attachment: Attachment | undefined;
  const reader = new OutputReader(size > 0 ? Math.min(size, MOST_OUTPUT) : MOST_OUTPUT, clock);
  try {
    const process = { args: probeCommand(test), env: [], terminal: false, privileged: false };
    const streams = { stdin: false, stdout: true, stderr: true, isMerged: true };
    ({ attachment } = await context.core.executing.use(() => execs.start({ id, record, process, streams })));
    running = clock.now();
    const read = attachment ? reader.read(attachment.output) : Promise.resolve();
    const done = Promise.all([exit.promise, read]);
    const isOver = await exitsWithin(context, Promise.race([done, closing.promise]), timeout);
    if (context.closing.aborted) return undefined;
    if (isOver) return found((await exit.promise).code === 0 ? 0 : FAILED, reader.text);
    return found(TIMED_OUT, reader.text);
  } catch (error) {
    const isCommand = isCode(error, "command_not_found", "command_not_executable");
    return found(isCommand ? FAILED : CANNOT_RUN, messageOf(error).slice(0, size || MOST_OUTPUT));
  } finally {
    off();
    // It ends the listening above where the probe itself did not.
    exit.resolve({ code: TIMED_OUT, time: start });
    attachment?.close();
    // With all it has started.
    await execs.delete(id);
  }
}

/** A signal for when something is over. */
function abortAtEnd(promise: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void promise.then(() => controller.abort());
  return controller.signal;
}

/** Milliseconds between two reads of output that nobody keeps. */
const IDLE_READ = 20;

/**
 * Keeps the beginning of an output. It reads the rest too, so that the probe does not wait for ever to write it, but slowly: a
 * probe that prints without end costs the server neither memory nor processor time.
 */
class OutputReader {
  text = "";
  readonly #most: number;
  readonly #decoder = new TextDecoder();
  readonly #clock: Clock;

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  async read(output: Attachment["output"]): Promise<void> {
    for await (const { data } of output) {
      if (this.text.length >= this.#most) {
        await this.#clock.sleep(IDLE_READ);
        continue;
      }
      this.text = (this.text + this.#decoder.decode(data, { stream: true })).slice(0, this.#most);
    }
  }
}
