import { readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import { cleanLimits, type Limits } from "../../../engine/records/limits.ts";
import type { ContainerUsage, ResourceGrant, Resources, ResourceWish } from "../../../engine/ports/resource_port.ts";
import type { HostContext } from "../helpers/context.ts";
import { containerPaths } from "../helpers/paths.ts";
import { mayRaiseLimits, ownCapabilities } from "../bundle/capabilities.ts";
import { usableCgroupLayout } from "./cgroups.ts";
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

/** The warnings about limits that an ordinary user's server cannot keep. */
const WITHOUT_LIMITS = {
  v1: "Resource limits are not supported and ignored on cgroups V1 rootless systems",
  v2: "Resource limits are ignored: no control groups are delegated to this user's server",
};

/** What `runc update` reads; crun's takes everything. */
const CHANGED_BY_RUNC: Record<string, readonly string[]> = {
  memory: ["limit", "reservation", "swap", "checkBeforeUpdate"],
  cpu: ["shares", "quota", "period", "realtimeRuntime", "realtimePeriod", "cpus", "mems", "burst", "idle"],
  pids: ["limit"],
  blockIO: ["weight"],
};

/** Opens the port `Resources` on this machine. */
export async function openResources(context: HostContext, processes: LinuxProcesses): Promise<Resources> {
  const layout = await usableCgroupLayout();
  const version = layout.kind === "unified" ? "v2" : "v1";
  const places: UsagePlaces = { cgroups: CGROUPS, version, proc: "/proc" };
  const { name } = await processes.runtime();
  const rlimits = await allowedLimits(mayRaiseLimits(await ownCapabilities()));
  // The engine's own parent is there anyway once containers run.
  const { cgroups } = processes;
  const probe = cgroups.pathOf("");
  let facts: Promise<LimitFacts> | undefined;
  return {
    podGroup: (id, parent) => cgroups.podGroup(id, parent),
    removeGroup: (path) => cgroups.removeGroup(path),
    usage: (record) => usageOf(context, places, record),
    async grant(wish) {
      if (layout.isForeign) return await grantWithoutLimits(wish, version, rlimits);
      facts ??= readLimitFacts(CGROUPS, version, probe);
      return await grantResources(wish, await facts, { runtime: name, rlimits });
    },
    async update(containerID, limits, changes) {
      if (layout.isForeign) throw new EngineError("unsupported", `Update container: ${WITHOUT_LIMITS[version]}`);
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
  const blockDevices = await pathsOf(kept.limits);
  return { limits: kept.limits, blockDevices, warnings, ...!facts.hasController("pids") && { withoutPids: true } };
}

/** The grant of a server that may make no groups: limits are dropped, and a warning says so in Podman's words. */
async function grantWithoutLimits(
  { limits, pathLimits = {}, devices = [], rlimits = [] }: ResourceWish,
  version: "v1" | "v2",
  allowed: ReadonlyMap<string, bigint>,
): Promise<ResourceGrant> {
  await findDevices(devices);
  const wanted = cleanLimits(await withNumbers(limits, pathLimits));
  const warnings = Object.keys(wanted).length === 0 ? [] : [WITHOUT_LIMITS[version]];
  containerLimits(rlimits, allowed, (message) => warnings.push(message));
  return { limits: {}, blockDevices: {}, warnings, withoutPids: true };
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
