import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ExitStatus } from "../../../engine/records/container_record.ts";
import type { ProcessState } from "../../../engine/ports/host_port.ts";
import type { ContainerPaths } from "../helpers/paths.ts";
import type { Cgroups } from "../resources/cgroups.ts";
import { readFacts } from "./facts.ts";
import { isAlive } from "../helpers/proc.ts";

/** The exit code of a container whose end nobody saw. */
const UNKNOWN_EXIT = -1;

/**
 * Tells a container's state from what is on disk and in /proc, without asking the runtime. `runtimeState` is the runtime's
 * folder for it; crun and runc both keep a FIFO there from "created" until the start.
 */
export async function processState(
  container: ContainerPaths,
  runtimeState: string,
  cgroups: Cgroups,
  exit: ExitStatus | undefined,
): Promise<ProcessState> {
  const startedAt = statSync(container.started, { throwIfNoEntry: false })?.mtimeMs;
  if (exit !== undefined) return { status: "stopped", startedAt, exit };
  const facts = readFacts(container.facts);
  if (facts === undefined) return { status: "missing" };
  const live = isAlive(facts.container);
  // While conmon lives the end is not complete: output may still be on its way.
  if (!live && !isAlive(facts.conmon)) {
    const time = statSync(container.facts).mtimeMs;
    return { status: "stopped", startedAt, exit: { code: UNKNOWN_EXIT, time, oomKilled: existsSync(container.oom) } };
  }
  const pids = { ...live && { pid: facts.container.pid }, conmonPid: facts.conmon.pid };
  if (existsSync(join(runtimeState, "exec.fifo"))) return { status: "created", ...pids };
  const status = await cgroups.isFrozen(facts.cgroup) ? "paused" : "running";
  return { status, startedAt, ...pids };
}
