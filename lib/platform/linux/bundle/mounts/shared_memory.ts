import { existsSync } from "node:fs";
import { mkdir, rmdir } from "node:fs/promises";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { EngineError } from "../../../../engine/errors.ts";
import { shareMount } from "../../mounts/mount_helper.ts";
import { unmountAll } from "../../mounts/overlay.ts";
import { containerPaths, type HostPaths } from "../../helpers/paths.ts";
import { readFacts } from "../../processes/facts.ts";
import { isAlive } from "../../helpers/proc.ts";

/** The /dev/shm of another container, shown on the host while the runtime mounts it in a further one. */
export interface SharedMemory extends AsyncDisposable {
  path: string;
}

/** Shows the /dev/shm of the container whose means of communication are shared; `undefined` where none are. */
export async function shareMemory(
  paths: HostPaths,
  { id, spec }: Pick<ContainerRecord, "id" | "spec">,
): Promise<SharedMemory | undefined> {
  const { mode, value } = spec.namespaces.ipc;
  if (mode !== "container" || value === undefined) return undefined;
  const facts = readFacts(containerPaths(paths, value).facts);
  if (facts === undefined || !isAlive(facts.container)) {
    throw new EngineError("state", `Join namespaces: container ${value} is not running`, {
      sentinel: "container state improper",
    });
  }
  const path = containerPaths(paths, id).shared;
  await endSharedMemory(path);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await shareMount(facts.container.pid, "/dev/shm", path);
  return { path, [Symbol.asyncDispose]: () => endSharedMemory(path) };
}

/** Takes it away again. Missing is no error. */
export async function endSharedMemory(path: string): Promise<void> {
  if (!existsSync(path)) return;
  await unmountAll(path);
  await rmdir(path);
}
