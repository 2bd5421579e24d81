/**
 * What runs in a container, as `ps(1)` tells it.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { EngineError } from "../../../engine/errors.ts";
import type { ProcessTable } from "../../../engine/host_port.ts";
import { CommandError, runCommand } from "../command.ts";

const DEFAULT = ["user", "pid", "ppid", "pcpu", "etime", "tty", "time", "args"];

/** Podman's descriptors: what `ps -o` calls them, and their titles. */
const DESCRIPTORS: Record<string, [format: string, title: string, aix?: string]> = {
  args: ["args", "COMMAND", "%a"],
  comm: ["comm", "COMMAND", "%c"],
  etime: ["etime", "ELAPSED", "%t"],
  group: ["group:32", "GROUP", "%G"],
  nice: ["ni", "NI", "%n"],
  pcpu: ["pcpu", "%CPU", "%C"],
  pgid: ["pgid", "PGID", "%r"],
  pid: ["pid", "PID", "%p"],
  ppid: ["ppid", "PPID", "%P"],
  rgroup: ["rgroup:32", "RGROUP", "%g"],
  ruser: ["ruser:32", "RUSER", "%u"],
  state: ["s", "STATE"],
  time: ["time", "TIME", "%x"],
  tty: ["tty", "TTY", "%y"],
  user: ["user:32", "USER", "%U"],
  vsz: ["vsz", "VSZ", "%z"],
};

/**
 * Lists the processes of a cgroup and of those below it. `ps` runs beside them and not among them: a container that may trace
 * its processes would reach this host through it.
 *
 * @param args Podman's descriptors, or else arguments of `ps`, whose output must have a column PID
 */
export async function listProcesses(cgroup: string, args: readonly string[]): Promise<ProcessTable> {
  const pids = pidsOf(cgroup);
  const wanted = args.flatMap((text) => text.split(",")).filter((word) => word !== "").map(canonical);
  if (wanted.every((name) => name in DESCRIPTORS)) return await described(pids, wanted.length > 0 ? wanted : DEFAULT);
  const words = args.flatMap((text) => text.split(/\s+/)).filter((word) => word !== "");
  return only(parse(await ps(words)), pids);
}

function canonical(word: string): string {
  return Object.keys(DESCRIPTORS).find((name) => DESCRIPTORS[name]![2] === word) ?? word;
}

async function described(pids: ReadonlyMap<string, string>, wanted: readonly string[]): Promise<ProcessTable> {
  // A command holds spaces: it can only be told from the rest at the end.
  const columns = ["pid", ...new Set(wanted.filter((name) => name !== "pid"))];
  const isCommand = (name: string) => name === "args" || name === "comm";
  columns.sort((a, b) => Number(isCommand(a)) - Number(isCommand(b)));
  const format = columns.flatMap((name) => ["-o", DESCRIPTORS[name]![0]]);
  const text = pids.size === 0 ? "" : await ps(["-ww", "-p", [...pids.keys()].join(), ...format]);
  const rows = parse(text).rows.map((row) =>
    row.slice(0, columns.length - 1).concat(row.slice(columns.length - 1).join(" "))
  );
  const titles = columns.map((name) => DESCRIPTORS[name]![1]);
  const table = only({ titles, rows }, pids);
  const order = wanted.map((name) => columns.indexOf(name));
  return {
    titles: order.map((index) => titles[index]!),
    rows: table.rows.map((row) => order.map((index) => row[index]!)),
  };
}

function parse(text: string): ProcessTable {
  const [titles = [], ...rows] = text.split("\n").filter((line) => line.trim() !== "").map((line) =>
    line.trim().split(/\s+/)
  );
  return { titles, rows };
}

/** Keeps the rows of these processes, under the numbers they have in their container. */
function only({ titles, rows }: ProcessTable, pids: ReadonlyMap<string, string>): ProcessTable {
  const pid = titles.indexOf("PID");
  const ppid = titles.indexOf("PPID");
  if (pid < 0) throw new EngineError("invalid", "List processes: the output of ps has no column PID");
  const last = titles.length - 1;
  const kept = rows.filter((row) => pids.has(row[pid] ?? "")).map((row) => {
    const cells = [...row.slice(0, last), row.slice(last).join(" ")];
    cells[pid] = pids.get(cells[pid]!)!;
    if (ppid >= 0) cells[ppid] = pids.get(cells[ppid]!) ?? "0";
    return cells;
  });
  return { titles, rows: kept };
}

async function ps(args: readonly string[]): Promise<string> {
  try {
    // 1: no process was found.
    const { stdout, stderr } = await runCommand("ps", args, { accept: [0, 1] });
    // So does an argument it does not know end.
    if (stdout.trim() === "" && stderr.trim() !== "") throw new EngineError("invalid", `ps: ${stderr.trim()}`);
    return stdout;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new EngineError("internal", `List processes: ${error.stderr.trim() || error.message}`, { cause: error });
  }
}

/** The processes of a cgroup by their number here; the value is their number in the innermost namespace. */
function pidsOf(cgroup: string): Map<string, string> {
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
