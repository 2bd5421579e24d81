/** Pods: what the engine offers of them, one call per operation. */
import type { Containers } from "../containers/containers.ts";
import type { ContainersCore } from "../containers/context.ts";
import type { ContainerStats } from "../containers/stats.ts";
import { hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { Networks } from "../networks/networks.ts";
import type { ProcessTable } from "../ports/host_port.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { parseSignal, SIGKILL } from "../text/signals.ts";
import { createPod } from "./create_pod.ts";
import { ignoreCodes } from "./ignore_codes.ts";
import { runInitContainers } from "./init_containers.ts";
import { advanceJob } from "./job_pods.ts";
import { podUnchanged } from "./pod_errors.ts";
import { type PodFilters, podPredicate } from "./pod_filters.ts";
import { podRemovalError, type PodRemovalReport, type PodReport, type PodStats } from "./pod_report.ts";
import type { PodRemoval, PodRequest } from "./pod_request.ts";
import { type PodStatus, podStatus } from "./pod_status.ts";
import type { PodStore } from "./pod_store.ts";
import { listProcesses, readUsage } from "./read_pod.ts";
import { stopIdleService } from "./service_container.ts";
import { eachMember, walkPod } from "./walk_pod.ts";

/**
 * The engine's pods. Every operation takes a name, an ID or an unambiguous prefix of one. An operation on the containers of a
 * pod goes on where one of them fails: its report says which. Operations on one pod never overlap.
 */
export class Pods {
  readonly #core: ContainersCore;
  readonly #store: PodStore;
  readonly #networks: Networks;
  readonly #containers: Containers;

  constructor(core: ContainersCore, store: PodStore, networks: Networks, containers: Containers) {
    this.#core = core;
    this.#networks = networks;
    this.#store = store;
    this.#containers = containers;
    store.onRest(async ({ job }) => {
      if (job !== undefined) await this.#advance(job.name);
    });
  }

  /**
   * Makes a pod, with its infra container unless the request wants none, and starts nothing.
   *
   * Throws `name_in_use`, `invalid` for what cannot be, `no_such_image` for an infra image there is not; `unsupported` for an
   * infra container where there is no host.
   */
  async create(request: PodRequest): Promise<{ record: PodRecord; warnings: string[] }> {
    return await createPod(this.#core, this.#store, this.#containers, request);
  }

  /** The pod of that name, ID or ID prefix. Throws `no_such_pod` or `ambiguous`. */
  resolve(nameOrID: string): PodRecord {
    return this.#store.resolve(nameOrID);
  }

  /** The pod of exactly that name: what a document or a unit has made, and never another whose ID begins so. */
  named(name: string): PodRecord | undefined {
    return this.#store.named(name);
  }

  /** Whether there is one. An ambiguous prefix counts as there. */
  exists(nameOrID: string): boolean {
    try {
      return this.resolve(nameOrID) !== undefined;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return error.code === "ambiguous";
    }
  }

  /** Pods that fit all filters, oldest first. Throws `invalid` for a filter there is not. */
  list(filters: PodFilters = {}): PodRecord[] {
    return this.#store.all().filter(podPredicate(filters, {
      membersOf: (id) => this.#store.membersOf(id),
      network: (nameOrID) => this.#networks.exists(nameOrID) ? this.#networks.resolve(nameOrID).name : undefined,
      now: this.#core.clock.now(),
    }));
  }

  /** The containers of a pod, oldest first. */
  membersOf(pod: PodRecord): ContainerRecord[] {
    return this.#store.membersOf(pod.id);
  }

  /** The pod's infra container; `undefined` where it has none. */
  infraOf(pod: PodRecord): ContainerRecord | undefined {
    return this.membersOf(pod).find(({ id }) => id === pod.infraID);
  }

  /** Whether pods name a container as the one that runs as long as they do. */
  isService(containerID: string): boolean {
    return this.#store.servedBy(containerID).length > 0;
  }

  /** The state of a pod, by those of its containers. */
  status(pod: PodRecord): PodStatus {
    return podStatus(this.membersOf(pod));
  }

  /**
   * Runs the pod's init containers, one after the other, then starts the others in the order of their dependencies. Throws
   * `unchanged` where all of them run, `state` where an init container fails.
   */
  start(nameOrID: string): Promise<PodReport> {
    return this.#change(nameOrID, async (pod) => {
      if (this.status(pod) === "Running") throw podUnchanged(pod.id, "running");
      this.#requireMembers(pod);
      await this.#startService(pod);
      await runInitContainers(this.#containers, this.membersOf(pod));
      const failures = await walkPod(
        this.#mains(pod),
        "start",
        ({ id }) => ignoreCodes(["unchanged"], this.#containers.start(id)),
      );
      if (failures.size === 0) this.#store.emit(pod, "start");
      return { pod, failures };
    });
  }

  /** Stops the containers that run, those first that others are needed by. Throws `unchanged` where none runs. */
  stop(nameOrID: string, { timeout }: { timeout?: number } = {}): Promise<PodReport> {
    return this.#change(nameOrID, async (pod) => {
      if (!this.membersOf(pod).some(isRunning)) throw podUnchanged(pod.id, "not running");
      this.#store.emit(pod, "stop");
      const stop = ({ id }: ContainerRecord) => ignoreCodes(IDLE, this.#containers.stop(id, { timeout }));
      const failures = await walkPod(this.membersOf(pod), "stop", stop);
      await this.#stopService(pod);
      return { pod, failures };
    });
  }

  /** Stops and starts every container that is not paused, in the order of their dependencies. */
  restart(nameOrID: string): Promise<PodReport> {
    return this.#change(nameOrID, async (pod) => {
      this.#requireMembers(pod);
      await this.#startService(pod);
      const failures = await walkPod(this.#mains(pod), "start", async ({ id, state }) => {
        if (state.status !== "paused") await this.#containers.restart(id);
      });
      if (failures.size === 0) { for (const action of ["stop", "start"]) this.#store.emit(pod, action); }
      return { pod, failures };
    });
  }

  /** Sends a signal to every container that runs, SIGKILL by default. Throws `state` where none runs. */
  async kill(nameOrID: string, { signal = SIGKILL }: { signal?: string | number } = {}): Promise<PodReport> {
    const number = parseSignal(signal);
    return await this.#change(nameOrID, async (pod) => {
      if (!this.#mains(pod).some(isRunning)) {
        throw new EngineError("state", `cannot kill a pod with no running containers: ${pod.id}`);
      }
      this.#store.emit(pod, "kill");
      const kill = ({ id }: ContainerRecord) => ignoreCodes(IDLE, this.#containers.kill(id, { signal: number }));
      const failures = await eachMember(this.membersOf(pod), kill);
      await this.#stopService(pod);
      return { pod, failures };
    });
  }

  /** Freezes the containers that run. */
  pause(nameOrID: string): Promise<PodReport> {
    return this.#change(nameOrID, async (pod) => {
      this.#store.emit(pod, "pause");
      const running = this.membersOf(pod).filter(isRunning);
      return { pod, failures: await eachMember(running, ({ id }) => ignoreCodes(IDLE, this.#containers.pause(id))) };
    });
  }

  /** Lets the containers that are paused go on. */
  unpause(nameOrID: string): Promise<PodReport> {
    return this.#change(nameOrID, async (pod) => {
      this.#store.emit(pod, "unpause");
      const paused = this.membersOf(pod).filter(({ state }) => state.status === "paused");
      return { pod, failures: await eachMember(paused, ({ id }) => ignoreCodes(IDLE, this.#containers.unpause(id))) };
    });
  }

  /**
   * Removes a pod and its containers, with their anonymous volumes, the infra container last. Where a container stays, because it
   * runs and `force` is not asked for, the pod stays, too.
   */
  remove(nameOrID: string, { force = false, timeout }: PodRemoval = {}): Promise<PodRemovalReport> {
    return this.#change(nameOrID, async (pod) => {
      const members = this.membersOf(pod);
      // The pause program is nobody's work.
      const isForced = force || members.every(({ id }) => id === pod.infraID);
      const removed: string[] = [];
      const failures = await walkPod(members, "stop", async ({ id }) => {
        const options = { force: isForced, timeout, volumes: true, ignore: true, withPod: true };
        for (const report of await this.#containers.remove(id, options)) removed.push(report.id);
      });
      if (failures.size > 0) return { pod, failures, removed };
      // With the infra container the pod's record has gone already.
      if (this.#store.get(pod.id)) {
        if (pod.cgroupPath !== "") await hostOf(this.#core)?.resources.removeGroup(pod.cgroupPath);
        await this.#core.state.commit([this.#store.drop(pod.id)]);
        this.#store.emit(pod, "remove");
      }
      await this.#removeService(pod);
      return { pod, failures, removed };
    });
  }

  /**
   * Removes the pods that fit all filters, and that ran and run no more. One that cannot go does not keep the others. Throws
   * `invalid` for a filter there is not.
   */
  async prune(filters: PodFilters = {}): Promise<{ id: string; error?: Error }[]> {
    const ended = this.list(filters).filter((pod) => ["Stopped", "Exited"].includes(this.status(pod)));
    return await Promise.all(ended.map(async ({ id }) => {
      try {
        const { pod, failures } = await this.remove(id);
        return { id, ...failures.size > 0 && { error: podRemovalError(pod, failures) } };
      } catch (error) {
        return { id, error: error instanceof Error ? error : new Error(String(error)) };
      }
    }));
  }

  /** Lists the processes of all containers that run; see {@linkcode Containers.top} for the arguments. */
  async top(nameOrID: string, args: readonly string[] = []): Promise<ProcessTable> {
    return await listProcesses(this.#containers, this.membersOf(this.resolve(nameOrID)), args);
  }

  /**
   * Reads what the containers of pods use, of those that run. Shares of processor time count from `previous`, by
   * container ID, or from the start.
   */
  async stats(
    namesOrIDs: readonly string[] = [],
    previous: ReadonlyMap<string, ContainerStats> = new Map(),
  ): Promise<PodStats[]> {
    const pods = namesOrIDs.length > 0 ? namesOrIDs.map((name) => this.resolve(name)) : this.list();
    return await Promise.all(pods.map(async (pod) => {
      return { pod, containers: await readUsage(this.#containers, this.membersOf(pod), previous) };
    }));
  }

  /** Finishes what exit policies ask for, where the engine was away when a container ended. */
  async recover(): Promise<void> {
    const waiting = this.#store.all().filter(({ id, exitPolicy, infraID }) => {
      const [infra, ...others] = this.#store.membersOf(id);
      if (exitPolicy !== "stop" || infra?.id !== infraID) return false;
      return others.some(({ state }) => state.status === "exited" && state.finishedAt > infra.state.startedAt);
    });
    for (const { id } of waiting) await this.#containers.infra.stopIdle(id);
    for (const name of new Set(this.#store.all().flatMap(({ job }) => job?.name ?? []))) await this.resumeJob(name);
  }

  /** Goes on with a job where one of its pods has been started before; a job of which none was waits for its user. */
  async resumeJob(name: string): Promise<void> {
    const pods = this.#store.all().filter(({ job }) => job?.name === name);
    if (pods.some((pod) => this.#mains(pod).some(({ state }) => state.startedAt > 0))) await this.#advance(name);
  }

  async #advance(name: string): Promise<void> {
    const start = (id: string) => this.start(id);
    await advanceJob({ store: this.#store, start, log: this.#core.log }, name);
  }

  async #change<T>(nameOrID: string, work: (pod: PodRecord) => Promise<T>): Promise<T> {
    const { id } = this.#store.resolve(nameOrID);
    // The pod may go while others work on it.
    return await this.#store.locked(id, () => work(this.#store.require(id)));
  }

  /** The containers that are no init containers. */
  #mains(pod: PodRecord): ContainerRecord[] {
    return this.membersOf(pod).filter(({ spec }) => spec.initContainer === undefined);
  }

  #requireMembers(pod: PodRecord): void {
    if (this.membersOf(pod).length > 0) return;
    const sentinel = "no such container";
    const text = `no containers in pod ${pod.id} have no dependencies, cannot start pod: ${sentinel}`;
    throw new EngineError("state", text, { sentinel });
  }

  async #startService({ serviceContainer: id }: PodRecord): Promise<void> {
    if (id !== undefined) await ignoreCodes(["unchanged"], this.#containers.start(id));
  }

  async #stopService(pod: PodRecord): Promise<void> {
    const containers = this.#containers;
    const get = (id: string) => containers.exists(id) ? containers.resolve(id) : undefined;
    await stopIdleService(this.#store, { get, kill: (id, options) => containers.kill(id, options) }, pod);
  }

  async #removeService({ serviceContainer: id }: PodRecord): Promise<void> {
    if (id === undefined || this.#store.servedBy(id).length > 0) return;
    await this.#containers.remove(id, { force: true, ignore: true, timeout: 0 });
  }
}

/** Codes of failures that only say that a container has nothing to stop, kill or pause. */
const IDLE: readonly EngineError["code"][] = ["unchanged", "state", "no_such_container"];

function isRunning({ state }: ContainerRecord): boolean {
  return state.status === "running";
}
