import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { Throttle } from "../../../lib/engine/records/limits.ts";
import type { InspectContainerHostConfig } from "../../wire/containers/container_inspect_host.ts";
import type { Sparse } from "../../wire/emit.ts";

/** Limits and devices, as the host side of a container's configuration has them. */
export function inspectResources({ spec }: ContainerRecord): Sparse<InspectContainerHostConfig> {
  const { cpu, memory, pids, blockIO } = spec.resources;
  const quota = cpu?.quota ?? 0;
  const period = cpu?.period ?? 0;
  const pathOf = ({ major, minor }: { major: number; minor: number }) => {
    const key = `${major}:${minor}`;
    return spec.blockDevices?.[key] ?? key;
  };
  const throttles = (list: readonly Throttle[] = []) => list.map((one) => ({ Path: pathOf(one), Rate: one.rate }));
  return {
    Cgroups: spec.cgroupsMode === undefined || spec.cgroupsMode === "enabled" ? "default" : spec.cgroupsMode,
    CgroupParent: spec.cgroupParent ?? "",
    Ulimits: spec.rlimits.map(({ type, soft, hard }) => ({ Name: type, Soft: viewLimit(soft), Hard: viewLimit(hard) })),
    Devices: (spec.devices ?? []).map(({ source, destination, access }) => ({
      PathOnHost: source,
      PathInContainer: destination,
      CgroupPermissions: access,
    })),
    CpuShares: cpu?.shares ?? 0,
    CpuPeriod: period,
    CpuQuota: quota,
    NanoCpus: quota > 0 && period > 0 ? Math.round((quota / period) * 1e9) : 0,
    CpuRealtimePeriod: cpu?.realtimePeriod ?? 0,
    CpuRealtimeRuntime: cpu?.realtimeRuntime ?? 0,
    CpusetCpus: cpu?.cpus ?? "",
    CpusetMems: cpu?.mems ?? "",
    Memory: memory?.limit ?? 0,
    MemoryReservation: memory?.reservation ?? 0,
    MemorySwap: memory?.swap ?? 0,
    MemorySwappiness: memory?.swappiness ?? null,
    OomKillDisable: memory?.disableOOMKiller ?? false,
    PidsLimit: pids?.limit ?? 0,
    BlkioWeight: blockIO?.weight ?? 0,
    BlkioWeightDevice: (blockIO?.weightDevice ?? []).map((one) => ({ Path: pathOf(one), Weight: one.weight ?? 0 })),
    BlkioDeviceReadBps: throttles(blockIO?.throttleReadBpsDevice),
    BlkioDeviceWriteBps: throttles(blockIO?.throttleWriteBpsDevice),
    BlkioDeviceReadIOps: throttles(blockIO?.throttleReadIOPSDevice),
    BlkioDeviceWriteIOps: throttles(blockIO?.throttleWriteIOPSDevice),
    ...spec.resources.unified && { CgroupConf: spec.resources.unified },
  };
}

/** These fields are signed on the wire: "no limit" is -1 there. */
function viewLimit(value: bigint): bigint {
  return value >= 2n ** 63n ? -1n : value;
}
