import type { ContainerRecord, ContainerStatus } from "../../records/container_record.ts";
import type { ContainerChange } from "../changes.ts";
import type { Context } from "../context.ts";
import { activeHealth } from "../health/health_check.ts";
import { isCode, noSuchContainer } from "../failures.ts";
import { awaitsRestart } from "./restart_wait.ts";
import type { WaitCondition, WaitOptions } from "../options.ts";
import { invalid } from "../../errors.ts";

/** The answer of a wait for a condition other than an exit. */
const NO_EXIT_CODE = -1;

/** Conditions that mean the end of a process, and so have an exit code to give. */
const ENDS: readonly WaitCondition[] = ["exited", "stopped", "not-running", "next-exit", "removed"];

/** Conditions that the next end of a process meets, whatever comes after it. */
const NEXT_ENDS: readonly WaitCondition[] = ["next-exit", "not-running"];

/** Waits until any of the conditions holds; `exited` where there is none. Listens from the moment it is called. */
export function waitForContainer(
  context: Context,
  nameOrID: string,
  conditions: readonly WaitCondition[],
  options: WaitOptions = {},
): Promise<number> {
  const wanted: readonly WaitCondition[] = conditions.length === 0 ? ["exited"] : conditions;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let stop = () => {};
  try {
    options.signal?.throwIfAborted();
    const record = context.records.resolve(nameOrID);
    checkHealth(record, wanted);
    stop = listenForChanges(context, record, wanted, { resolve, reject, signal: options.signal });
  } catch (error) {
    const code = isCode(error, "no_such_container") ? codeOfRemoved(context, nameOrID, wanted) : undefined;
    if (code === undefined) reject(error);
    else resolve(code);
  }
  return promise.finally(() => stop());
}

interface Answer {
  resolve(code: number): void;
  reject(error: unknown): void;
  signal?: AbortSignal;
}

function listenForChanges(
  context: Context,
  record: ContainerRecord,
  wanted: readonly WaitCondition[],
  answer: Answer,
): () => void {
  let last = record;
  const off = context.changes.on(record.id, (change) => {
    const code = meetsCondition(context, wanted, change, last);
    last = change.record ?? last;
    if (code !== undefined) answer.resolve(code);
    else if (!change.record) answer.reject(noSuchContainer(record.id));
  });
  const onAbort = () => answer.reject(answer.signal?.reason);
  answer.signal?.addEventListener("abort", onAbort, { once: true });
  const now = metCondition(context, wanted, record);
  if (now !== undefined) answer.resolve(now);
  return () => {
    off();
    answer.signal?.removeEventListener("abort", onAbort);
  };
}

/** The answer to a change, if it is one. */
function meetsCondition(
  context: Context,
  wanted: readonly WaitCondition[],
  change: ContainerChange,
  last: ContainerRecord,
): number | undefined {
  if (change.exit && wanted.some((condition) => NEXT_ENDS.includes(condition))) return change.exit.code;
  if (change.record) return metCondition(context, wanted, change.record);
  // Gone: whoever waited for an end, or for this, has it.
  const ends = wanted.some((condition) => ENDS.includes(condition) || condition === "removing");
  return ends ? last.state.exitCode : undefined;
}

/** The answer to a container as it is, if any condition holds already. */
function metCondition(
  context: Context,
  wanted: readonly WaitCondition[],
  record: ContainerRecord,
): number | undefined {
  const { id, state: { status, exitCode } } = record;
  const found = status === "running" ? context.health.states.get(id)?.status : undefined;
  const codes = wanted.flatMap((condition) => {
    if (condition === found) return NO_EXIT_CODE;
    // One that waits for its restart counts as running, as in Docker.
    if (condition === "not-running" && awaitsRestart(context, record)) return [];
    return codeFor(condition, status, exitCode) ?? [];
  });
  return codes.find((code) => code !== NO_EXIT_CODE) ?? codes[0];
}

function codeFor(condition: WaitCondition, status: ContainerStatus, exitCode: number): number | undefined {
  switch (condition) {
    case "exited":
    case "stopped":
      // One that never ran counts as ended, as in Podman.
      return status === "exited" || status === "created" || status === "removing" ? exitCode : undefined;
    case "not-running":
      return status === "running" || status === "paused" || status === "stopping" ? undefined : exitCode;
    case "configured":
      return status === "created" ? NO_EXIT_CODE : undefined;
    default:
      return status === condition ? NO_EXIT_CODE : undefined;
  }
}

function checkHealth(record: ContainerRecord, wanted: readonly WaitCondition[]): void {
  const health = wanted.find((condition) => condition === "healthy" || condition === "unhealthy");
  if (health && !activeHealth(record.health)) {
    throw invalid(`cannot use condition "${health}": container ${record.id} has no healthcheck`);
  }
}

function codeOfRemoved(context: Context, id: string, wanted: readonly WaitCondition[]): number | undefined {
  const wantsEnd = wanted.some((condition) => ENDS.includes(condition) && condition !== "next-exit");
  return wantsEnd ? context.records.exitCode(id) : undefined;
}
