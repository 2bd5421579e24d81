/**
 * The limits that this machine supports: the controllers and files that its cgroups have.
 *
 * @module
 */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hostText } from "../helpers/bounded_read.ts";

/** Facts about cgroups that limits depend on. */
export interface LimitFacts {
  version: "v1" | "v2";
  /** Whether a cgroup of a container has a controller. */
  hasController(name: string): boolean;
  /** Whether it has a file. With v2 only files that a kernel setting takes away are looked for. */
  hasFile(name: string): boolean;
  /** Processors and memory nodes there are, as lists such as `0-3`. */
  cpus: string;
  mems: string;
}

/**
 * Reads them.
 *
 * @param root Mount point of the v2 hierarchy, or the folder of those of v1
 * @param probe A cgroup below the root that may be made to look at its files: the root itself lacks many
 */
export async function readLimitFacts(root: string, version: "v1" | "v2", probe: string): Promise<LimitFacts> {
  return version === "v2" ? await factsOfV2(root, probe) : await factsOfV1(root, probe);
}

async function factsOfV1(root: string, probe: string): Promise<LimitFacts> {
  const controllers = new Set<string>();
  const files = new Set<string>();
  for (const name of await readdir(root).catch(() => [])) {
    if (name === "unified" || name === "systemd") continue;
    // A hierarchy that takes no folder tells by its root.
    const folder = join(root, name, probe);
    await mkdir(folder, { recursive: true }).catch(() => {});
    const entries = await readdir(folder).catch(() => readdir(join(root, name))).catch(() => []);
    for (const controller of name.split(",")) controllers.add(controller);
    for (const entry of entries) files.add(entry);
  }
  return {
    version: "v1",
    hasController: (name) => controllers.has(name),
    hasFile: (name) => files.has(name),
    cpus: (await hostText(join(root, "cpuset", "cpuset.cpus"))).trim(),
    mems: (await hostText(join(root, "cpuset", "cpuset.mems"))).trim(),
  };
}

async function factsOfV2(root: string, probe: string): Promise<LimitFacts> {
  // The group above may be one with fewer than the root has: it was delegated to an ordinary user.
  const controllers = new Set((await hostText(join(root, dirname(probe), "cgroup.controllers"))).trim().split(" "));
  const folder = join(root, probe);
  await mkdir(folder, { recursive: true }).catch(() => {});
  const files = new Set(await readdir(folder).catch(() => []));
  return {
    version: "v2",
    hasController: (name) => controllers.has(name),
    // Without the controller's own file in the probe nothing can be said, and the kernel's default is taken.
    hasFile: (name) => files.has(name) || !files.has(`${name.split(".")[0]}.max`),
    cpus: (await hostText(join(root, "cpuset.cpus.effective"))).trim(),
    mems: (await hostText(join(root, "cpuset.mems.effective"))).trim(),
  };
}
