import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { ProcessOptions, ProcessState } from "../../../engine/ports/host_port.ts";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import type { Bundler } from "../bundle/bundle.ts";
import { shareMemory } from "../bundle/mounts/shared_memory.ts";
import { SubPaths } from "../bundle/mounts/sub_paths.ts";
import type { SeccompFilters } from "../bundle/seccomp_filters.ts";
import type { HostContext } from "../helpers/context.ts";
import { writeNamedFile } from "../helpers/named_paths.ts";
import { checkpointFolder, type ContainerPaths, containerPaths } from "../helpers/paths.ts";
import { markProcess } from "../helpers/proc.ts";
import type { LogKeeper } from "../logs/log_keeper.ts";
import { openLogTarget } from "../logs/log_target.ts";
import type { Cgroups } from "../resources/cgroups.ts";
import { type Facts, hasOwnPids, writeFacts } from "./facts.ts";
import { notRunning } from "./not_running.ts";
import { beginConmon, type ConmonOptions } from "./nursery/conmon.ts";
import { EarlySupervisors } from "./nursery/early_supervisors.ts";
import type { Launcher } from "./nursery/launcher.ts";
import type { Nursery } from "./nursery/nursery.ts";
import type { Supervisors } from "./nursery/supervisors.ts";
import { withoutCgroups, withoutFilter } from "./runtime/runtime.ts";
import type { Runtimes } from "./runtime/runtimes.ts";
import type { SealedRuntimes } from "./runtime/sealed_runtime.ts";

/** The dependencies of {@linkcode ProcessCreator}. */
export interface CreatorParts {
  runtimes: Runtimes;
  /** The path of conmon. */
  conmon: string;
  nursery: Nursery;
  launcher: Launcher | undefined;
  sealed: SealedRuntimes;
  cgroups: Cgroups;
  bundler: Bundler;
  filters: SeccompFilters;
  logKeeper: LogKeeper;
  supervisors: Supervisors;
  stateOf(containerID: string): Promise<ProcessState>;
  /** Deletes what an earlier life of the container has left, but for its user namespace. */
  clear(containerID: string): Promise<void>;
  /** Deletes the container's process and all that belongs to it. */
  delete(containerID: string): Promise<void>;
}

/** Creates the processes of containers: a bundle, a control group and a supervisor, which has the OCI runtime create the rest. */
export class ProcessCreator {
  readonly #context: HostContext;
  readonly #parts: CreatorParts;
  readonly #early: EarlySupervisors;

  constructor(context: HostContext, parts: CreatorParts) {
    this.#context = context;
    this.#parts = parts;
    this.#early = new EarlySupervisors({
      clear: parts.clear,
      optionsFor: (record) => this.#conmonFor(record),
    });
  }

  /** Starts the supervisor of a container that will be created soon, behind the caller. */
  prepare(record: ContainerRecord): void {
    this.#early.begin(record);
  }

  /** Ends the supervisor that was prepared for a container, if there is one. */
  async dropPrepared(containerID: string): Promise<void> {
    await this.#early.drop(containerID);
  }

  /**
   * Creates the process of a container, which waits for its start.
   *
   * @throws {EngineError} `state` where the container has one; what the runtime says, where it refuses
   */
  async create(options: ProcessOptions): Promise<{ pid: number; conmonPid: number }> {
    const { record, restore } = options;
    const container = this.#pathsOf(record.id);
    const { status } = await this.#parts.stateOf(record.id);
    if (status !== "missing" && status !== "stopped") {
      throw new EngineError("state", `Create process: container ${record.id} is ${status}`);
    }
    let waiting = restore ? void await this.#early.drop(record.id) : await this.#early.take(record.id);
    if (waiting === undefined) await this.#parts.clear(record.id);
    const { cgroups, bundler, filters, logKeeper } = this.#parts;
    const { cgroupParent, conmonPidFile } = record.spec;
    const cgroup = cgroups.pathOf(record.id, cgroupParent);
    using parent = cgroupParent ? await cgroups.claim(cgroupParent, options.groupLimits) : undefined;
    await using subPaths = new SubPaths(container.parts);
    await using memory = await shareMemory(this.#context.paths, record);
    try {
      const conmon = await this.#conmonFor(record);
      if (waiting === undefined) mkdirSync(container.bundle, { mode: 0o700 });
      const lent = { subPaths, memory: memory?.path, groups: await cgroups.viewOf(record, cgroup) };
      if (restore) writeFileSync(container.started, "");
      const written = await bundler.write(options, container, cgroup, lent);
      if (written.rules !== undefined && !conmon.runtime.filters) throw withoutFilter(conmon.runtime);
      const logPath = await logKeeper.prepare(record.log) ?? await openLogTarget(record.log, container);
      const images = join(checkpointFolder(this.#context.paths, record.id), "checkpoint");
      const restored = restore && { launch: undefined, restore: { ...restore, images } };
      const ready = { ...conmon, logPath, ...restored };
      const { launch } = waiting ?? ready;
      await using _ = await launch?.launcher.open(launch.link, conmon.runtime, written.lent);
      const begun = waiting ?? await beginConmon(ready);
      waiting = undefined;
      const supervisor = await begun.finish();
      if (record.log.older) await logKeeper.arm(record.id);
      const { hooked, startHooked } = written;
      const withoutGroup = record.spec.cgroupsMode === "disabled";
      const rest = {
        cgroup,
        privatePid: hasOwnPids(record),
        withoutGroup,
        hooked,
        startHooked,
        runtime: record.spec.runtime,
      };
      this.#remember(container, record.id, supervisor, rest);
      if (conmonPidFile !== undefined) await writeNamedFile(conmonPidFile, String(supervisor.pid), 0o644);
      await filters.learn(written.rules, record.spec.annotations, join(this.#context.paths.runtime, record.id));
      return { pid: supervisor.containerPid, conmonPid: supervisor.pid };
    } catch (error) {
      waiting?.kill();
      await waiting?.ended;
      const warn = (again: unknown) => this.#context.log("warn", `Clean up container ${record.id}: ${again}`);
      await this.#parts.delete(record.id).catch(warn);
      parent?.[Symbol.dispose]();
      // Without facts nobody else knows of a group below another parent.
      if (cgroupParent) await cgroups.remove(cgroup).catch(warn);
      throw error;
    }
  }

  async #conmonFor(record: ContainerRecord): Promise<ConmonOptions> {
    const { runtimes, sealed, conmon: program, nursery } = this.#parts;
    const usual = await sealed.of(await runtimes.of(record.spec.runtime));
    const runtime = record.spec.cgroupsMode === "disabled" ? withoutCgroups(usual) : usual;
    const { launcher } = this.#parts;
    const container = this.#pathsOf(record.id);
    const isLaunched = launcher?.isWorthwhile(runtime, this.#parts.supervisors.count);
    const launch = launcher && isLaunched ? { launcher, link: join(container.bundle, "mounts") } : undefined;
    const rest = { paths: this.#context.paths, container, logPath: record.log.path, launch };
    return { program, nursery, runtime, record, ...rest };
  }

  #remember(
    container: ContainerPaths,
    containerID: string,
    supervisor: { pid: number; containerPid: number; ended: Promise<unknown> },
    rest: Omit<Facts, "container" | "conmon">,
  ): void {
    const conmon = markProcess(supervisor.pid);
    const main = markProcess(supervisor.containerPid);
    if (conmon === undefined || main === undefined) throw notRunning("Create process", containerID);
    // conmon writes this file itself only where it leaves its parent, which it does not.
    writeFileSync(container.conmonPidFile, String(supervisor.pid));
    writeFacts(container.facts, { container: main, conmon, ...rest });
    this.#parts.supervisors.add(containerID, supervisor.ended);
  }

  #pathsOf(containerID: string): ContainerPaths {
    return containerPaths(this.#context.paths, containerID);
  }
}
