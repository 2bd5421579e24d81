import { HTTPError } from "../../../../lib/rest/mod.ts";
import { DEFAULT_SHM_SIZE } from "../../../containers/view/inspect_host.ts";
import { findSignal } from "../../../../lib/engine/text/signals.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { HostConfig, ThrottleDevice } from "../../../wire/compat/host_config.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { LinuxDeviceCgroup, LinuxResources } from "../../../wire/containers/resources.ts";
import type { SpecGenerator } from "../../../wire/containers/spec_generator.ts";

const CPU_PERIOD = 100_000;

/** Limits as the native tree takes them. Docker writes 0 for what nobody asked for. */
export function limits({ HostConfig: host }: Pick<CreateContainerConfig, "HostConfig">): Sparse<SpecGenerator> {
  return {
    resource_limits: resources(host),
    // A negative number is "no limit": the schema of the native tree makes it 2^64-1.
    r_limits: (host.Ulimits ?? []).map(({ Name, Soft, Hard }) => ({
      type: Name,
      soft: BigInt(Soft),
      hard: BigInt(Hard),
    })),
    oom_score_adj: host.OomScoreAdj === 0 ? null : host.OomScoreAdj,
    shm_size: isNoWish(host) ? null : host.ShmSize,
    cgroup_parent: host.CgroupParent,
    sysctl: host.Sysctls,
    device_cgroup_rule: (host.DeviceCgroupRules ?? []).map(deviceRule),
    weightDevice: Object.fromEntries(
      (host.BlkioWeightDevice ?? []).map(({ Path, Weight }) => [Path, { weight: Weight }]),
    ),
    throttleReadBpsDevice: rates(host.BlkioDeviceReadBps),
    throttleWriteBpsDevice: rates(host.BlkioDeviceWriteBps),
    throttleReadIOPSDevice: rates(host.BlkioDeviceReadIOps),
    throttleWriteIOPSDevice: rates(host.BlkioDeviceWriteIOps),
  };
}

/** Whether `ShmSize` is unset, or as an inspection shows it for a container without a /dev/shm of its own: no request for one. */
function isNoWish({ ShmSize, IpcMode }: HostConfig): boolean {
  return ShmSize === 0 || (ShmSize === DEFAULT_SHM_SIZE && (IpcMode === "host" || IpcMode === "none"));
}

/** A rule as Docker writes it: `c 42:* rwm`. Throws a 400 for one that is none. */
function deviceRule(text: string): Sparse<LinuxDeviceCgroup> {
  const [, type, major, minor, access] = /^([abc]) (\d+|\*):(\d+|\*) ([rwm]{1,3})$/.exec(text) ?? [];
  if (type === undefined) throw new HTTPError(400, `invalid device cgroup rule format: '${text}'`);
  const number = (word: string) => word === "*" ? null : Number(word);
  return { allow: true, type, major: number(major), minor: number(minor), access };
}

function rates(devices: readonly ThrottleDevice[] | null): Record<string, { rate: number }> {
  return Object.fromEntries((devices ?? []).map(({ Path, Rate }) => [Path, { rate: Rate }]));
}

function resources(host: HostConfig): Sparse<LinuxResources> {
  const cpu = {
    shares: set(host.CpuShares),
    ...processorTime(host),
    realtimePeriod: set(host.CpuRealtimePeriod),
    realtimeRuntime: set(host.CpuRealtimeRuntime),
    cpus: host.CpusetCpus || undefined,
    mems: host.CpusetMems || undefined,
  };
  const memory = {
    limit: set(host.Memory),
    reservation: set(host.MemoryReservation),
    // Memory and swap together; twice the memory unless said.
    swap: set(host.MemorySwap) ?? (host.Memory > 0 ? host.Memory * 2 : undefined),
    swappiness: host.MemorySwappiness !== null && host.MemorySwappiness >= 0 ? host.MemorySwappiness : undefined,
    disableOOMKiller: host.OomKillDisable || undefined,
  };
  const pids = { limit: set(host.PidsLimit ?? 0) };
  const blockIO = { weight: set(host.BlkioWeight) };
  return Object.fromEntries(
    Object.entries({ cpu, memory, pids, blockIO }).filter(([, part]) =>
      Object.values(part).some((v) => v !== undefined)
    ),
  );
}

/** Docker has one number for it, and the kernel's two; clients that copy an inspection send all of them. */
function processorTime({ NanoCpus, CpuPeriod, CpuQuota }: HostConfig): { period?: number; quota?: number } {
  if (NanoCpus <= 0) return { period: set(CpuPeriod), quota: set(CpuQuota) };
  const period = CpuPeriod || CPU_PERIOD;
  const quota = Math.round((NanoCpus / 1e9) * period);
  if (CpuQuota === 0 && CpuPeriod === 0) return { period, quota };
  if (quota === CpuQuota) return { period, quota };
  throw new HTTPError(400, "NanoCpus conflicts with CpuPeriod and CpuQuota");
}

function set(value: number): number | undefined {
  return value === 0 ? undefined : value;
}

/** A stop signal's number. Throws a 400 for one there is not. */
export function stopSignal(text: string | undefined): number | null {
  if (!text) return null;
  const signal = findSignal(text);
  // 0 only asks whether a process exists: it stops nothing.
  if (!signal) throw new HTTPError(400, `invalid signal: ${text}`);
  return signal;
}
