/**
 * What runs in a container, as `ps(1)` tells it.
 *
 * @module
 */
import { EngineError } from "../../../../engine/errors.ts";
import type { ProcessTable } from "../../../../engine/host_port.ts";
import { CommandError, runCommand } from "../../command.ts";
import { type Column, findColumns } from "./columns.ts";
import { pidsOf, readProcessFacts } from "./process_facts.ts";
import { namesHere, namesInside } from "./user_names.ts";

const DEFAULT = ["user", "pid", "ppid", "pcpu", "etime", "tty", "time", "args"];

/**
 * Lists the processes of a cgroup and of those below it. `ps` runs beside them and not among them: a container that may trace
 * its processes would reach this host through it.
 *
 * @param args Podman's descriptors, or else arguments of `ps`, whose output must have a column PID
 */
export async function listProcesses(cgroup: string, args: readonly string[]): Promise<ProcessTable> {
  const pids = pidsOf(cgroup);
  const wanted = args.flatMap((text) => text.split(",")).map((word) => word.trim()).filter((word) => word !== "");
  const columns = findColumns(wanted.length > 0 ? wanted : DEFAULT);
  if (columns !== undefined) return await described(pids, columns);
  const words = args.flatMap((text) => text.split(/\s+/)).filter((word) => word !== "");
  return only(parse(await ps(words)), pids);
}

async function described(
  pids: ReadonlyMap<string, string>,
  columns: readonly Column[],
): Promise<ProcessTable> {
  const processes = readProcessFacts(pids);
  const first = processes.toSorted((a, b) => Number(a.innerPid) - Number(b.innerPid))[0]?.pid;
  const here = namesHere();
  const sources = { inside: first === undefined ? here : await namesInside(first), here, now: Date.now() };
  return {
    titles: columns.map(({ title }) => title),
    rows: processes.map((facts) => columns.map((column) => column.of(facts, sources))),
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
