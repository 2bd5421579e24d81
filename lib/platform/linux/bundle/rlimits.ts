import { readFile } from "node:fs/promises";
import type { RLimit } from "../../../engine/records/container_record.ts";
import type { SpecRLimit } from "./spec_types.ts";

const INFINITY = 2n ** 64n - 1n;

/** Names as setrlimit(2) has them, by those of proc(5)'s `limits`. */
const BY_PROC_NAME: Record<string, string> = {
  "Max cpu time": "RLIMIT_CPU",
  "Max file size": "RLIMIT_FSIZE",
  "Max data size": "RLIMIT_DATA",
  "Max stack size": "RLIMIT_STACK",
  "Max core file size": "RLIMIT_CORE",
  "Max resident set": "RLIMIT_RSS",
  "Max processes": "RLIMIT_NPROC",
  "Max open files": "RLIMIT_NOFILE",
  "Max locked memory": "RLIMIT_MEMLOCK",
  "Max address space": "RLIMIT_AS",
  "Max file locks": "RLIMIT_LOCKS",
  "Max pending signals": "RLIMIT_SIGPENDING",
  "Max msgqueue size": "RLIMIT_MSGQUEUE",
  "Max nice priority": "RLIMIT_NICE",
  "Max realtime priority": "RLIMIT_RTPRIO",
  "Max realtime timeout": "RLIMIT_RTTIME",
};

/** The default limits of containers, as far as this process may set them. */
const DEFAULTS: RLimit[] = [
  { type: "RLIMIT_NOFILE", soft: 1_048_576n, hard: 1_048_576n },
  { type: "RLIMIT_NPROC", soft: 4_194_304n, hard: 4_194_304n },
];

/** Reads the highest value this process may set for each limit. `mayRaise` says that it has CAP_SYS_RESOURCE. */
export async function allowedLimits(mayRaise: boolean): Promise<ReadonlyMap<string, bigint>> {
  const allowed = new Map<string, bigint>();
  const text = await readFile("/proc/self/limits", "utf8");
  for (const line of text.split("\n")) {
    const type = BY_PROC_NAME[line.slice(0, 26).trim()];
    const hard = line.slice(26).trim().split(/\s+/)[1];
    if (type === undefined || hard === undefined) continue;
    allowed.set(type, mayRaise || hard === "unlimited" ? INFINITY : BigInt(hard));
  }
  // No process whatever gets more open files than this.
  const most = await readFile("/proc/sys/fs/nr_open", "utf8").then((text) => BigInt(text.trim()), () => INFINITY);
  const files = allowed.get("RLIMIT_NOFILE") ?? INFINITY;
  return allowed.set("RLIMIT_NOFILE", files < most ? files : most);
}

/** The limits of a container: the defaults, then those asked for, clamped to what is allowed, with `warn` told of each. */
export function containerLimits(
  wanted: readonly RLimit[],
  allowed: ReadonlyMap<string, bigint>,
  warn: (message: string) => void,
): SpecRLimit[] {
  const byType = new Map(DEFAULTS.map((limit) => [limit.type, clampLimit(limit, allowed)]));
  for (const { type, soft, hard } of wanted) {
    const name = type.toUpperCase();
    const limit = { type: name.startsWith("RLIMIT_") ? name : `RLIMIT_${name}`, soft, hard };
    const clamped = clampLimit(limit, allowed);
    if (clamped.hard !== limit.hard || clamped.soft !== limit.soft) {
      warn(
        `Set ${limit.type}: ${limit.soft}:${limit.hard} is more than this host allows, using ${clamped.soft}:${clamped.hard}`,
      );
    }
    byType.set(limit.type, clamped);
  }
  return [...byType.values()];
}

function clampLimit(limit: RLimit, allowed: ReadonlyMap<string, bigint>): SpecRLimit {
  const most = allowed.get(limit.type) ?? INFINITY;
  const hard = limit.hard < most ? limit.hard : most;
  return { type: limit.type, soft: limit.soft < hard ? limit.soft : hard, hard };
}
