/** Containers: what the engine offers of them, one call per operation. */
import type { ContainerRecord } from "../records/container_record.ts";
import type { TerminalSize } from "../records/spec_parts.ts";
import { hostOf, requireHost } from "../core.ts";
import type { Networks } from "../networks/networks.ts";
import type { ContainerFacts } from "../ports/host_facts.ts";
import type { Attachment, ContainerSecrets, ProcessTable } from "../ports/host_port.ts";
import { recoverContainers } from "./recovery.ts";
import type { Secrets } from "../secrets.ts";
import { InfraContainers } from "../pods/infra_containers.ts";
import type { PodStore } from "../pods/pod_store.ts";
import type { VolumeStore } from "../volumes/volume_store.ts";
import { attachContainer, resizeContainer } from "./streams/attach.ts";
import { BackgroundWork } from "./background_work.ts";
import { Changes } from "./changes.ts";
import { ContainerCheckpoints } from "./checkpoint/checkpoints.ts";
import { type ContainersCore, type Context, isLive, type MadeContainer } from "./context.ts";
import { createContainer } from "./create/create_container.ts";
import type { MemberRequest } from "./request/container_request.ts";
import { recordExecExit, recoverExecs } from "./exec/record_exit.ts";
import { ExitListeners } from "./exec/exit_listeners.ts";
import { ContainerExecs } from "./exec/execs.ts";
import { Sessions } from "./exec/sessions.ts";
import { onExit } from "./life/record_exit.ts";
import { activeHealth } from "./health/health_check.ts";
import { HealthMonitor } from "./health/health_monitor.ts";
import { type HealthState, HealthStates } from "./health/health_states.ts";
import { answerOf, type HealthOutcome, runCheck } from "./health/run_check.ts";
import { setHealth } from "./health/set_health.ts";
import { improperState, isCode } from "./failures.ts";
import { ContainerFiles } from "./files/files.ts";
import { TreeUses } from "./files/tree_uses.ts";
import { ContainerNetworks } from "./networks/container_networks.ts";
import { awaitsRestart } from "./life/restart_wait.ts";
import { initContainer, pauseContainer, restartContainer, startContainer, unpauseContainer } from "./life/lifecycle.ts";
import { listContainers } from "./list.ts";
import type { LogRecord } from "../text/logs/k8s_log.ts";
import { readLogs } from "./streams/logs.ts";
import type {
  AttachOptions,
  KillOptions,
  ListOptions,
  LogsOptions,
  RemoveOptions,
  RemoveReport,
  RestartOptions,
  StopOptions,
  WaitCondition,
  WaitOptions,
} from "./options.ts";
import { PortClaims } from "./life/port_claims.ts";
import { Records } from "./records.ts";
import { removeContainer } from "./remove.ts";
import { renameContainer } from "./rename.ts";
import { type ContainerStats, lookAt, type StatsOptions, watchStats } from "./stats.ts";
import { SecretCopies } from "./secrets.ts";
import { killContainer, stopContainer } from "./life/stop.ts";
import { Teardowns } from "./life/teardowns.ts";
import { topContainer } from "./top.ts";
import { updateContainer, type UpdateOptions } from "./update.ts";
import { waitForContainer } from "./life/wait.ts";
import { WarmPools } from "./warm/warm_pools.ts";
import type { HealthWish } from "../records/health_plan.ts";

/**
 * The engine's containers. Every operation takes a name, an ID or an unambiguous prefix of one; what changes a container
 * is durable before it answers, and one container's changes never overlap.
 */
export class Containers {
  /** Further processes in them. */
  readonly execs: ContainerExecs;
  /** Freezing them into files. */
  readonly checkpoints: ContainerCheckpoints;
  /** Their files. */
  readonly files: ContainerFiles;
  /** Infra containers, which hold the namespaces of pods. */
  readonly infra: InfraContainers;
  /** Their networks. */
  readonly networks: ContainerNetworks;
  readonly #context: Context;
  readonly #closing = new AbortController();
  readonly #background: BackgroundWork;
  readonly #unwatch: (() => void)[] = [];

  constructor(core: ContainersCore, networks: Networks, volumes: VolumeStore, secrets: Secrets, pods: PodStore) {
    this.#background = new BackgroundWork(core.log);
    const changes = new Changes();
    const portClaims = new PortClaims();
    this.#context = {
      core,
      changes,
      sessions: new Sessions(core.state),
      secrets: new SecretCopies(core.state, secrets),
      health: new HealthMonitor(new HealthStates(core.state)),
      execEnds: new ExitListeners(),
      networks,
      volumes,
      pods,
      portClaims,
      records: new Records(core, changes),
      teardowns: new Teardowns(core, networks, portClaims, this.#closing.signal),
      treeUses: new TreeUses(core, volumes),
      restarting: new Set(),
      dying: new Set(),
      awaitingRestart: new Map(),
      warm: new WarmPools(core.state, core.options.limits.warmContainers),
      closing: this.#closing.signal,
      background: (what, work) => this.#background.run(what, work),
    };
    this.execs = new ContainerExecs(this.#context);
    this.checkpoints = new ContainerCheckpoints(this.#context);
    this.files = new ContainerFiles(this.#context);
    this.infra = new InfraContainers(this.#context);
    this.networks = new ContainerNetworks(this.#context);
    core.images.users = {
      of: (id) => this.usingImage(id).map((record) => ({ id: record.id, running: isLive(record) })),
      remove: async (id) => void await this.remove(id, { force: true, ignore: true, depend: true }),
    };
  }

  /** Makes a container, with warnings of what it cannot have. The engine's `defaults` fill what the request leaves out. */
  create(request: MemberRequest): Promise<MadeContainer> {
    return callAsync(() => createContainer(this.#context, request));
  }

  /** The container of that name, ID or ID prefix. Throws `no_such_container` or `ambiguous`. */
  resolve(nameOrID: string): ContainerRecord {
    return this.#context.records.resolve(nameOrID);
  }

  /** The container of exactly that name: what a document or a unit has made, and never another whose ID begins so. */
  named(name: string): ContainerRecord | undefined {
    return this.#context.records.named(name);
  }

  /** Whether there is one. An ambiguous prefix counts as there. */
  exists(nameOrID: string): boolean {
    try {
      return this.resolve(nameOrID) !== undefined;
    } catch (error) {
      if (!isCode(error, "no_such_container", "invalid", "ambiguous")) throw error;
      return isCode(error, "ambiguous");
    }
  }

  /** Containers, newest first; only those that run unless asked otherwise. Throws `invalid` for a filter there is not. */
  list(options: ListOptions = {}): ContainerRecord[] {
    return listContainers(this.#context, options);
  }

  /**
   * Gives a container secrets that no store ever has, for its starts until this is disposed of. Throws `state` where its process is
   * made already, without them.
   */
  lendSecrets(nameOrID: string, secrets: ContainerSecrets): Disposable {
    const { id, state: { status } } = this.resolve(nameOrID);
    if (status === "initialized") throw improperState(`cannot lend secrets: container ${id} is initialized`);
    return this.#context.secrets.lend(id, secrets);
  }

  /** Containers made of this image: what an image removal must ask. */
  usingImage(imageID: string): ContainerRecord[] {
    return this.#context.records.usingImage(imageID);
  }

  /** Containers that have the volume of that name. */
  withVolume(name: string): ContainerRecord[] {
    return this.#context.records.withVolume(name);
  }

  /** Makes the container's process, up to the point where it would start. Throws `unchanged` when that is done already. */
  init(nameOrID: string): Promise<void> {
    return callAsync(() => initContainer(this.#context, nameOrID));
  }

  /** Starts it, its dependencies first. Throws `unchanged` when it runs. */
  start(nameOrID: string): Promise<void> {
    return startContainer(this.#context, nameOrID);
  }

  /** Stops it: the stop signal, then SIGKILL when the time is up. Throws `unchanged` when it has ended. */
  stop(nameOrID: string, options?: StopOptions): Promise<void> {
    return stopContainer(this.#context, nameOrID, options);
  }

  /** Sends a signal (number, `TERM`, `SIGTERM`; `SIGKILL` by default, after which its end is waited for). */
  kill(nameOrID: string, options?: KillOptions): Promise<void> {
    return killContainer(this.#context, nameOrID, options);
  }

  /** Stops it if it runs, then starts it. */
  restart(nameOrID: string, options?: RestartOptions): Promise<void> {
    return restartContainer(this.#context, nameOrID, options);
  }

  pause(nameOrID: string): Promise<void> {
    return callAsync(() => pauseContainer(this.#context, nameOrID));
  }

  unpause(nameOrID: string): Promise<void> {
    return callAsync(() => unpauseContainer(this.#context, nameOrID));
  }

  /**
   * Waits for any of the conditions, `exited` by default. Resolves with the exit code, or -1 when what was met is no end.
   * The call is in place when it returns its promise: a start that follows is not missed. Containers that are gone answer
   * with their exit code for five minutes.
   */
  wait(nameOrID: string, conditions: readonly WaitCondition[] = [], options?: WaitOptions): Promise<number> {
    return waitForContainer(this.#context, nameOrID, conditions, options);
  }

  /** Removes it, and what depends on it when asked. Reports come in the order of removal. */
  remove(nameOrID: string, options?: RemoveOptions): Promise<RemoveReport[]> {
    return removeContainer(this.#context, nameOrID, options);
  }

  /** The container's log, records together as they come. Throws at once where there is none. */
  logs(nameOrID: string, options: LogsOptions): AsyncIterable<LogRecord[]> {
    return readLogs(this.#context, nameOrID, options);
  }

  /** Attaches to its standard streams; initialises a container that is not running, so that nothing is missed at its start. */
  attach(nameOrID: string, options: AttachOptions): Promise<Attachment> {
    return attachContainer(this.#context, nameOrID, options);
  }

  /** Lists the container's processes: columns by Podman's descriptors, or as `ps(1)` gives them for these arguments. */
  top(nameOrID: string, args: readonly string[] = []): Promise<ProcessTable> {
    return topContainer(this.#context, nameOrID, args);
  }

  /** Reads the container's resource usage; its share of processor time counts from `previous`, by default from its start. */
  stats(nameOrID: string, previous?: ContainerStats): Promise<ContainerStats> {
    return callAsync(() => lookAt(this.#context, this.resolve(nameOrID), previous));
  }

  /** Reads the resource usage of several containers, at an interval. Throws at once for an invalid interval. */
  watchStats(options: StatsOptions): AsyncIterable<ContainerStats[]> {
    return watchStats(this.#context, options);
  }

  /** Runs its health check, now. Throws `state` where it has none or does not run, `timeout` where that took too long. */
  async checkHealth(nameOrID: string): Promise<HealthOutcome> {
    return answerOf(await runCheck(this.#context, nameOrID), this.resolve(nameOrID));
  }

  /** Whether it has ended and waits for its restart, by its policy or for being unhealthy. */
  awaitsRestart(record: ContainerRecord): boolean {
    return awaitsRestart(this.#context, record);
  }

  /** How it is by what its checks found; `undefined` where it is not checked, or was never up. */
  health(nameOrID: string): HealthState | undefined {
    const { id, health } = this.resolve(nameOrID);
    return activeHealth(health) && this.#context.health.states.get(id);
  }

  /** Changes its health checks: what is absent stays as it is. They run by the new ones from now on. */
  setHealth(nameOrID: string, wish: HealthWish): Promise<void> {
    return setHealth(this.#context, nameOrID, wish);
  }

  /** Sets its terminal's size. */
  resize(nameOrID: string, size: TerminalSize): Promise<void> {
    return callAsync(() => resizeContainer(this.#context, nameOrID, size));
  }

  /** Changes its limits, at once where it runs, and what it is started with from now on. */
  update(nameOrID: string, options: UpdateOptions): Promise<{ record: ContainerRecord; warnings: string[] }> {
    return callAsync(() => updateContainer(this.#context, nameOrID, options));
  }

  rename(nameOrID: string, name: string): Promise<void> {
    return callAsync(() => renameContainer(this.#context, nameOrID, name));
  }

  /** Returns the host's facts about the container; `undefined` without a host. */
  facts(nameOrID: string): ContainerFacts | undefined {
    return hostOf(this.#context.core)?.describe(this.resolve(nameOrID));
  }

  /** The namespaces of its process, by the kernel's names for them. */
  namespaces(nameOrID: string): Record<string, string> {
    return requireHost(this.#context.core).processes.namespaces(this.resolve(nameOrID).id);
  }

  /** Bytes in its writable layer. */
  async size(nameOrID: string): Promise<number> {
    return await requireHost(this.#context.core).layers.usage(this.resolve(nameOrID).id);
  }

  /** The name of the OCI runtime that runs them; empty where there is no host. */
  async runtime(): Promise<string> {
    return (await hostOf(this.#context.core)?.processes.runtime())?.name ?? "";
  }

  /** Reconciles records with the host; the engine calls it once, before it answers anybody. */
  async recover(): Promise<void> {
    const { host } = this.#context.core;
    if ("unavailable" in host) return;
    // Watching comes first: what ends meanwhile is told of, and told twice does no harm.
    this.#unwatch.push(
      host.processes.onExit((id, exit) => {
        this.#background.run(`handle the end of ${id}`, onExit(this.#context, id, exit));
      }),
      host.processes.execs.onExit((id, exit) => {
        this.#background.run(`handle the end of exec session ${id}`, recordExecExit(this.#context, id, exit));
      }),
    );
    await recoverContainers(this.#context);
    await recoverExecs(this.#context);
    this.#context.health.begin();
  }

  /** Stops watching the host, and waits for the work that goes on behind answers. Containers go on, but for those that wait for a request. */
  async close(): Promise<void> {
    await this.#context.warm.close(this.#context);
    for (const stop of this.#unwatch) stop();
    this.#closing.abort();
    await this.#context.health.settled();
    await this.settled();
  }

  /** Resolves when no work goes on behind an answer: clean-ups, automatic removals, restarts by policy. */
  async settled(): Promise<void> {
    await this.#background.settled();
  }
}

/** Runs an operation so that an error before its first wait rejects the promise, too. */
async function callAsync<T>(operation: () => Promise<T>): Promise<T> {
  return await operation();
}
