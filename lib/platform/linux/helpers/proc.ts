import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** A process as it was seen; its start time tells it from a later one with the same pid. */
export interface ProcessMark {
  pid: number;
  /** Clock ticks since boot (field 22 of proc_pid_stat(5)). */
  startTicks: string;
}

/** Marks a live process; `undefined` for one that has ended, reaped or not. */
export function markProcess(pid: number): ProcessMark | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : { pid, startTicks: stat.startTicks };
}

/** Whether that very process still lives. */
export function isAlive(mark: ProcessMark): boolean {
  return readStat(mark.pid)?.startTicks === mark.startTicks;
}

/**
 * Sends a signal to a process, or to a group by its negative number, as kill(2) does. One that has just ended is no error, since its end is what the
 * caller is about to see.
 */
export function signalIfThere(pid: number, signal: NodeJS.Signals | number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasSystemCode(error, "ESRCH")) throw error;
  }
}

/** Whether a signal or a tracer has stopped a process: that very one, where its start is given. */
export function isStopped({ pid, startTicks }: Partial<ProcessMark> & { pid: number }): boolean {
  const stat = readStat(pid);
  const isThere = stat !== undefined && (startTicks === undefined || stat.startTicks === startTicks);
  return isThere && (stat.state === "T" || stat.state === "t");
}

function readStat(pid: number): { state: string; startTicks: string; parent: number; group: number } | undefined {
  let text: string;
  try {
    // Made by the kernel on the spot: no disk is waited for.
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name may hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  const startTicks = fields[19];
  return state === "Z" || state === "X" || startTicks === undefined
    ? undefined
    : { state, startTicks, parent: Number(fields[1]), group: Number(fields[2]) };
}

/** The live processes whose names fit, proc_pid_comm(5). */
export function processesNamed(name: RegExp): number[] {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map(Number);
  return pids.filter((pid) => {
    try {
      return name.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
    } catch {
      return false;
    }
  });
}

/** The live processes below a process: its children, theirs, and so on. */
export function processesBelow(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const one of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    const parent = readStat(one)?.parent;
    if (parent !== undefined) children.set(parent, [...children.get(parent) ?? [], one]);
  }
  const found = [...children.get(pid) ?? []];
  // A list that grows while it is walked.
  for (const one of found) found.push(...children.get(one) ?? []);
  return found;
}

/** A process's group; `undefined` where there is no such process. */
export function groupOf(pid: number): number | undefined {
  return readStat(pid)?.group;
}

/** The numbers of a process's namespaces by their names (`mnt`, `net`, …); none where there is no such process. */
export function namespacesOf(mark: ProcessMark | undefined): Record<string, string> {
  if (mark === undefined || !isAlive(mark)) return {};
  try {
    const folder = `/proc/${mark.pid}/ns`;
    // `mnt:[4026531840]`
    const numbers = readdirSync(folder).map((name) => [name, /\d+/.exec(readlinkSync(`${folder}/${name}`))?.[0] ?? ""]);
    return Object.fromEntries(numbers);
  } catch {
    return {};
  }
}

/** Reads the mark that a server noted in a file of its own; undefined where there is none, or the file was cut short. */
export function readMark(note: string): ProcessMark | undefined {
  try {
    // This server's file, or that of the one before it.
    return JSON.parse(readFileSync(note, "utf8")) as ProcessMark;
  } catch {
    return undefined;
  }
}
