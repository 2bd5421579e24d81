import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in `/proc` (`USER_HZ`, the same on every machine). */
const TICKS = 100;

/** What proc(5) says of a process; numbers of users and groups are this host's. */
export interface ProcessFacts {
  /** Its number here. */
  pid: string;
  /** Its number, its parent's (`0` outside) and its group's in the innermost namespace. */
  innerPid: string;
  parent: string;
  group: string;
  name: string;
  args: string[];
  state: string;
  nice: string;
  /** `?` without one. */
  terminal: string;
  /** Seconds of processor time. */
  cpuTime: number;
  /** Milliseconds since the epoch, whole seconds. */
  startedAt: number;
  virtualKiB: number;
  residentKiB: string;
  /** Real and effective. */
  uids: [number, number];
  gids: [number, number];
  groups: number[];
  capabilities: Record<"CapInh" | "CapPrm" | "CapEff" | "CapBnd" | "CapAmb", bigint>;
  seccomp: string;
  /** What the machine's security module calls it; `?` where there is none. */
  label: string;
}

/** Reads facts of processes; those that have ended meanwhile are left out. */
export function readProcessFacts(pids: ReadonlyMap<string, string>): ProcessFacts[] {
  const boot = Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? 0);
  return [...pids.keys()].flatMap((pid) => {
    try {
      return [factsOf(pid, pids, boot)];
    } catch {
      return [];
    }
  });
}

function factsOf(pid: string, pids: ReadonlyMap<string, string>, boot: number): ProcessFacts {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
  const stat = read("stat");
  // The name may hold spaces and parentheses.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).trim().split(" ");
  const number = (index: number) => Number(fields[index] ?? 0);
  const status = new Map(
    read("status").split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim().split(/\s+/)] as const;
    }),
  );
  const numbers = (key: string) => (status.get(key) ?? []).filter((text) => text !== "").map(Number);
  const mask = (key: string) => BigInt(`0x${status.get(key)?.[0] || "0"}`);
  const pair = ([real = 0, effective = 0]: number[]): [number, number] => [real, effective];
  return {
    pid,
    innerPid: pids.get(pid) ?? pid,
    parent: pids.get(fields[1] ?? "") ?? "0",
    group: status.get("NSpgid")?.at(-1) ?? fields[2] ?? "",
    name: stat.slice(stat.indexOf("(") + 1, end),
    args: read("cmdline").replace(/\0$/, "").split("\0"),
    state: fields[0] ?? "",
    nice: fields[16] ?? "",
    terminal: terminalName(number(4)),
    cpuTime: Math.floor((number(11) + number(12)) / TICKS),
    startedAt: (boot + Math.floor(number(19) / TICKS)) * 1000,
    virtualKiB: Math.floor(number(20) / 1024),
    residentKiB: status.get("VmRSS")?.[0] ?? "0",
    uids: pair(numbers("Uid")),
    gids: pair(numbers("Gid")),
    groups: numbers("Groups"),
    capabilities: {
      CapInh: mask("CapInh"),
      CapPrm: mask("CapPrm"),
      CapEff: mask("CapEff"),
      CapBnd: mask("CapBnd"),
      CapAmb: mask("CapAmb"),
    },
    seccomp: status.get("Seccomp")?.[0] ?? "",
    label: labelOf(pid),
  };
}

/** The name of a terminal by its number (`tty_nr`): major in bits 8 to 19, minor in the others. */
function terminalName(number: number): string {
  const major = (number >> 8) & 0xfff;
  const minor = (number & 0xff) | ((number >> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 256 + minor}`;
  if (major === 4) return minor < 64 ? `tty${minor}` : `ttyS${minor - 64}`;
  return "?";
}

function labelOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/attr/current`, "utf8").replace(/[\0\n]+$/, "") || "?";
  } catch {
    return "?";
  }
}

/** The processes of a cgroup and of those below it by their number here; the value is their number in the innermost namespace. */
export function pidsOf(cgroup: string): Map<string, string> {
  const pids = new Map<string, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const paths = readFileSync(`/proc/${name}/cgroup`, "utf8").split("\n").map((line) =>
        line.replace(/^[^:]*:[^:]*:/, "")
      );
      if (!paths.some((path) => path === cgroup || path.startsWith(`${cgroup}/`))) continue;
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      pids.set(name, /^NSpid:.*\s(\d+)$/m.exec(status)?.[1] ?? name);
    } catch {
      // It has ended just now.
    }
  }
  return pids;
}
