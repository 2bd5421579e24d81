/** Running a container's health check, and what follows of its outcome. */
import type { ContainerRecord } from "../../records/container_record.ts";
import { EngineError } from "../../errors.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { restartContainer } from "../life/lifecycle.ts";
import { hadEnded, killContainer, stopContainer } from "../life/stop.ts";
import { activeHealth } from "./health_check.ts";
import { FRESH_HEALTH, type HealthLogEntry, type HealthState } from "./health_states.ts";
import { probeContainer, type ProbeResult, TIMED_OUT } from "./probe.ts";
import type { HealthCheck, HealthPlan } from "../../records/health_plan.ts";

/** However much is asked for, a container's log of probes holds no more than this. */
const MOST_ENTRIES = 1000;
const MOST_CHARACTERS = 256 * 1024;
/** The size of an entry without its output, in characters. */
const ENTRY_CHARACTERS = 100;

/** The outcome of a check's run: `starting` where it failed and that does not count yet. */
export type HealthOutcome = "healthy" | "unhealthy" | "starting" | "stopped";

/** A run of a check, and what has to be done about the container. */
export interface HealthRun {
  outcome: HealthOutcome;
  /** The check of a container that comes up has passed just now: the other one is due. */
  passed: boolean;
  entry: HealthLogEntry;
  /** Milliseconds for which the host was busy with starting it. */
  cost: number;
}

type Active = HealthPlan & { check: HealthCheck };

/**
 * Runs the container's health check, or the one for its start as long as that has not passed, and records what it found.
 * Throws `state` where the container does not run or has none. Runs of one container never overlap.
 */
export async function runCheck(context: Context, nameOrID: string): Promise<HealthRun> {
  requireHost(context.core);
  const { id, state } = context.records.resolve(nameOrID);
  if (state.status !== "running") throw notRunning(id);
  const { run, act } = await context.core.locks.with(`health:${id}`, () => runOnce(context, id));
  await act?.();
  return run;
}

/** Returns the outcome for the caller of a manual check. Throws `timeout` where the check took too long. */
export function answerOf({ outcome, entry }: HealthRun, { health }: ContainerRecord): HealthOutcome {
  if (entry.exitCode !== TIMED_OUT) return outcome;
  const seconds = (health?.check?.timeout ?? 0) / 1000;
  throw new EngineError("timeout", `healthcheck command exceeded timeout of ${seconds}s`);
}

async function runOnce(context: Context, id: string): Promise<{ run: HealthRun; act?: () => Promise<void> }> {
  const record = context.records.require(id);
  if (record.state.status === "paused") throw notRunning(id);
  // The container ended while an earlier run held the lock.
  if (record.state.status !== "running") return { run: stoppedRun(context.core.clock.now()) };
  const plan = activeHealth(record.health);
  if (plan === undefined) throw new EngineError("state", `container ${id} has no defined healthcheck`);
  const { startup } = context.health.states.get(id) ?? FRESH_HEALTH;
  const check = plan.startup && !startup.passed ? plan.startup : plan.check;
  let found = await probeOnce(context, record, check, plan);
  let { cost } = found;
  let asked = check;
  if (check === plan.check && plan.readiness && found.entry.exitCode === 0) {
    asked = plan.readiness;
    found = await probeOnce(context, record, asked, plan);
    cost += found.cost;
  }
  const { run, act } = await withContainerLock(
    context,
    id,
    () => noteResult(context, record, plan, asked, found.entry),
  );
  return { run: { ...run, cost }, act };
}

async function probeOnce(
  context: Context,
  record: ContainerRecord,
  check: HealthCheck,
  plan: Active,
): Promise<ProbeResult> {
  const found = await probeContainer(context, record, check, plan.log.size);
  if (found !== undefined) return found;
  throw new EngineError("cancelled", `Check container ${record.id}: the engine closes`);
}

function stoppedRun(now: number): HealthRun {
  const entry = { start: now, end: now, exitCode: 1, output: "" };
  return { outcome: "stopped", passed: false, entry, cost: 0 };
}

function notRunning(id: string): EngineError {
  return new EngineError("state", `container ${id} is not running`);
}

/** Records an outcome. The caller holds the container's lock. */
async function noteResult(
  context: Context,
  checked: ContainerRecord,
  plan: Active,
  check: HealthCheck,
  entry: HealthLogEntry,
): Promise<{ run: Omit<HealthRun, "cost">; act?: () => Promise<void> }> {
  const { id } = checked;
  const record = context.records.get(id);
  const isSameLife = record?.state.startedAt === checked.state.startedAt;
  const runs = isSameLife && ["running", "paused"].includes(record.state.status);
  // A paused container does not answer, which says nothing of its health.
  if (isSameLife && record.state.status === "paused" && entry.exitCode !== 0) throw notRunning(id);
  const isStartup = check === plan.startup;
  const isReadiness = check === plan.readiness;
  const outcome = outcomeOf(entry, isStartup, runs);
  // The outcome does not concern a container that is gone, or was started anew.
  if (!isSameLife || !runs && record.state.status === "removing") return { run: { outcome, passed: false, entry } };
  const before = context.health.states.get(id) ?? FRESH_HEALTH;
  const startup = isStartup ? countStartup(before, plan, entry) : before.startup;
  const isSpared = isStartup || entry.start < record.state.startedAt + sparedFor(record, plan.check);
  const judged = isReadiness
    ? judgeReadiness(before, entry, outcome, check.retries)
    : judgeResult(before, entry, outcome, isSpared ? Infinity : plan.check.retries);
  const health = { ...judged, startup };
  const next: HealthState = { ...health, log: trimLog([...before.log, entry], plan) };
  const isUnhealthy = !isStartup && !isReadiness && next.status === "unhealthy";
  await context.health.states.save(id, isUnhealthy && plan.onFailure === "restart" ? { ...next, restart: true } : next);
  context.changes.publish(id, { record });
  await reportStatus(context, record, plan, next, entry, before.status !== next.status);
  const passed = startup.passed && !before.startup.passed;
  const gaveUp = isStartup && !startup.passed && check.retries > 0 && startup.failures >= check.retries;
  const act = gaveUp
    ? () => restartContainer(context, id)
    : isUnhealthy && runs
    ? ACTIONS[plan.onFailure](context, id)
    : undefined;
  return { run: { outcome, passed, entry }, act };
}

/** Milliseconds from the start on in which a failure does not count. Docker asks for the first time when an interval is over. */
function sparedFor({ spec }: ContainerRecord, { startPeriod, interval }: HealthCheck): number {
  return spec.defaults === "docker" ? Math.max(startPeriod, interval) : startPeriod;
}

function outcomeOf({ exitCode }: HealthLogEntry, isStartup: boolean, runs: boolean): HealthOutcome {
  if (exitCode === 0) return "healthy";
  if (!runs) return "stopped";
  return isStartup ? "starting" : "unhealthy";
}

function countStartup(
  { startup }: HealthState,
  plan: HealthPlan,
  { exitCode }: HealthLogEntry,
): HealthState["startup"] {
  if (exitCode !== 0) return { passed: false, successes: 0, failures: startup.failures + 1 };
  const successes = startup.successes + 1;
  const passed = successes >= (plan.startup?.successes || 1);
  return passed ? { passed, successes: 0, failures: 0 } : { ...startup, successes };
}

/** The state after an outcome, but for its log. */
function judgeResult(
  before: HealthState,
  { exitCode }: HealthLogEntry,
  outcome: HealthOutcome,
  retries: number,
): HealthState {
  if (exitCode === 0) return { ...before, status: "healthy", failingStreak: 0 };
  if (outcome === "stopped") return { ...before, status: "stopped" };
  if (retries === Infinity) return before;
  const failingStreak = before.failingStreak + 1;
  return { ...before, failingStreak, status: failingStreak >= retries ? "unhealthy" : before.status };
}

/**
 * The state after the check for readiness, which runs once the other one has passed. A container that was never ready is still starting,
 * however long that takes.
 */
function judgeReadiness(
  before: HealthState,
  entry: HealthLogEntry,
  outcome: HealthOutcome,
  retries: number,
): HealthState {
  if (entry.exitCode === 0 || outcome === "stopped") {
    return { ...judgeResult(before, entry, outcome, retries), notReady: 0 };
  }
  const notReady = (before.notReady ?? 0) + 1;
  const isLost = before.status === "healthy" && notReady >= retries;
  return { ...before, failingStreak: 0, notReady, status: isLost ? "unhealthy" : before.status };
}

function trimLog(log: HealthLogEntry[], { log: { count } }: HealthPlan): HealthLogEntry[] {
  const kept = log.slice(-Math.min(count || MOST_ENTRIES, MOST_ENTRIES));
  let size = 0;
  const from = kept.findLastIndex(({ output }) => (size += output.length + ENTRY_CHARACTERS) > MOST_CHARACTERS);
  return kept.slice(from + 1);
}

async function reportStatus(
  context: Context,
  record: ContainerRecord,
  { log: { destination } }: HealthPlan,
  health: HealthState,
  entry: HealthLogEntry,
  isNew: boolean,
): Promise<void> {
  const isLogger = destination === "events_logger";
  const details = isLogger
    ? { health_failing_streak: String(health.failingStreak), health_log: JSON.stringify(toldEntry(entry)) }
    : undefined;
  // Repeated outcomes must not drive everything else out of the history.
  const isKept = context.health.keeps(record.id, entry.end, isNew || isLogger);
  emitEvent(context, record, "health_status", undefined, details, {
    health: { status: health.status, isNew },
    isPassing: !isKept,
  });
  if (!destination.startsWith("/")) return;
  const { status: Status, failingStreak: FailingStreak, log } = health;
  const text = JSON.stringify({ Status, FailingStreak, Log: log.map(toldEntry) });
  try {
    await requireHost(context.core).files.writeText(`${destination}/${record.id}-healthcheck.log`, text);
  } catch (error) {
    context.core.log("warn", `Write the health log of container ${record.id}: ${messageOf(error)}`);
  }
}

/** As Podman writes it to files and events. */
function toldEntry({ start, end, exitCode, output }: HealthLogEntry): Record<string, unknown> {
  const time = (ms: number) => new Date(ms).toISOString();
  return { Start: time(start), End: time(end), ExitCode: exitCode, Output: output };
}

const ACTIONS: Record<HealthPlan["onFailure"], (context: Context, id: string) => (() => Promise<void>) | undefined> = {
  none: () => undefined,
  kill: (context, id) => () => killContainer(context, id),
  stop: (context, id) => () => stopUnhealthy(context, id),
  // Its state says that the end is to be followed by a start.
  restart: (context, id) => () => stopUnhealthy(context, id),
};

async function stopUnhealthy(context: Context, id: string): Promise<void> {
  try {
    await stopContainer(context, id);
  } catch (error) {
    if (!hadEnded(error)) throw error;
  }
}
