/**
 * The tree agent's reading of processes: no thread of this process waits for it.
 *
 * @module
 */
import { EngineError } from "../../../../engine/errors.ts";
import { forkAgent } from "../../trees/agent.ts";
import type { Carriers } from "../nursery/nursery_sockets.ts";

/** The most of a command line, in bytes. */
const ARGUMENTS = 4096;
/** The whole list, whatever the processes do. */
const TIMEOUT = 30_000;

/** The files of proc(5) about one process, unparsed. */
export interface RawProcess {
  pid: string;
  stat: string;
  status: string;
  label: string;
  cmdline: string;
}

/** The ID maps of the first process's user namespace, and the name files of its tree. */
export interface RawNames {
  uidMap: string;
  gidMap: string;
  passwd: string;
  group: string;
}

/** Reads the processes of a cgroup and of those below it, one by one; gives the names of the first one's tree. */
export async function readProcesses(
  carriers: Carriers,
  cgroup: string,
  take: (raw: RawProcess) => void,
): Promise<RawNames> {
  const names: RawNames = { uidMap: "", gidMap: "", passwd: "", group: "" };
  await askReader(carriers, cgroup, ARGUMENTS, ([word, ...fields]) => {
    if (word === "process") take(rawProcess(fields));
    else if (word === "passwd" || word === "group") names[word] += fields[0];
    else if (word === "maps") [names.uidMap = "", names.gidMap = ""] = fields;
  });
  return names;
}

/** The processes of a cgroup and of those below it by their number here; the value is their number in the innermost namespace. */
export async function pidsOf(carriers: Carriers, cgroup: string): Promise<Map<string, string>> {
  const pids = new Map<string, string>();
  await askReader(carriers, cgroup, 0, ([word, ...fields]) => {
    if (word !== "process") return;
    const { pid, status } = rawProcess(fields);
    pids.set(pid, innerPid(pid, status));
  });
  return pids;
}

/** A process's number in its innermost namespace. */
export function innerPid(pid: string, status: string): string {
  return /^NSpid:.*\s(\d+)$/m.exec(status)?.[1] ?? pid;
}

function rawProcess([pid = "", stat = "", status = "", label = "", cmdline = ""]: readonly string[]): RawProcess {
  return { pid, stat, status, label, cmdline };
}

async function askReader(
  carriers: Carriers,
  cgroup: string,
  want: number,
  take: (fields: string[]) => void,
): Promise<void> {
  using agent = await forkAgent(carriers, ["processes", cgroup, String(want)]);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    agent.end();
  }, TIMEOUT);
  try {
    for (;;) {
      const fields = await agent.answer();
      if (fields[0] === "end") return;
      take(fields);
    }
  } catch (error) {
    if (!isLate) throw error;
    throw new EngineError("internal", `List processes: no end after ${TIMEOUT} ms`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
