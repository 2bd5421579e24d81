/**
 * Container processes on Linux: made by an OCI runtime, supervised by conmon.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { ContainerRecord, ExitStatus, LogSource } from "../../../engine/records/container_record.ts";
import type { TerminalSize } from "../../../engine/records/spec_parts.ts";
import { EngineError } from "../../../engine/errors.ts";
import type {
  Attachment,
  LogForwardOptions,
  LogPlace,
  LogReadOptions,
  Processes,
  ProcessOptions,
  ProcessState,
  ProcessTable,
} from "../../../engine/ports/host_port.ts";
import type { HostContext } from "../helpers/context.ts";
import { type ContainerPaths, containerPaths } from "../helpers/paths.ts";
import { namesIn } from "../helpers/tree.ts";
import { deleteUserNamespace } from "../user_namespaces.ts";
import type { AttachStreams } from "./attach/attach.ts";
import { Attachments } from "./attach/attachments.ts";
import type { Cgroups } from "../resources/cgroups.ts";
import type { Carriers, NurserySockets } from "./nursery/nursery_sockets.ts";
import { type CreatorParts, ProcessCreator } from "./process_creator.ts";
import { ExitWatch, readExit } from "./exit_watch.ts";
import { LinuxExecs } from "./exec/execs.ts";
import { readFacts } from "./facts.ts";
import { deleteLog, logPlaceOf, readLog } from "../logs/log_sources.ts";
import type { LogForwarder } from "../logs/syslog/forwarder.ts";
import { isAlive, namespacesOf } from "../helpers/proc.ts";
import { processState } from "./process_state.ts";
import { resizeTerminal } from "./resize_terminal.ts";
import { Leftovers } from "./leftovers.ts";
import { notRunning } from "./not_running.ts";
import { releaseProcess } from "./runtime/release_process.ts";
import { runRuntime, startWith } from "./runtime/runtime.ts";
import type { Runtimes } from "./runtime/runtimes.ts";
import { signalBelow } from "./signal_below.ts";
import { Supervisors } from "./nursery/supervisors.ts";
import { listProcesses } from "./top/top.ts";
import { isID } from "../../../oci/digest.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The dependencies of the processes. */
export interface Parts extends Omit<CreatorParts, "supervisors" | "stateOf" | "clear" | "delete"> {
  sockets: NurserySockets;
  logForwarder: LogForwarder;
}

/** The port `Processes` on this machine. */
export class LinuxProcesses implements Processes {
  /** A start waits for the kernel for most of its time. */
  readonly startsAtOnce = 4 * availableParallelism();
  readonly #attachments: Attachments;
  readonly #carriers: Carriers;
  readonly #context: HostContext;
  readonly #parts: Parts;
  readonly #exits: ExitWatch;
  readonly #supervisors: Supervisors;
  readonly #leftovers: Leftovers;
  readonly #creator: ProcessCreator;
  readonly execs: LinuxExecs;

  constructor(context: HostContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
    const { nursery, sockets } = parts;
    this.#carriers = { nursery, sockets, runroot: context.paths.runroot };
    this.#attachments = new Attachments(this.#carriers);
    this.#exits = new ExitWatch(context.paths.exits, (id) => this.#exitOf(this.#pathsOf(id)));
    this.#supervisors = new Supervisors(context, parts.cgroups, (id) => this.#exits.check(id));
    this.#leftovers = new Leftovers(context, {
      cgroups: parts.cgroups,
      supervisors: this.#supervisors,
      run: (command, ...args) => this.run(command, ...args),
      forget: (id) => this.#exits.forget(id),
    });
    this.#creator = new ProcessCreator(context, {
      ...parts,
      supervisors: this.#supervisors,
      stateOf: (id) => this.state(id),
      clear: (id) => this.#leftovers.delete(id),
      delete: (id) => this.delete(id),
    });
    this.execs = new LinuxExecs(context, parts);
  }

  get runtimes(): Runtimes {
    return this.#parts.runtimes;
  }

  /** The control groups of containers and pods. */
  get cgroups(): Cgroups {
    return this.#parts.cgroups;
  }

  runtime(): Promise<{ name: string; path: string; version: string }> {
    return Promise.resolve(this.runtimes.own);
  }

  prepare(record: ContainerRecord): void {
    this.#creator.prepare(record);
  }

  create(options: ProcessOptions): Promise<{ pid: number; conmonPid: number }> {
    return this.#creator.create(options);
  }

  async start(containerID: string): Promise<void> {
    // The time of this file is the time of the start.
    writeFileSync(this.#pathsOf(containerID).started, "");
    const facts = readFacts(this.#pathsOf(containerID).facts);
    const runtime = await this.runtimes.of(facts?.runtime);
    const folder = join(this.#context.paths.runtime, containerID);
    if (runtime.name === "crun" && facts?.startHooked === false && releaseProcess(folder)) return;
    await startWith(runtime, this.#parts.nursery, containerID);
  }

  async kill(containerID: string, signal: number): Promise<void> {
    const facts = readFacts(this.#pathsOf(containerID).facts);
    if (facts === undefined || !isAlive(facts.container)) throw notRunning("Kill", containerID);
    if (!facts.privatePid) {
      // Every process of a shared pid namespace has to go. The runtime finds them in the container's control group: where there is
      // none it finds none, and says nothing of it.
      const hasGroup = this.#parts.cgroups.isManaged && facts.withoutGroup !== true;
      if (hasGroup) return await this.run("kill", "--all", containerID, String(signal));
      return signalBelow(facts, signal);
    }
    try {
      process.kill(facts.container.pid, signal);
    } catch (error) {
      if (hasSystemCode(error, "ESRCH")) throw notRunning("Kill", containerID);
      await this.run("kill", containerID, String(signal));
    }
  }

  async pause(containerID: string): Promise<void> {
    if (!this.#parts.cgroups.isManaged) {
      const why = "it has no control group to freeze, since none is delegated to this user's server";
      throw new EngineError("unsupported", `Pause container ${containerID}: ${why}`);
    }
    if (!await this.#setFrozen(containerID, true)) await this.run("pause", containerID);
  }

  async resume(containerID: string): Promise<void> {
    if (!await this.#setFrozen(containerID, false)) await this.run("resume", containerID);
  }

  /** Does what the runtime does, without its start. The runtime is left what cannot be done so, and says why. */
  async #setFrozen(containerID: string, freezes: boolean): Promise<boolean> {
    const { cgroups } = this.#parts;
    const facts = readFacts(this.#pathsOf(containerID).facts);
    if (facts === undefined || facts.withoutGroup || !cgroups.isManaged || !isAlive(facts.container)) return false;
    return await cgroups.setFrozen(facts.cgroup, freezes);
  }

  async resize(containerID: string, size: TerminalSize): Promise<void> {
    const gone = () => notRunning("Resize terminal", containerID);
    await resizeTerminal(this.#parts.nursery, this.#pathsOf(containerID).control, size, gone);
  }

  async delete(containerID: string): Promise<void> {
    await this.#creator.dropPrepared(containerID);
    await this.#leftovers.delete(containerID);
    await deleteUserNamespace(this.#pathsOf(containerID).userns);
  }

  state(containerID: string): Promise<ProcessState> {
    const container = this.#pathsOf(containerID);
    const exit = this.#exitOf(container);
    return processState(container, join(this.#context.paths.runtime, containerID), this.#parts.cgroups, exit);
  }

  onExit(callback: (containerID: string, exit: ExitStatus) => void): () => void {
    return this.#exits.on((containerID, exit) => {
      // A client that hears of the end may leave, whatever it has not read yet of another connection.
      const read = this.#attachments.readToEnd(containerID);
      if (read === undefined) callback(containerID, exit);
      else void read.then(() => callback(containerID, exit));
    });
  }

  attach(containerID: string, streams: AttachStreams): Promise<Attachment> {
    return this.#attachments.attach(containerID, this.#pathsOf(containerID).bundle, streams);
  }

  cutAttachments(containerID: string): void {
    this.#attachments.cut(containerID);
  }

  async top(containerID: string, args: readonly string[]): Promise<ProcessTable> {
    const facts = readFacts(this.#pathsOf(containerID).facts);
    if (facts === undefined) throw notRunning("List processes", containerID);
    if (this.#parts.cgroups.isManaged) return await listProcesses(this.#carriers, facts.cgroup, args);
    if (!facts.privatePid) {
      const why = "without control groups its processes cannot be told from those of the host";
      throw new EngineError("unsupported", `List processes of container ${containerID}: ${why}`);
    }
    return await listProcesses(this.#carriers, `pid:${facts.container.pid}`, args);
  }

  namespaces(containerID: string): Record<string, string> {
    return namespacesOf(readFacts(this.#pathsOf(containerID).facts)?.container);
  }

  log(source: LogSource, options: LogReadOptions): ReadableStream<Uint8Array> {
    return readLog(source, options);
  }

  logPlace(source: LogSource, records: number): Promise<LogPlace> {
    return logPlaceOf(source, records);
  }

  forwardLog(record: ContainerRecord, options: LogForwardOptions): Promise<void> {
    return this.#parts.logForwarder.forward(record, options);
  }

  async deleteLog(source: LogSource): Promise<void> {
    await this.#parts.logForwarder.drop(source.path);
    await deleteLog(source);
  }

  async list(): Promise<string[]> {
    const { bundles, runtime, exits, userns } = this.#context.paths;
    const names = await Promise.all([bundles, runtime, exits, userns].map((folder) => namesIn(folder).catch(() => [])));
    return [...new Set(names.flat())].filter((name) => /^[0-9A-Za-z_-]+$/.test(name));
  }

  /** Stops watching. Containers and their supervisors go on. */
  async close(): Promise<void> {
    this.#exits.close();
    this.#supervisors.close();
    this.execs.close();
    this.#parts.sockets.close();
    await this.#parts.logForwarder.close();
    await this.#parts.logKeeper.close();
    await this.#parts.cgroups.close();
  }

  #pathsOf(containerID: string): ContainerPaths {
    return containerPaths(this.#context.paths, containerID);
  }

  #exitOf(container: ContainerPaths): ExitStatus | undefined {
    return readExit(container.exit, container.oom);
  }

  /** Runs a command of a container's runtime; one argument is its ID. Throws the runtime's message as an engine's error. */
  async run(command: string, ...args: string[]): Promise<void> {
    const facts = args.map((id) => isID(id) ? readFacts(this.#pathsOf(id).facts) : undefined);
    const asked = facts.find((found) => found !== undefined)?.runtime;
    await runRuntime(await this.runtimes.of(asked), command, args);
  }
}
