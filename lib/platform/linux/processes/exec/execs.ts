/**
 * Further processes in running containers.
 *
 * @module
 */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import type { TerminalSize } from "../../../../engine/records/spec_parts.ts";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { EngineError } from "../../../../engine/errors.ts";
import type { ExecExit, Execs, ExecStart, ExecState } from "../../../../engine/ports/exec_port.ts";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import { readTextBoundedSync } from "../../helpers/bounded_read.ts";
import type { HostContext } from "../../helpers/context.ts";
import { containerPaths, type ExecPaths, execPaths } from "../../helpers/paths.ts";
import { namesIn, removeFolder } from "../../helpers/tree.ts";
import { ownCapabilities } from "../../bundle/capabilities.ts";
import { groupOf, isAlive, markProcess, type ProcessMark, signalIfThere } from "../../helpers/proc.ts";
import { Locks } from "../../../../engine/store/locks.ts";
import { resizeTerminal } from "../resize_terminal.ts";
import type { Nursery } from "../nursery/nursery.ts";
import type { Runtimes } from "../runtime/runtimes.ts";
import type { SealedRuntimes } from "../runtime/sealed_runtime.ts";
import type { NurserySockets } from "../nursery/nursery_sockets.ts";
import { writeProcess } from "./process_file.ts";
import { startSession, type Supervised } from "./start_session.ts";

/** How often processes of an earlier run are looked at. */
const POLL = 500;
const UNKNOWN_EXIT = -1;
/** The server's own notes, and a number. */
const LIMIT = 64 * 1024;
/** Names of sessions; others in their folder are nobody's. */
const SESSION = /^[0-9A-Za-z]+$/;
/** How often a folder is removed that fills again meanwhile. */
const REMOVALS = 10;

interface Facts {
  process: ProcessMark;
  supervisor: ProcessMark;
}

type ExitCallback = (id: string, exit: ExecExit) => void;

/** The dependencies of exec sessions. */
export interface ExecParts {
  runtimes: Runtimes;
  sealed: SealedRuntimes;
  nursery: Nursery;
  sockets: NurserySockets;
}

/** The port `Execs` on this machine. */
export class LinuxExecs implements Execs {
  readonly #context: HostContext;
  readonly #parts: ExecParts;
  readonly #capabilities = ownCapabilities();
  readonly #resizes = new Locks();
  readonly #callbacks = new Set<ExitCallback>();
  /** Sessions of an earlier run, whose end nobody tells of. */
  readonly #adopted: Set<string>;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(context: HostContext, parts: ExecParts) {
    this.#context = context;
    this.#parts = parts;
    this.#capabilities.catch(() => {});
    this.#adopted = new Set(sessionsIn(context.paths.execs));
    this.#timer = setInterval(() => this.#checkAdopted(), POLL);
    this.#timer.unref();
  }

  async start(options: ExecStart): Promise<{ pid: number; attachment?: Attachment }> {
    const { id, record } = options;
    const paths = this.#pathsOf(id);
    const { config } = containerPaths(this.#context.paths, record.id);
    try {
      await mkdir(paths.exits, { recursive: true, mode: 0o700 });
      const capabilities = await this.#capabilities;
      await writeProcess(paths.process, options.process, { record, config, capabilities, size: options.size });
      const run = await this.#run(options, paths);
      this.#remember(id, paths, run);
      return { pid: run.pid, attachment: run.attachment };
    } catch (error) {
      await removeSession(paths.folder);
      throw error;
    }
  }

  async resize(id: string, size: TerminalSize): Promise<void> {
    const gone = () => new EngineError("state", `Resize terminal: exec session ${id} does not run`);
    const { control } = this.#pathsOf(id);
    await this.#resizes.with(id, () => resizeTerminal(this.#parts.nursery, control, size, gone));
  }

  kill(id: string, signal: number): Promise<void> {
    const facts = this.#factsOf(this.#pathsOf(id));
    if (facts !== undefined && isAlive(facts.process)) process.kill(facts.process.pid, signal);
    return Promise.resolve();
  }

  state(id: string): Promise<ExecState> {
    const paths = this.#pathsOf(id);
    const exit = readExit(paths);
    if (exit !== undefined) return Promise.resolve({ status: "stopped", exit });
    const facts = this.#factsOf(paths);
    if (facts === undefined) return Promise.resolve({ status: "missing" });
    if (isAlive(facts.process) || isAlive(facts.supervisor)) {
      return Promise.resolve({ status: "running", pid: facts.process.pid });
    }
    // The end may have come in between.
    const late = readExit(paths) ?? { code: UNKNOWN_EXIT, time: Date.now() };
    return Promise.resolve({ status: "stopped", exit: late });
  }

  onExit(callback: ExitCallback): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  async delete(id: string): Promise<void> {
    this.#end(id);
    this.#adopted.delete(id);
    await removeSession(this.#pathsOf(id).folder);
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.#context.paths.execs)).filter((name) => SESSION.test(name));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#callbacks.clear();
  }

  async #run(start: ExecStart, paths: ExecPaths): Promise<Supervised> {
    const { runtimes, sealed, nursery, sockets } = this.#parts;
    const runtime = await sealed.of(await runtimes.of(start.record.spec.runtime));
    return await startSession({ nursery, sockets, runtime, paths, start });
  }

  /** Kills a session's process with its group, which the runtime makes a new one for each. */
  #end(id: string): void {
    const facts = this.#factsOf(this.#pathsOf(id));
    if (facts === undefined || !isAlive(facts.process)) return;
    const { process: { pid: main }, supervisor } = facts;
    const group = groupOf(main);
    const isOwn = group !== undefined && group > 1 && group !== groupOf(supervisor.pid) &&
      group !== groupOf(process.pid);
    signalIfThere(isOwn ? -group : main, "SIGKILL");
  }

  #remember(id: string, paths: ExecPaths, { pid, supervisor, ended }: Supervised): void {
    const main = markProcess(pid) ?? { pid, startTicks: "" };
    const facts: Facts = { process: main, supervisor: markProcess(supervisor) ?? { pid: supervisor, startTicks: "" } };
    writeFileSync(paths.facts, JSON.stringify(facts));
    void ended.then(() => this.#tell(id, paths));
  }

  #tell(id: string, paths: ExecPaths): void {
    this.#adopted.delete(id);
    // Deleted meanwhile: nobody asks any more.
    if (!existsSync(paths.folder)) return;
    const exit = readExit(paths) ?? { code: UNKNOWN_EXIT, time: Date.now() };
    for (const callback of this.#callbacks) callback(id, exit);
  }

  #checkAdopted(): void {
    for (const id of this.#adopted) {
      const paths = this.#pathsOf(id);
      const facts = this.#factsOf(paths);
      const isLive = facts !== undefined && (isAlive(facts.process) || isAlive(facts.supervisor));
      if (!isLive || readExit(paths) !== undefined) this.#tell(id, paths);
    }
  }

  /** A start that was cut short may have left the process's pid only. */
  #factsOf(paths: ExecPaths): Facts | undefined {
    try {
      // Written by #remember, in a folder only root can write to.
      return JSON.parse(readTextBoundedSync(paths.facts, LIMIT) ?? "") as Facts;
    } catch {
      const mark = markProcess(Number(readText(paths.pidFile) ?? "0"));
      return mark && { process: mark, supervisor: mark };
    }
  }

  #pathsOf(id: string): ExecPaths {
    return execPaths(this.#context.paths, id);
  }
}

function sessionsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => SESSION.test(name));
  } catch {
    return [];
  }
}

/** Its supervisor may be writing the exit file into it meanwhile, which makes a folder that was empty another one. */
async function removeSession(path: string): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      return await removeFolder(path);
    } catch (error) {
      if (attempt === REMOVALS) throw error;
    }
  }
}

function readText(path: string): string | undefined {
  try {
    return readTextBoundedSync(path, LIMIT);
  } catch {
    return undefined;
  }
}

/** conmon and the helper write under another name first. */
function readExit({ exits }: ExecPaths): ExecExit | undefined {
  try {
    const name = readdirSync(exits).find((file) => /^[0-9A-Za-z_-]+$/.test(file));
    if (name === undefined) return undefined;
    const path = join(exits, name);
    const text = readTextBoundedSync(path, LIMIT) ?? "";
    return /^-?\d+\s*$/.test(text) ? { code: Number(text), time: statSync(path).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}
