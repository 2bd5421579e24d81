/**
 * The processes of a container, as `ps(1)` lists them.
 *
 * @module
 */
import { EngineError } from "../../../../engine/errors.ts";
import type { ProcessTable } from "../../../../engine/ports/host_port.ts";
import { CommandError, runCommand } from "../../helpers/command.ts";
import type { Carriers } from "../nursery/nursery_sockets.ts";
import { type Column, findColumns } from "./columns.ts";
import { FULL_FORMAT } from "./full_format.ts";
import { readProcessFacts } from "./process_facts.ts";
import { ownProcesses } from "./own_processes.ts";
import { pidsOf } from "./process_reader.ts";
import { namesHere, namesInside } from "./user_names.ts";

/** The most characters of a line of `ps`: a command line may have megabytes. */
const LINE = 4096;
/** The most characters that are kept of all lines. */
const TABLE = 16 * 1024 * 1024;
/** `ps` reads the memory of each process that it lists, or of every one on this machine, and one of them may keep it waiting for ever. */
const PATIENCE = 15_000;

const DEFAULT = ["user", "pid", "ppid", "pcpu", "etime", "tty", "time", "args"];

/**
 * Lists the processes of a cgroup and of those below it. `ps` runs beside them and not among them: a container that may trace
 * its processes would reach this host through it.
 *
 * @param args Podman's descriptors, `-ef`, or else arguments of `ps`, whose output must have a column PID
 */
export async function listProcesses(
  carriers: Carriers,
  cgroup: string,
  args: readonly string[],
): Promise<ProcessTable> {
  const wanted = args.flatMap((text) => text.split(",")).map((word) => word.trim()).filter((word) => word !== "");
  const columns = findColumns(wanted.length > 0 ? wanted : DEFAULT);
  if (columns !== undefined) return await describeProcesses(carriers, cgroup, columns);
  const words = args.flatMap((text) => text.split(/\s+/)).filter((word) => word !== "");
  if (words.length === 1 && /^-(ef|fe)$/.test(words[0]!)) return await describeProcesses(carriers, cgroup, FULL_FORMAT);
  // Podman takes a single text apart; several are the arguments themselves.
  return await runPs(args.length > 1 ? args : words, await pidsOf(carriers, cgroup));
}

/** Options whose next argument is their value. */
const WITH_VALUE = /^(?:--[a-z-]+|-[a-zA-Z]*[oOCGgNpqstUuk])$/;
/** Options in BSD's manner. */
const BSD_WORD = /^[a-zA-Z]+$/;

/** Takes away the wish for a table without a head, by which the processes are found. Returns whether there was one. */
function withHead(args: readonly string[]): { args: string[]; isHeadless: boolean } {
  const kept = args.map((word, index) => {
    if (/^--no-head(?:ers?|ings?)$/.test(word)) return "";
    const isOption = BSD_WORD.test(word) && !(index > 0 && WITH_VALUE.test(args[index - 1]));
    return isOption ? word.replaceAll("h", "") : word;
  });
  return { args: kept.filter((word) => word !== ""), isHeadless: kept.some((word, index) => word !== args[index]) };
}

async function describeProcesses(
  carriers: Carriers,
  cgroup: string,
  columns: readonly Column[],
): Promise<ProcessTable> {
  const { processes, names } = await readProcessFacts(carriers, cgroup);
  const sources = { inside: namesInside(names), here: namesHere(), now: Date.now() };
  return {
    titles: columns.map(({ title }) => title),
    rows: processes.map((facts) => columns.map((column) => column.of(facts, sources))),
  };
}

/** The lines of `ps`, as they come: those of the wanted processes are kept, under the numbers they have in their container. */
class PSTable {
  readonly #pids: ReadonlyMap<string, string>;
  #titles?: string[];
  readonly #rows: string[][] = [];
  #rest = "";
  #size = 0;

  constructor(pids: ReadonlyMap<string, string>) {
    this.#pids = pids;
  }

  /** Takes a piece of output. A line is cut where it is longer than any sensible one. */
  take(text: string): void {
    const lines = text.split("\n");
    lines.forEach((line, index) => {
      if (this.#rest.length < LINE) this.#rest += line.slice(0, LINE - this.#rest.length);
      if (index === lines.length - 1) return;
      this.#line(this.#rest);
      this.#rest = "";
    });
  }

  done(): ProcessTable {
    this.take("\n");
    return { titles: this.#titles ?? [], rows: this.#rows };
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    const words = line.trim().split(/\s+/);
    if (this.#titles === undefined) {
      this.#titles = words;
      return;
    }
    const [pid, ppid] = [this.#titles.indexOf("PID"), this.#titles.indexOf("PPID")];
    if (pid < 0) throw new EngineError("invalid", "List processes: the output of ps has no column PID");
    const number = this.#pids.get(words[pid] ?? "");
    if (number === undefined) return;
    this.#size += line.length;
    if (this.#size > TABLE) throw new EngineError("limit", `List processes: the output of ps is over ${TABLE} bytes`);
    const last = this.#titles.length - 1;
    const cells = [...words.slice(0, last), words.slice(last).join(" ")];
    cells[pid] = number;
    if (ppid >= 0) cells[ppid] = this.#pids.get(cells[ppid]!) ?? "0";
    this.#rows.push(cells);
  }
}

async function runPs(asked: readonly string[], pids: ReadonlyMap<string, string>): Promise<ProcessTable> {
  const { args, isHeadless } = withHead(asked);
  const found = await tableOf(ownProcesses(args, pids.keys()), args, pids);
  // Clients show the titles as the first line, whatever they are.
  const [first = [], ...rest] = found.rows;
  return isHeadless ? { titles: first, rows: rest } : found;
}

/** Runs `ps` with the narrow arguments, where there are some, and with the others where it does not take those: not every `ps` knows `-q`. */
async function tableOf(
  narrow: readonly string[] | undefined,
  args: readonly string[],
  pids: ReadonlyMap<string, string>,
): Promise<ProcessTable> {
  if (narrow === undefined) return await readTable(args, pids);
  try {
    return await readTable(narrow, pids);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "invalid") throw error;
    return await readTable(args, pids);
  }
}

async function readTable(args: readonly string[], pids: ReadonlyMap<string, string>): Promise<ProcessTable> {
  const table = new PSTable(pids);
  let isEmpty = true;
  let failure: unknown;
  const output = (text: string) => {
    if (failure !== undefined) return;
    if (text.trim() !== "") isEmpty = false;
    try {
      table.take(text);
    } catch (error) {
      failure = error;
    }
  };
  try {
    // 1: no process was found.
    const { stderr } = await runCommand("ps", args, { accept: [0, 1], timeout: PATIENCE, output });
    // So does an argument it does not know end.
    if (isEmpty && stderr.trim() !== "") {
      throw new EngineError("invalid", `ps(1) failed with exit code 1: ${stderr.trim()}`);
    }
    const found = table.done();
    if (failure !== undefined) throw failure;
    return found;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new EngineError("internal", `List processes: ${error.stderr.trim() || error.message}`, { cause: error });
  }
}
