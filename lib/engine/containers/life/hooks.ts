/** Lifecycle hooks: commands that are run in a container behind its start and before its stop. */
import { requireHost } from "../../core.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { LifecycleHook } from "../../records/lifecycle_hooks.ts";
import { SIGKILL } from "../../text/signals.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { isCode } from "../failures.ts";
import { probeContainer } from "../health/probe.ts";
import { type ExitWatch, watchExit } from "./wait_for_exit.ts";

/** Characters of a hook's output that the log quotes. */
const MOST_OUTPUT = 500;
/** The longest that a hook behind a start may take: Kubernetes has no bound, and a hook that hangs for ever helps nobody. */
const LONGEST_MS = 3_600_000;
/** The time that is left for the signal, whatever a hook took: the same as in Kubernetes. */
const LEAST_GRACE_MS = 2_000;

/** Runs the hook behind a container's start, behind its answer; a container whose hook fails is killed. An engine that closes meanwhile does not run it again. */
export function runPostStart(context: Context, running: ContainerRecord): void {
  const hook = running.spec.hooks?.postStart;
  if (hook !== undefined) {
    context.background(`run the postStart hook of ${running.id}`, followStart(context, running, hook));
  }
}

async function followStart(context: Context, running: ContainerRecord, hook: LifecycleHook): Promise<void> {
  const { id } = running;
  using watch = watchExit(context, id);
  const failure = await runHook(context, running, hook, { ms: LONGEST_MS, watch });
  if (failure === undefined || context.closing.aborted) return;
  await withContainerLock(context, id, async () => {
    const record = context.records.get(id);
    const isSame = record?.state.status === "running" && record.state.startedAt === running.state.startedAt;
    if (!isSame) return;
    context.core.log("warn", `The postStart hook of container ${id} failed, so it is killed: ${failure}`);
    await requireHost(context.core).processes.kill(id, SIGKILL).catch((error) => {
      // Its end may be on the way.
      if (!isCode(error, "state", "no_such_container")) throw error;
    });
    emitEvent(context, record, "kill", undefined, { signal: String(SIGKILL) });
  });
}

/**
 * Runs the hook before a container's stop, for at most `ms`. Returns the milliseconds that are left of them, and two seconds at least. A failure is logged.
 *
 * @param watch For the container's end, which ends the hook
 */
export async function runPreStop(
  context: Context,
  record: ContainerRecord,
  ms: number,
  watch: ExitWatch,
): Promise<number> {
  const hook = record.spec.hooks?.preStop;
  if (hook === undefined || ms <= 0) return ms;
  const start = context.core.clock.now();
  const failure = await runHook(context, record, hook, { ms, watch });
  if (failure !== undefined) context.core.log("warn", `The preStop hook of container ${record.id} failed: ${failure}`);
  return Math.max(LEAST_GRACE_MS, ms - (context.core.clock.now() - start));
}

/** Returns why a hook failed; `undefined` for one that did not, and where the container ended first. */
async function runHook(
  context: Context,
  record: ContainerRecord,
  hook: LifecycleHook,
  { ms, watch }: { ms: number; watch: ExitWatch },
): Promise<string | undefined> {
  if (hook.kind === "sleep") {
    const over = new AbortController();
    void watch.ended.then(() => over.abort());
    const signal = AbortSignal.any([over.signal, context.closing]);
    await context.core.clock.sleep(Math.min(hook.seconds * 1000, ms), signal).catch(() => {});
    return undefined;
  }
  const probe = probeContainer(context, record, { test: ["CMD", ...hook.command], timeout: ms }, MOST_OUTPUT);
  const found = await Promise.race([probe, watch.ended.then(() => undefined)]);
  if (found === undefined || found.entry.exitCode === 0) return undefined;
  const output = found.entry.output.trim();
  return `${found.entry.exitCode < 0 ? "it took too long" : "it could not be run, or said no"}${
    output && `: ${output}`
  }`;
}
