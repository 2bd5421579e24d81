import type { ContainerRecord } from "../../records/container_record.ts";
import type { Context, HealthWatch } from "../context.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { activeHealth } from "./health_check.ts";
import { FRESH_HEALTH, type HealthLogEntry, type HealthStates } from "./health_states.ts";
import { runCheck } from "./run_check.ts";

/** How long a probe that failed for reasons of the engine's own waits for the next try. */
const RETRY_MS = 5_000;
/** Between two probes, whatever is asked for: an image's health check is not to take the machine. */
const LEAST_INTERVAL_MS = 100;
/** For each millisecond that the start of a probe keeps the host busy, so many are left for others. */
const SPARED = 4;
/** The longest that a costly probe puts the next one off. */
const LONGEST_SPARED_MS = 30_000;
/** Characters that the checks of a container may have written in a millisecond. */
const WRITTEN_IN_MS = 64;
/** Milliseconds after which a status that has not changed is kept in the history again. */
const KEPT_MS = 10_000;
/** Timers count no further than some weeks. */
const LONGEST_SLEEP_MS = 86_400_000;

/**
 * Runs health checks when they are due, for as long as their containers run. The result and time of each check are on
 * record: an
 * engine that takes over goes on where the last one was.
 */
export class HealthMonitor implements HealthWatch {
  readonly states: HealthStates;
  readonly #watched = new Map<string, AbortController>();
  /** When a status was kept in the history last. */
  readonly #kept = new Map<string, number>();
  readonly #loops = new Set<Promise<void>>();
  readonly #ready = Promise.withResolvers<void>();

  constructor(states: HealthStates) {
    this.states = states;
  }

  /** Lets probes run. Before it none does: what the host still has of an earlier engine's is cleared away first. */
  begin(): void {
    this.#ready.resolve();
  }

  /**
   * Checks a container from now on, anew where it is watched already. Nothing where it has no check.
   *
   * @param isDue Whether the first probe is due at once; else that depends on when the last one was
   */
  watch(context: Context, { id, health }: ContainerRecord, isDue = false): void {
    this.forget(id);
    if (activeHealth(health) === undefined || context.closing.aborted) return;
    const stop = new AbortController();
    context.closing.addEventListener("abort", () => stop.abort(), { signal: stop.signal, once: true });
    this.#watched.set(id, stop);
    const loop = this.#run(context, id, stop, isDue).finally(() => this.#loops.delete(loop));
    this.#loops.add(loop);
  }

  /** Stops checking a container: it does not run any more, or stands still. */
  forget(id: string): void {
    this.#watched.get(id)?.abort();
    this.#watched.delete(id);
    this.#kept.delete(id);
  }

  /** Whether a status goes into the history of events: one that is worth it, and now and then one that is not. */
  keeps(id: string, now: number, isWorth: boolean): boolean {
    const last = this.#kept.get(id);
    const isKept = isWorth || last === undefined || now - last >= KEPT_MS;
    if (isKept && this.#watched.has(id)) this.#kept.set(id, now);
    return isKept;
  }

  /** Resolves when nothing is checked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#loops);
  }

  async #run(context: Context, id: string, stop: AbortController, isFirstDue: boolean): Promise<void> {
    let isDue = isFirstDue;
    let cost = 0;
    await Promise.race([this.#ready.promise, whenAborted(stop.signal)]);
    while (!stop.signal.aborted) {
      const wait = this.#wait(context, id, cost, isDue);
      if (wait === undefined) break;
      try {
        await context.core.clock.sleep(Math.min(wait, LONGEST_SLEEP_MS), stop.signal);
      } catch {
        break;
      }
      if (wait > LONGEST_SLEEP_MS) continue;
      try {
        const run = await runCheck(context, id);
        isDue = run.passed;
        cost = run.cost;
      } catch (error) {
        if (isCode(error, "state", "no_such_container", "cancelled")) break;
        context.core.log("warn", `Check the health of container ${id}: ${messageOf(error)}`);
        await context.core.clock.sleep(RETRY_MS, stop.signal).catch(() => {});
      }
    }
    if (this.#watched.get(id) === stop) this.forget(id);
  }

  /** Milliseconds to the next probe; `undefined` where there is to be none. The first one is due at once. */
  #wait(context: Context, id: string, cost: number, isDue: boolean): number | undefined {
    const record = context.records.get(id);
    const plan = activeHealth(record?.health);
    if (record?.state.status !== "running" || plan === undefined) return undefined;
    const { status, startup, log } = this.states.get(id) ?? FRESH_HEALTH;
    const isStartup = plan.startup !== undefined && !startup.passed;
    const check = isStartup ? plan.startup ?? plan.check : plan.check;
    if (check.interval === 0) return undefined;
    if (isDue) return 0;
    const now = context.core.clock.now();
    const isStarting = status === "starting" && now < record.state.startedAt + check.startPeriod;
    const wanted = isStarting && check.startInterval > 0 ? check.startInterval : check.interval;
    const spared = Math.min(LONGEST_SPARED_MS, SPARED * cost);
    const interval = Math.max(LEAST_INTERVAL_MS, wanted, spared, writtenBy(log) / WRITTEN_IN_MS);
    const last = log.at(-1);
    if (last === undefined) return 0;
    return Math.max(0, Math.min(interval, last.end + interval - now));
  }
}

/** Characters that are written anew with each outcome. */
function writtenBy(log: readonly HealthLogEntry[]): number {
  return log.reduce((sum, { output }) => sum + output.length, 0);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
