import { readFileSync } from "node:fs";
import type { Carriers } from "../nursery/nursery_sockets.ts";
import { innerPid, type RawNames, type RawProcess, readProcesses } from "./process_reader.ts";

/** Clock ticks per second in `/proc` (`USER_HZ`, the same on every machine). */
const TICKS = 100;

/** Facts about a process, from proc(5); numbers of users and groups are this host's. */
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
  /** Its label from the machine's security module; `?` where there is none. */
  label: string;
}

/** Reads the facts of the processes in a cgroup and below it, and the names that the first one's tree gives. */
export async function readProcessFacts(
  carriers: Carriers,
  cgroup: string,
): Promise<{ processes: ProcessFacts[]; names: RawNames }> {
  const boot = Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? 0);
  const found: ProcessFacts[] = [];
  const names = await readProcesses(carriers, cgroup, (raw) => found.push(factsOf(raw, boot)));
  const inner = new Map(found.map((facts) => [facts.pid, facts.innerPid]));
  return { processes: found.map((facts) => ({ ...facts, parent: inner.get(facts.parent) ?? "0" })), names };
}

function factsOf(raw: RawProcess, boot: number): ProcessFacts {
  const { pid, stat } = raw;
  // The name may hold spaces and parentheses.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).trim().split(" ");
  const number = (index: number) => Number(fields[index] ?? 0);
  const status = new Map(
    raw.status.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim().split(/\s+/)] as const;
    }),
  );
  const numbers = (key: string) => (status.get(key) ?? []).filter((text) => text !== "").map(Number);
  const mask = (key: string) => BigInt(`0x${status.get(key)?.[0] || "0"}`);
  const pair = ([real = 0, effective = 0]: number[]): [number, number] => [real, effective];
  return {
    pid,
    innerPid: innerPid(pid, raw.status),
    parent: fields[1] ?? "",
    group: status.get("NSpgid")?.at(-1) ?? fields[2] ?? "",
    name: stat.slice(stat.indexOf("(") + 1, end),
    args: raw.cmdline.replace(/\0$/, "").split("\0"),
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
    label: raw.label.replace(/[\0\n]+$/, "") || "?",
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
