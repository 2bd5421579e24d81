import { EngineError } from "../../engine/errors.ts";
import type { ExecExit } from "../../engine/ports/exec_port.ts";
import type { ContainerRecord, ExitStatus } from "../../engine/records/container_record.ts";
import { readPairs } from "../../engine/text/pairs.ts";
import type { FileMap } from "./pretend_files.ts";
import { PretendLog } from "./pretend_log.ts";
import type { PretendProcess, PretendProgram } from "./pretend_program.ts";
import { type PretendPlace, PretendRun } from "./pretend_run.ts";

/** A process that is pretended. */
export interface PretendTask {
  readonly run: PretendRun;
  readonly pid: number;
  status: "created" | "running" | "paused" | "stopped";
  startedAt?: number;
  exit?: { code: number; time: number };
}

/** The books of an engine that pretends: processes, files and logs of its containers. */
export class PretendKernel {
  readonly mounts = new Set<string>();
  readonly layers = new Set<string>();
  readonly tasks = new Map<string, PretendTask & { readonly record: ContainerRecord }>();
  readonly execs = new Map<string, PretendTask & { readonly containerID: string }>();
  readonly logs = new Map<string, PretendLog>();
  readonly exitListeners = new Set<(id: string, exit: ExitStatus) => void>();
  readonly execListeners = new Set<(id: string, exit: ExecExit) => void>();
  readonly #files = new Map<string, FileMap>();
  readonly #programOf: (record: ContainerRecord) => PretendProgram | undefined;
  #pids = 1000;

  /** @param programOf Finds the program of a container by its image */
  constructor(programOf: (record: ContainerRecord) => PretendProgram | undefined) {
    this.#programOf = programOf;
  }

  /** The files of a container. */
  filesOf(id: string): FileMap {
    const files = this.#files.get(id) ?? new Map();
    this.#files.set(id, files);
    return files;
  }

  /** Forgets the files of a container. */
  dropFiles(id: string): void {
    this.#files.delete(id);
  }

  /** The log at a path. */
  logAt(path: string): PretendLog {
    const log = this.logs.get(path) ?? new PretendLog();
    this.logs.set(path, log);
    return log;
  }

  /** Makes the process of a container, which does not run yet. */
  create(record: ContainerRecord): PretendTask {
    const { id, log } = record;
    const run = this.#makeRun(record, { ...placeOf(record, this.filesOf(id)), isMain: true }, {
      output: (frame) => log.driver === "none" || this.logAt(log.path).add(frame, Date.now()),
      exit: (code) => this.#noteExit(id, code),
    });
    const task = { run, record, pid: ++this.#pids, status: "created" as const };
    this.tasks.set(id, task);
    return task;
  }

  /** Makes a further process in a container. */
  createExec(id: string, record: ContainerRecord, place: Pick<PretendPlace, "args" | "env" | "workdir">): PretendTask {
    const all = { ...placeOf(record, this.filesOf(record.id)), ...place, isMain: false };
    const run = this.#makeRun(record, all, { exit: (code) => this.#noteExecExit(id, code) });
    const task = { run, containerID: record.id, pid: ++this.#pids, status: "running" as const };
    this.execs.set(id, task);
    return task;
  }

  /** The process of a container that has to have one. */
  find(id: string): PretendTask & { readonly record: ContainerRecord } {
    const task = this.tasks.get(id);
    if (task === undefined) throw new EngineError("internal", `container ${id} has no process`);
    return task;
  }

  #makeRun(record: ContainerRecord, place: PretendPlace, hooks: ConstructorParameters<typeof PretendRun>[2]) {
    // An infra container has no image, and only waits.
    const program = this.#programOf(record) ?? (record.spec.infra ? pauseProgram : undefined);
    if (program !== undefined) return new PretendRun(program, place, hooks);
    const why = `this engine only pretends, and has no program for image "${record.imageName}"`;
    throw new EngineError("command_not_found", `exec: "${place.args[0]}": ${why}`);
  }

  #noteExit(id: string, code: number): void {
    const task = this.tasks.get(id);
    if (task === undefined) return;
    const exit = { code, time: Date.now(), oomKilled: false };
    Object.assign(task, { status: "stopped", exit });
    for (const [, exec] of this.execs) if (exec.containerID === id) exec.run.end(137);
    for (const listener of [...this.exitListeners]) queueMicrotask(() => listener(id, exit));
  }

  #noteExecExit(id: string, code: number): void {
    const exit = { code, time: Date.now() };
    Object.assign(this.execs.get(id) ?? {}, { status: "stopped", exit });
    for (const listener of [...this.execListeners]) queueMicrotask(() => listener(id, exit));
  }
}

/** The program of a container that holds the namespaces of a pod: it runs until it is stopped. */
function pauseProgram({ signal }: PretendProcess): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

function placeOf({ process, ports }: ContainerRecord, files: FileMap): Omit<PretendPlace, "isMain"> {
  return {
    args: process.args,
    env: readPairs(process.env),
    workdir: process.workdir,
    files,
    ports: Object.fromEntries(ports.map(({ containerPort, hostPort }) => [containerPort, hostPort])),
  };
}
