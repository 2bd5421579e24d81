import { ClientError, unlessMissing, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import type { PodDialect } from "../dialects/resources/pod_dialect.ts";
import { labelFilters } from "./label_filters.ts";
import type { PodDetails, PodOptions, PodStats, PodSummary } from "./pod_details.ts";

/** A pod that this client has made. `await using` removes it with its containers, running or not. */
export interface Pod extends PodDetails, AsyncDisposable {}

/**
 * The pods of an engine: containers that share a network, its ports and a host name. Docker has none, and each method throws
 * `unsupported` there.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function serveBeside(engine: EngineClient): Promise<void> {
 *   await using pod = await engine.pods.create({ ports: { 80: 8080 } });
 *   await using _web = await engine.start({ image: "nginx", pod: pod.name });
 *   await engine.run("alpine", ["wget", "-qO-", "http://127.0.0.1/"], { pod: pod.name });
 * }
 * ```
 */
export class ClientPods {
  readonly #dialect: PodDialect | undefined;

  constructor(dialect: PodDialect | undefined) {
    this.#dialect = dialect;
  }

  /**
   * Makes a pod. It is started by its first container, or by {@linkcode start}.
   *
   * @throws {ClientError} `conflict` where the name is taken
   */
  async create({ signal, ...options }: PodOptions & Abortable = {}): Promise<Pod> {
    const id = await this.#run(`Create pod "${options.name ?? ""}"`, (pods) => pods.create(options, { signal }));
    const details = await this.inspect(id, { signal });
    const dispose = () => unlessMissing(this.remove(id, { force: true }));
    return { ...details, [Symbol.asyncDispose]: dispose };
  }

  /** Starts all of its containers. */
  async start(name: string, { signal }: Abortable = {}): Promise<void> {
    await this.#run(`Start pod "${name}"`, (pods) => pods.start(name, { signal }));
  }

  /** Stops all of its containers; each is killed that does not end within `seconds`, or within its own time. */
  async stop(name: string, { seconds, signal }: Abortable & { seconds?: number } = {}): Promise<void> {
    await this.#run(`Stop pod "${name}"`, (pods) => pods.stop(name, seconds, { signal }));
  }

  /** Stops and starts all of its containers. */
  async restart(name: string, { signal }: Abortable = {}): Promise<void> {
    await this.#run(`Restart pod "${name}"`, (pods) => pods.restart(name, { signal }));
  }

  /** Sends a signal to all of its containers, `SIGKILL` by default. */
  async kill(name: string, killSignal = "SIGKILL", { signal }: Abortable = {}): Promise<void> {
    await this.#run(`Kill pod "${name}"`, (pods) => pods.kill(name, killSignal, { signal }));
  }

  /** Freezes all of its containers. */
  async pause(name: string, { signal }: Abortable = {}): Promise<void> {
    await this.#run(`Pause pod "${name}"`, (pods) => pods.pause(name, { signal }));
  }

  /** Lets its containers go on. */
  async unpause(name: string, { signal }: Abortable = {}): Promise<void> {
    await this.#run(`Unpause pod "${name}"`, (pods) => pods.unpause(name, { signal }));
  }

  /** Removes a pod with its containers; one that runs only with `force`. */
  async remove(name: string, { force = false, signal }: Abortable & { force?: boolean } = {}): Promise<void> {
    await this.#run(`Remove pod "${name}"`, (pods) => pods.remove(name, force, { signal }));
  }

  /** Removes the pods that do not run, and resolves with their IDs. */
  async prune({ signal }: Abortable = {}): Promise<string[]> {
    return await this.#run("Prune pods", (pods) => pods.prune({ signal }));
  }

  /** Lists pods, all or those with certain labels. */
  async list({ labels, signal }: Abortable & { labels?: Readonly<Record<string, string>> } = {}): Promise<
    PodSummary[]
  > {
    return await this.#run("List pods", (pods) => pods.list(labelFilters(labels), { signal }));
  }

  /** Looks at a pod, by name or ID. */
  async inspect(name: string, { signal }: Abortable = {}): Promise<PodDetails> {
    return await this.#run(`Inspect pod "${name}"`, (pods) => pods.inspect(name, { signal }));
  }

  /** Tells once what the containers of these pods use; without names, those of all pods that run. */
  async stats(names: readonly string[] = [], { signal }: Abortable = {}): Promise<PodStats[]> {
    return await this.#run("Read figures of pods", (pods) => pods.stats(names, { signal }));
  }

  #run<T>(action: string, call: (pods: PodDialect) => Promise<T>): Promise<T> {
    return withErrors(action, async () => {
      if (this.#dialect === undefined) throw new ClientError("unsupported", `${action}: Docker's tree has no pods`);
      return await call(this.#dialect);
    });
  }
}
