/**
 * Which limits a machine can keep: what Podman discards with a warning, what makes no sense, and what is refused.
 *
 * @module
 */
import { EngineError, FieldError } from "../../../engine/errors.ts";
import { cleanLimits, type Limits } from "../../../engine/records/limits.ts";
import { parseCPUList } from "./cpu_list.ts";
import type { LimitFacts } from "./limit_facts.ts";

const NO_SWAP = "Your kernel does not support swap limit capabilities or the cgroup is not mounted. " +
  "Memory limited without swap.";

/** The parts of limits that a test may take fields out of. */
type Parts = {
  memory: NonNullable<Limits["memory"]>;
  cpu: NonNullable<Limits["cpu"]>;
  pids: NonNullable<Limits["pids"]>;
  blockIO: NonNullable<Limits["blockIO"]>;
};

/** Gives the limits that can be kept, and the warnings about the others. Throws `invalid` and `unsupported`. */
export function keepableLimits(wanted: Limits, facts: LimitFacts): { limits: Limits; warnings: string[] } {
  const { memory, cpu, pids, blockIO, ...rest } = cleanLimits(wanted);
  const parts: Parts = { memory: { ...memory }, cpu: { ...cpu }, pids: { ...pids }, blockIO: { ...blockIO } };
  const warnings: string[] = [];
  if (facts.version === "v1") discardV1(parts, facts, (text) => warnings.push(text));
  else discardV2(parts, facts, (text) => warnings.push(text));
  checkSense(parts, facts);
  refuseUnavailable({ ...rest, ...parts }, facts);
  return { limits: cleanLimits({ ...rest, ...parts }), warnings };
}

/** Fields of v1 that go with a file, and what Podman says where it is missing. */
const V1: readonly [part: keyof Parts, fields: readonly string[], files: readonly string[], warning: string][] = [
  ["memory", ["limit", "swap"], ["memory.limit_in_bytes"], "memory limit capabilities*Limitation discarded."],
  ["memory", ["swap"], ["memory.memsw.limit_in_bytes"], "swap limit capabilities*Memory limited without swap."],
  ["memory", ["reservation"], ["memory.soft_limit_in_bytes"], "memory soft limit capabilities*Limitation discarded."],
  ["memory", ["swappiness"], ["memory.swappiness"], "memory swappiness capabilities,*Memory swappiness discarded."],
  ["memory", ["disableOOMKiller"], ["memory.oom_control"], "OomKillDisable. OomKillDisable discarded."],
  ["pids", ["limit"], ["pids.max"], "pids limit capabilities*PIDs limit discarded."],
  ["cpu", ["shares"], ["cpu.shares"], "CPU shares*Shares discarded."],
  ["cpu", ["period"], ["cpu.cfs_period_us"], "CPU cfs period*Period discarded."],
  ["cpu", ["quota"], ["cpu.cfs_quota_us"], "CPU cfs quota*Quota discarded."],
  ["cpu", ["cpus", "mems"], ["cpuset.cpus"], "cpuset*CPUset discarded."],
  ["blockIO", ["weight"], ["blkio.weight"], "Block I/O weight*Weight discarded."],
  ["blockIO", ["weightDevice"], ["blkio.weight_device"], "Block I/O weight_device*Weight-device discarded."],
  [
    "blockIO",
    ["throttleReadBpsDevice"],
    ["blkio.throttle.read_bps_device"],
    "BPS Block I/O read limit*Block I/O BPS read limit discarded",
  ],
  [
    "blockIO",
    ["throttleWriteBpsDevice"],
    ["blkio.throttle.write_bps_device"],
    "BPS Block I/O write limit*Block I/O BPS write limit discarded.",
  ],
  [
    "blockIO",
    ["throttleReadIOPSDevice"],
    ["blkio.throttle.read_iops_device"],
    "IOPS Block read limit*Block I/O IOPS read limit discarded.",
  ],
  [
    "blockIO",
    ["throttleWriteIOPSDevice"],
    ["blkio.throttle.write_iops_device"],
    "IOPS Block I/O write limit*Block I/O IOPS write limit discarded.",
  ],
];

function discardV1(parts: Parts, facts: LimitFacts, warn: (text: string) => void): void {
  for (const [part, fields, files, warning] of V1) {
    // One table for parts of different types: only whether a field is there is asked, and it is taken away.
    const table = parts[part] as Record<string, unknown>;
    if (!fields.some((field) => table[field] !== undefined) || files.some((file) => facts.hasFile(file))) continue;
    warn(`Your kernel does not support ${warning.replace("*", " or the cgroup is not mounted. ")}`);
    for (const field of fields) delete table[field];
  }
}

function discardV2({ memory, cpu }: Parts, facts: LimitFacts, warn: (text: string) => void): void {
  if (memory.swap !== undefined && !facts.hasFile("memory.swap.max")) {
    warn(NO_SWAP);
    delete memory.swap;
  }
  if (cpu.realtimePeriod !== undefined) warn("Realtime period not supported on cgroups V2 systems");
  if (cpu.realtimeRuntime !== undefined) warn("Realtime runtime not supported on cgroups V2 systems");
  delete cpu.realtimePeriod;
  delete cpu.realtimeRuntime;
}

/** In Podman's words. */
function checkSense({ memory, cpu, blockIO }: Parts, facts: LimitFacts): void {
  const limit = memory.limit ?? 0;
  const rules: [boolean, string][] = [
    [(memory.swappiness ?? 0) > 100, `invalid value: ${memory.swappiness}, valid memory swappiness range is 0-100`],
    [
      limit > 0 && limit < (memory.reservation ?? 0),
      "minimum memory limit cannot be less than memory reservation limit, see usage",
    ],
    [
      isOutside(cpu.period, 1000, 1_000_000),
      "CPU cfs period cannot be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)",
    ],
    [isOutside(blockIO.weight, 10, 1000), "range of blkio weight is from 10 to 1000"],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new EngineError("invalid", broken[1]);
  checkList(cpu.cpus, facts.cpus, "cpuset cpus", "CPUs");
  checkList(cpu.mems, facts.mems, "cpuset mems", "memory nodes");
}

function isOutside(value: number | null | undefined, least: number, most: number): boolean {
  return value !== undefined && value !== null && (value < least || value > most);
}

function checkList(wanted: string | undefined, available: string, field: string, what: string): void {
  if (wanted === undefined) return;
  const numbers = parseCPUList(wanted);
  if (numbers === undefined) throw new EngineError("invalid", `invalid value ${wanted} for ${field}`);
  const there = parseCPUList(available);
  if (there === undefined || there.size === 0 || [...numbers].every((number) => there.has(number))) return;
  const requested = `requested ${wanted}, available: ${available}`;
  throw new EngineError("invalid", `requested ${what} are not available - ${requested}`);
}

/**
 * Throws for a remaining limit that is requested and that this machine cannot keep. Each row has the field, whether it is
 * requested, whether it is there, and what is missing.
 */
function refuseUnavailable({ memory, cpu, pids, blockIO, ...rest }: Limits, facts: LimitFacts): void {
  const v1 = facts.version === "v1";
  const need = (part: object | null | undefined, controller: string) => {
    const asked = Object.values(part ?? {}).some((value) => value !== undefined);
    return [asked, v1 || facts.hasController(controller), `no ${controller} controller`] as const;
  };
  const file = (value: unknown, name: string) => [isAsked(value), facts.hasFile(name), `no ${name}`] as const;
  const onlyV1 = (value: unknown) => [isAsked(value), v1, "cgroups v2 does not have it"] as const;
  const { cpus, mems, ...time } = cpu ?? {};
  const table: [field: string, rule: readonly [asked: boolean, there: boolean, why: string]][] = [
    ["memory", need(memory, "memory")],
    ["cpu", need(time, "cpu")],
    ["cpu.cpus", need({ cpus, mems }, "cpuset")],
    ["pids", need(pids, "pids")],
    ["blockIO", need(blockIO, "io")],
    ["memory.kernel", v1 ? file(memory?.kernel, "memory.kmem.limit_in_bytes") : onlyV1(memory?.kernel)],
    ["memory.kernelTCP", v1 ? file(memory?.kernelTCP, "memory.kmem.tcp.limit_in_bytes") : onlyV1(memory?.kernelTCP)],
    ["memory.swappiness", onlyV1(memory?.swappiness)],
    ["memory.disableOOMKiller", onlyV1(memory?.disableOOMKiller)],
    ["cpu.realtimePeriod", v1 ? file(cpu?.realtimePeriod, "cpu.rt_period_us") : onlyV1(undefined)],
    ["cpu.realtimeRuntime", v1 ? file(cpu?.realtimeRuntime, "cpu.rt_runtime_us") : onlyV1(undefined)],
    ["cpu.burst", v1 ? file(cpu?.burst, "cpu.cfs_burst_us") : need({ burst: cpu?.burst }, "cpu")],
    ["cpu.idle", v1 ? file(cpu?.idle, "cpu.idle") : need({ idle: cpu?.idle }, "cpu")],
    ["blockIO.leafWeight", v1 ? file(blockIO?.leafWeight, "blkio.leaf_weight") : onlyV1(blockIO?.leafWeight)],
    ["hugepageLimits", [isAsked(rest.hugepageLimits), facts.hasController("hugetlb"), "no hugetlb controller"]],
    ["network.classID", v1 ? file(rest.network?.classID, "net_cls.classid") : onlyV1(rest.network?.classID)],
    [
      "network.priorities",
      v1 ? file(rest.network?.priorities, "net_prio.ifpriomap") : onlyV1(rest.network?.priorities),
    ],
    ["rdma", [isAsked(rest.rdma), facts.hasController("rdma"), "no rdma controller"]],
  ];
  if (v1 && isAsked(rest.unified)) throw new EngineError("invalid", "cannot use --cgroup-conf without cgroup v2");
  for (const [field, [asked, there, why]] of table) {
    if (asked && !there) throw unsupportedLimit(field, why);
  }
}

function isAsked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** The error for a limit that cannot be kept here. */
export function unsupportedLimit(field: string, why: string): FieldError {
  const sentinel = "not supported on this machine";
  return new FieldError(
    "unsupported",
    [`resources.${field}`],
    (name) => `Limit container: "${name}": ${why}: ${sentinel}`,
    { sentinel },
  );
}
