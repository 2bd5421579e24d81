import {
  cleanLimits,
  type DeviceRule,
  type Limits,
  limitSwap,
  type PathLimits,
} from "../../../../lib/engine/records/limits.ts";
import type { ContainerSpec, RLimit } from "../../../../lib/engine/records/container_record.ts";
import { findSignal } from "../../../../lib/engine/text/signals.ts";
import { fullLimit } from "../../../containers/spec/resources.ts";
import { DEFAULT_SHM_SIZE } from "../../../containers/view/inspect_host.ts";
import type { HostConfig, ThrottleDevice } from "../../../wire/compat/host_config.ts";
import { RequestError } from "../../../request_error.ts";

const CPU_PERIOD = 100_000;
const UNLIMITED = 2n ** 64n - 1n;

/** The limits that a create and an update have in common. Docker writes 0 for what nobody asked for. */
export function dockerLimits(host: HostConfig): Pick<ContainerSpec, "resources" | "pathLimits" | "rlimits"> {
  return { resources: resources(host), pathLimits: pathLimits(host), rlimits: (host.Ulimits ?? []).map(processLimit) };
}

/** The least memory that Docker lets a container have. */
const LEAST_MEMORY = 6 * 1024 * 1024;

/**
 * Throws a 400, in Docker's words, for limits that no container lives with or that no machine of this size can give.
 *
 * @param processors How many processors there are; 0 where nobody knows
 */
export function checkLimits({ Memory, MemoryReservation, NanoCpus }: HostConfig, processors: number): void {
  const refuse = (text: string) => new RequestError("malformed", text);
  if (Memory > 0 && Memory < LEAST_MEMORY) throw refuse("Minimum memory limit allowed is 6MB");
  if (MemoryReservation > 0 && MemoryReservation < LEAST_MEMORY) {
    throw refuse("Minimum memory reservation allowed is 6MB");
  }
  if (Memory > 0 && MemoryReservation > Memory) {
    throw refuse("Minimum memory limit can not be less than memory reservation limit, see usage");
  }
  if (NanoCpus < 0 || (processors > 0 && NanoCpus > processors * 1e9)) {
    throw refuse(`range of CPUs is from 0.01 to ${processors}.00, as there are only ${processors} CPUs available`);
  }
}

/** Bytes of /dev/shm; `undefined` where none are asked for. */
export function dockerShmSize({ ShmSize, IpcMode }: HostConfig): number | undefined {
  // As an inspection shows it for a container without a /dev/shm of its own: no request for one.
  const isShown = ShmSize === DEFAULT_SHM_SIZE && (IpcMode === "host" || IpcMode === "none");
  return isShown ? undefined : notZero(ShmSize);
}

/** A rule as Docker writes it: `c 42:* rwm`. Throws a 400 for one that is none. */
export function dockerDeviceRule(text: string): DeviceRule {
  const [, type, major, minor, access] = /^([abc]) (\d+|\*):(\d+|\*) ([rwm]{1,3})$/.exec(text) ?? [];
  if (type === undefined) throw new RequestError("malformed", `invalid device cgroup rule format: '${text}'`);
  const number = (name: "major" | "minor", word: string) => word === "*" ? {} : { [name]: Number(word) };
  return { allow: true, type, ...number("major", major), ...number("minor", minor), access };
}

/** The text of a rule, as {@linkcode dockerDeviceRule} reads it. */
export function dockerRuleText({ type = "a", major, minor, access = "rwm" }: DeviceRule): string {
  return `${type} ${major ?? "*"}:${minor ?? "*"} ${access}`;
}

/** A negative number is "no limit". Throws a 400 for one of more than 64 bits. */
function processLimit({ Name, Soft, Hard }: { Name: string; Soft: bigint | number; Hard: bigint | number }): RLimit {
  const [soft, hard] = [BigInt(Soft), BigInt(Hard)].map((value) => value < 0n ? UNLIMITED : value);
  if (soft > UNLIMITED || hard > UNLIMITED) {
    throw new RequestError("malformed", `"HostConfig.Ulimits": limit "${Name}" is of more than 64 bits`);
  }
  return fullLimit({ type: Name, soft, hard });
}

function pathLimits(host: HostConfig): PathLimits | undefined {
  const all = {
    weightDevice: Object.fromEntries(
      (host.BlkioWeightDevice ?? []).map(({ Path, Weight }) => [Path, { weight: Weight }]),
    ),
    throttleReadBpsDevice: rates(host.BlkioDeviceReadBps),
    throttleWriteBpsDevice: rates(host.BlkioDeviceWriteBps),
    throttleReadIOPSDevice: rates(host.BlkioDeviceReadIOps),
    throttleWriteIOPSDevice: rates(host.BlkioDeviceWriteIOps),
  };
  return Object.values(all).some((table) => Object.keys(table).length > 0) ? all : undefined;
}

function rates(devices: readonly ThrottleDevice[] | null): Record<string, number> {
  return Object.fromEntries((devices ?? []).map(({ Path, Rate }) => [Path, Rate]));
}

function resources(host: HostConfig): Limits {
  return limitSwap(cleanLimits({
    cpu: {
      shares: notZero(host.CpuShares),
      ...processorTime(host),
      realtimePeriod: notZero(host.CpuRealtimePeriod),
      realtimeRuntime: notZero(host.CpuRealtimeRuntime),
      cpus: host.CpusetCpus,
      mems: host.CpusetMems,
    },
    memory: {
      limit: notZero(host.Memory),
      reservation: notZero(host.MemoryReservation),
      swap: notZero(host.MemorySwap),
      swappiness: host.MemorySwappiness !== null && host.MemorySwappiness >= 0 ? host.MemorySwappiness : undefined,
      disableOOMKiller: host.OomKillDisable || undefined,
    },
    pids: { limit: notZero(host.PidsLimit ?? 0) },
    blockIO: { weight: notZero(host.BlkioWeight) },
  }));
}

/** Docker has one number for it, and the kernel's two; clients that copy an inspection send all of them. */
function processorTime({ NanoCpus, CpuPeriod, CpuQuota }: HostConfig): { period?: number; quota?: number } {
  if (NanoCpus <= 0) return { period: notZero(CpuPeriod), quota: notZero(CpuQuota) };
  const period = CpuPeriod || CPU_PERIOD;
  const quota = Math.min(Math.round((NanoCpus / 1e9) * period), Number.MAX_SAFE_INTEGER);
  if (CpuQuota === 0 && CpuPeriod === 0) return { period, quota };
  if (quota === CpuQuota) return { period, quota };
  throw new RequestError("malformed", "NanoCpus conflicts with CpuPeriod and CpuQuota");
}

function notZero(value: number): number | undefined {
  return value === 0 ? undefined : value;
}

/** A stop signal's number; `undefined` where none is asked for. Throws a 400 for one there is not. */
export function dockerStopSignal(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const signal = findSignal(text);
  // 0 only asks whether a process exists: it stops nothing.
  if (!signal) throw new RequestError("malformed", `invalid signal: ${text}`);
  return signal;
}
