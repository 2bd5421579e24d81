import { messageOf } from "../oci/message_of.ts";
import { Builds } from "./build/builds.ts";
import type { Artifacts } from "./artifacts/artifacts.ts";
import type { ContainerDefaults } from "./records/container_defaults.ts";
import { Containers } from "./containers/containers.ts";
import { hostOf, requireHost, startTurns } from "./core.ts";
import { EngineError } from "./errors.ts";
import { EventLog } from "./store/events.ts";
import { Images } from "./images/images.ts";
import { type SystemInfo, VERSION } from "./info.ts";
import { Intents } from "./store/intents.ts";
import { Kube } from "./kube/kube.ts";
import { checkHost } from "./metrics/check_host.ts";
import { CommitWatch } from "./metrics/commit_watch.ts";
import { type EngineFigures, gatherFigures, Metrics } from "./metrics/metrics.ts";
import { Locks } from "./store/locks.ts";
import { DEFAULT_NETWORK, Networks } from "./networks/networks.ts";
import { type EngineOptions, resolveOptions } from "./options.ts";
import type { Ports } from "./ports/ports.ts";
import { Pods } from "./pods/pods.ts";
import { PodStore } from "./pods/pod_store.ts";
import { Quadlets } from "./quadlets/quadlets.ts";
import { autoUpdate, type AutoUpdateOptions, type AutoUpdateOutcome } from "./quadlets/update/auto_update.ts";
import { Secrets } from "./secrets.ts";
import { State } from "./store/state.ts";
import { System } from "./system/system.ts";
import { Volumes } from "./volumes/volumes.ts";
import { VolumeStore } from "./volumes/volume_store.ts";
import type { ContainersCore } from "./containers/context.ts";

/** A container engine over {@linkcode Ports}: one per store. */
export class Engine {
  readonly images: Images;
  readonly artifacts: Artifacts;
  readonly containers: Containers;
  readonly pods: Pods;
  readonly kube: Kube;
  readonly builds: Builds;
  readonly networks: Networks;
  readonly volumes: Volumes;
  readonly secrets: Secrets;
  readonly quadlets: Quadlets;
  readonly system: System;
  readonly events: EventLog;
  /** Whether short names are Docker Hub's in Docker's API. */
  readonly dockerHub: boolean;
  /** The containers' settings where a request leaves them out. */
  readonly defaults: ContainerDefaults;
  /** The counts of what happens here. */
  readonly metrics: Metrics;
  readonly #core: ContainersCore;
  readonly #commits: CommitWatch;
  #address?: string;

  private constructor(core: ContainersCore, metrics: Metrics, commits: CommitWatch) {
    this.#core = core;
    this.metrics = metrics;
    this.#commits = commits;
    this.events = core.events;
    this.dockerHub = core.options.dockerHub;
    this.defaults = core.options.defaults;
    this.images = core.images;
    this.artifacts = core.images.artifacts;
    this.networks = new Networks(core);
    const volumes = new VolumeStore(core);
    this.secrets = new Secrets(core);
    const pods = new PodStore(core);
    this.containers = new Containers(core, this.networks, volumes, this.secrets, pods);
    this.pods = new Pods(core, pods, this.networks, this.containers);
    this.volumes = new Volumes(core, volumes, this.containers);
    this.builds = new Builds(core, core.images, this.containers, this.volumes);
    this.kube = this.#makeKube();
    const { images, artifacts, builds, containers, networks, kube } = this;
    this.quadlets = new Quadlets(core, {
      ...{ images, artifacts, builds, containers, networks, kube, pods: this.pods, volumes: this.volumes },
      localFiles: () => requireHost(core).localFiles,
      notifySockets: () => requireHost(core).notifySockets,
    });
    this.system = new System({ core, images: this.images, containers: this.containers, volumes: this.volumes });
  }

  /** Loads the state and reconciles it with the host: what was cut short is finished or undone when it resolves. */
  static async open(ports: Ports, options: EngineOptions = {}): Promise<Engine> {
    const log = options.log ?? (() => {});
    const resolved = resolveOptions(ports, options);
    const metrics = new Metrics();
    const commits = new CommitWatch(ports.clock, metrics.commits);
    const state = await State.open(ports.store, commits);
    for (const name of state.unknownTables()) {
      log("warn", `The store's records of "${name}" are unknown here: they are kept`);
    }
    const events = await EventLog.open({
      store: ports.store,
      clock: ports.clock,
      limit: resolved.limits.events,
      bytes: resolved.limits.eventBytes,
      memory: resolved.limits.eventMemory,
      // An event that each API has in its own way counts once.
      onEvent: ({ type, action, notFor }) => notFor !== "podman" && metrics.events.add({ type, action }),
      onError: (error) => log("error", `Write events: ${error}`),
    });
    const intents = new Intents(state, () => ports.clock.now());
    const { host, clock, random } = ports;
    const turns = { locks: new Locks(), ...startTurns(host) };
    const base = { ports, host, clock, random, state, events, intents, ...turns, options: resolved, log };
    const engine = new Engine({ ...base, images: new Images(base) }, metrics, commits);
    await engine.images.recover();
    await engine.containers.recover();
    await engine.pods.recover();
    await engine.builds.recover();
    await engine.quadlets.recover();
    return engine;
  }

  #makeKube(): Kube {
    const { images, builds, containers, pods, networks, volumes, secrets } = this;
    const core = this.#core;
    return new Kube({
      ...{ images, builds, containers, pods, networks, volumes, secrets },
      codec: core.ports.codec,
      log: core.log,
      hasHost: () => hostOf(core) !== undefined,
      files: () => requireHost(core).files,
      localFiles: () => requireHost(core).localFiles,
      net: () => core.ports.net,
      machine: async () => {
        const { memTotal = 0, cpus = 1 } = await hostOf(core)?.info() ?? {};
        return { name: core.options.name, memory: memTotal, cpus };
      },
      usualGrace: core.options.defaults.stopTimeout,
      clock: core.clock,
    });
  }

  /**
   * Updates the containers of units whose label `io.containers.autoupdate` asks for it, and rolls back those that do not come up
   * or become unhealthy; see {@linkcode autoUpdate}.
   */
  autoUpdate(options?: AutoUpdateOptions): Promise<AutoUpdateOutcome> {
    const { containers, images, events } = this;
    const restart = (unit: string) => this.quadlets.restart(unit);
    return autoUpdate({ containers, images, events, clock: this.#core.clock, restart }, options);
  }

  /**
   * Stops every container that runs, all at once, because the host goes down: each gets its own stop timeout, and its policy starts it
   * when the host has been booted. Failures are logged.
   */
  async stopForShutdown(): Promise<void> {
    const running = this.containers.list().filter(({ state }) => state.status !== "created");
    await Promise.all(running.map(async ({ id }) => {
      try {
        await this.containers.stop(id, { forShutdown: true, thaw: true });
      } catch (error) {
        // One that had ended, or was removed with another.
        if (error instanceof EngineError && ["unchanged", "no_such_container"].includes(error.code)) return;
        this.#core.log("warn", `Stop container ${id} as the host goes down: ${messageOf(error)}`);
      }
    }));
  }

  /** Notes the address that clients reach the engine at, for {@linkcode Engine.info}: `unix:///run/…` or `tcp://…`. */
  serveAt(address: string): void {
    this.#address = address;
  }

  /** Grows whenever a record changes that is read here: what is made of records alone is the same while this is. */
  get revision(): number {
    return this.#core.state.revision;
  }

  /** Facts about the host, the engine and how much it holds. */
  async info(): Promise<SystemInfo> {
    const { ports, options } = this.#core;
    const containers = this.containers.list({ all: true });
    const count = (...states: string[]) => containers.filter(({ state }) => states.includes(state.status)).length;
    const running = count("running", "stopping");
    const paused = count("paused");
    return {
      name: options.name,
      version: VERSION,
      platform: options.defaultPlatform,
      host: await hostOf(this.#core)?.info(),
      unavailable: "unavailable" in ports.host ? ports.host.unavailable : undefined,
      containers: { total: containers.length, running, paused, stopped: containers.length - running - paused },
      images: this.images.list().length,
      now: ports.clock.now(),
      socket: await this.#socket(),
      defaultNetwork: DEFAULT_NETWORK,
      subnetPools: options.subnetPools,
      registries: options.registries.registries,
      searchRegistries: options.registries.unqualifiedSearch,
    };
  }

  /**
   * Resolves if the engine can work: the store took its last commit and answers, and the host's helpers do, where there is a host.
   *
   * @throws {EngineError} `unavailable`, with the reason
   */
  async checkHealth(): Promise<void> {
    this.#commits.check();
    await checkHost(this.#core);
  }

  /** Gathers the engine's figures. The resources of containers are read for it, so it costs as much as one look at each that runs. */
  gatherFigures(): Promise<EngineFigures> {
    return gatherFigures(this, hostOf(this.#core) !== undefined);
  }

  async #socket(): Promise<SystemInfo["socket"]> {
    const address = this.#address;
    if (address === undefined) return undefined;
    const path = /^unix:\/\/(.*)$/.exec(address)?.[1];
    // A client that asks has found any other kind of address.
    return { address, exists: path === undefined || (await hostOf(this.#core)?.files.exists(path) ?? true) };
  }

  /** Lets go of the host and the store. Containers go on running. */
  async close(): Promise<void> {
    const { ports, state, events } = this.#core;
    await this.quadlets.close();
    await this.builds.close();
    await this.images.close();
    await this.containers.close();
    if (!("unavailable" in ports.host)) await ports.host.close();
    await events.close();
    await state.settled();
    await ports.store.close();
  }

  /** {@linkcode Engine.close}, at the end of a block that has the engine by `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
