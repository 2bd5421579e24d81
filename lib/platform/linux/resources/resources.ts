import { readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import { cleanLimits, type Limits } from "../../../engine/records/limits.ts";
import type { ContainerUsage, ResourceGrant, Resources, ResourceWish } from "../../../engine/ports/resource_port.ts";
import type { HostContext } from "../helpers/context.ts";
import { containerPaths } from "../helpers/paths.ts";
import { ownCapabilities } from "../bundle/capabilities.ts";
import { readCgroupLayout } from "./cgroups.ts";
import { findDevices } from "../bundle/devices.ts";
import { readFacts } from "../processes/facts.ts";
import { isAlive } from "../helpers/proc.ts";
import type { LinuxProcesses } from "../processes/processes.ts";
import { allowedLimits, containerLimits } from "../bundle/rlimits.ts";
import { type LimitFacts, readLimitFacts } from "./limit_facts.ts";
import { keepableLimits, unsupportedLimit } from "./limit_rules.ts";
import { pathsOf, withNumbers } from "./path_limits.ts";
import { liftLimits, withoutUnlimited } from "./unlimited.ts";
import { readUsage, type UsagePlaces } from "./usage.ts";

const CGROUPS = "/sys/fs/cgroup";

/** What `runc update` reads; crun's takes everything. */
const CHANGED_BY_RUNC: Record<string, readonly string[]> = {
  memory: ["limit", "reservation", "swap", "checkBeforeUpdate"],
  cpu: ["shares", "quota", "period", "realtimeRuntime", "realtimePeriod", "cpus", "mems", "burst", "idle"],
  pids: ["limit"],
  blockIO: ["weight"],
};

/** Opens the port `Resources` on this machine. */
export async function openResources(context: HostContext, processes: LinuxProcesses): Promise<Resources> {
  const layout = await readCgroupLayout();
  const version = layout.kind === "unified" ? "v2" : "v1";
  const places: UsagePlaces = { cgroups: CGROUPS, version, proc: "/proc" };
  const { name } = await processes.runtime();
  const rlimits = await allowedLimits((await ownCapabilities()).has("CAP_SYS_RESOURCE"));
  // The engine's own parent is there anyway once containers run.
  const { cgroups } = processes;
  const probe = cgroups.pathOf("");
  let facts: Promise<LimitFacts> | undefined;
  return {
    podGroup: (id, parent) => cgroups.podGroup(id, parent),
    removeGroup: (path) => cgroups.removeGroup(path),
    usage: (record) => usageOf(context, places, record),
    async grant(wish) {
      facts ??= readLimitFacts(CGROUPS, version, probe);
      return await grantResources(wish, await facts, { runtime: name, rlimits });
    },
    async update(containerID, limits, changes) {
      if (name === "runc") refuseForRunc(changes);
      const { bundle, facts } = containerPaths(context.paths, containerID);
      const file = join(bundle, "update.json");
      const written = withoutUnlimited(limits, version);
      await writeFile(file, JSON.stringify(written.limits), { mode: 0o600 });
      try {
        await processes.run("update", "--resources", file, containerID);
      } finally {
        await rm(file, { force: true });
      }
      const cgroup = readFacts(facts)?.cgroup;
      if (cgroup !== undefined) await liftLimits(CGROUPS, cgroup, version, written.lifted);
    },
  };
}

async function grantResources(
  { limits, pathLimits = {}, devices = [], rlimits = [], cgroupsMode }: ResourceWish,
  facts: LimitFacts,
  host: { runtime: string; rlimits: ReadonlyMap<string, bigint> },
): Promise<ResourceGrant> {
  await findDevices(devices);
  const kept = keepableLimits(await withNumbers(limits, pathLimits), facts);
  if (cgroupsMode === "disabled") {
    const sentinel = "invalid argument";
    if (host.runtime !== "crun") {
      const text = `requested OCI runtime ${host.runtime} is not compatible with NoCgroups: ${sentinel}`;
      throw new EngineError("invalid", text, { sentinel });
    }
    if (Object.keys(kept.limits).length > 0) {
      throw new EngineError("invalid", "cannot specify resource limits when cgroups are disabled is specified");
    }
  }
  const { warnings } = kept;
  containerLimits(rlimits, host.rlimits, (message) => warnings.push(message));
  return { limits: kept.limits, blockDevices: await pathsOf(kept.limits), warnings };
}

function refuseForRunc(changes: Limits): void {
  for (const [part, fields] of Object.entries(cleanLimits(changes))) {
    const known = CHANGED_BY_RUNC[part] ?? [];
    const other = Object.keys(fields).find((field) => !known.includes(field));
    if (other !== undefined) {
      throw unsupportedLimit(`${part}.${other}`, "runc does not change it while a container runs");
    }
  }
}

async function usageOf(
  { paths }: HostContext,
  places: UsagePlaces,
  { id }: ContainerRecord,
): Promise<ContainerUsage | undefined> {
  const facts = readFacts(containerPaths(paths, id).facts);
  if (facts === undefined || !isAlive(facts.container)) return undefined;
  const { cgroup, container: { pid } } = facts;
  const hasNetwork = await networkOf(pid) !== await networkOf("self");
  return await readUsage(places, { cgroup, pid, hasNetwork });
}

/** Which network namespace a process is in. */
async function networkOf(pid: number | "self"): Promise<string> {
  return await readlink(`/proc/${pid}/ns/net`).catch(() => "");
}
