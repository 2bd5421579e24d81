import type { Containers } from "../containers/containers.ts";
import { EngineError } from "../errors.ts";
import type { ContainerRecord } from "../records/container_record.ts";

/**
 * Runs the init containers among a pod's containers, one after the other in the order of their making; those that run once are
 * removed then. Throws `state` for one that fails: those after it do not run.
 *
 * Source: `startInitContainers` of Podman's `libpod/pod_api.go`.
 */
export async function runInitContainers(
  containers: Pick<Containers, "start" | "wait" | "remove">,
  members: readonly ContainerRecord[],
): Promise<void> {
  for (const { id, spec } of members.filter(({ spec }) => spec.initContainer !== undefined)) {
    const code = await runToEnd(containers, id);
    if (code !== 0) throw new EngineError("state", `init container ${id} exited with code ${code}`);
    if (spec.initContainer === "once") await containers.remove(id, { volumes: true, ignore: true });
  }
}

async function runToEnd(containers: Pick<Containers, "start" | "wait">, id: string): Promise<number> {
  const giveUp = new AbortController();
  // In place before the start: the end cannot be missed.
  const ended = containers.wait(id, ["next-exit"], { signal: giveUp.signal });
  ended.catch(() => {});
  try {
    await containers.start(id);
    return await ended;
  } finally {
    giveUp.abort();
  }
}
