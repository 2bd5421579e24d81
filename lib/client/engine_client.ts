import { type BuildContext, contextTar, type ReadFolder } from "./build_context.ts";
import { ClientError, messageIn, unlessMissing, withErrors } from "./client_error.ts";
import { ClientImages, plainID } from "./client_images.ts";
import type { Connection } from "./connections/connection.ts";
import { Container, requireSuccess } from "./container.ts";
import type { Abortable } from "./container_calls.ts";
import { type ContainerSummary, detailsOf, summaryOf } from "./container_details.ts";
import type { ContainerOptions } from "./container_options.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { dockerDialect } from "./dialects/docker_dialect.ts";
import { nativeDialect } from "./dialects/native_dialect.ts";
import { type Progress, readSteps } from "./progress.ts";
import { tellLosses } from "./connections/reached.ts";
import { type ClientEvent, type EventsOptions, readEvents } from "./resources/client_events.ts";
import { ClientNetworks } from "./resources/client_networks.ts";
import { ClientPods } from "./resources/client_pods.ts";
import { ClientSecrets } from "./resources/client_secrets.ts";
import { ClientVolumes } from "./resources/client_volumes.ts";
import { labelFilters } from "./resources/label_filters.ts";
import { type ReadyOptions, waitUntilReady } from "./readiness.ts";
import type { CollectOptions, RunResult } from "./session.ts";

/** Containers of a list that are looked at at once. */
const LOOKS_AT_ONCE = 8;

/** How a command is run in a container of its own. */
export interface RunOptions extends Omit<ContainerOptions, "image" | "command" | "stdin">, CollectOptions, Abortable {
  /** Throw `exited` for another exit code than 0, as by default. */
  readonly check?: boolean;
}

/** How a container is started. */
export interface StartOptions extends ContainerOptions, Abortable {
  /** When it is ready: only then the start resolves. */
  readonly ready?: ReadyOptions;
}

/** How an image is built. */
export interface BuildOptions extends Abortable {
  readonly tag?: string | readonly string[];
  /** The Dockerfile's path in the context. */
  readonly dockerfile?: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** The stage to stop at. */
  readonly target?: string;
  readonly platform?: string;
  /** Use nothing of earlier builds. */
  readonly noCache?: boolean;
  /** Pull base images that are there already. */
  readonly pull?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

/** Which containers are listed. */
export interface ListOptions extends Abortable {
  /** Containers that do not run, too. */
  readonly all?: boolean;
  /** Only those with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** How {@linkcode openEngine} reaches what a platform has. */
export interface EngineClientOptions {
  /** The tree of operations to call, in place of the one that the client would choose. */
  readonly tree?: "libpod" | "docker";
  readonly readFolder?: ReadFolder;
}

/**
 * A container engine, be it Gantry, Podman or Docker.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "./mod.ts";
 * async function greet(engine: EngineClient): Promise<string> {
 *   const { stdout } = await engine.run("alpine", ["echo", "hi"]);
 *   return stdout;
 * }
 * ```
 */
export class EngineClient implements AsyncDisposable {
  /** Which tree of operations is called: Podman's, which Gantry has too, or Docker's. */
  readonly tree: "libpod" | "docker";
  /** The version of the server's API. */
  readonly apiVersion: string;
  readonly images: ClientImages;
  readonly volumes: ClientVolumes;
  readonly networks: ClientNetworks;
  readonly secrets: ClientSecrets;
  readonly pods: ClientPods;
  readonly #connection: Connection;
  readonly #dialect: Dialect;
  readonly #readFolder: ReadFolder | undefined;

  constructor(connection: Connection, found: FoundServer, { readFolder }: EngineClientOptions = {}) {
    this.tree = found.tree;
    this.apiVersion = found.apiVersion;
    this.#connection = connection;
    this.#readFolder = readFolder;
    this.#dialect = found.tree === "libpod"
      ? nativeDialect(connection, found.apiVersion, found.isGantry)
      : dockerDialect(connection);
    const { resources } = this.#dialect;
    this.images = new ClientImages(this.#dialect);
    this.volumes = new ClientVolumes(resources);
    this.networks = new ClientNetworks(resources);
    this.secrets = new ClientSecrets(resources);
    this.pods = new ClientPods(this.#dialect.pods);
  }

  /**
   * Runs a command in a new container, and removes that.
   *
   * @throws {ClientError} `exited`, with its exit code and output, unless it exits with 0 or `check` is false
   */
  async run(image: string, command: readonly string[] = [], options: RunOptions = {}): Promise<RunResult> {
    const { stdin, onOutput, check = true, signal, ...rest } = options;
    const own = command.length > 0 ? { command } : {};
    await using container = await this.create({ ...rest, ...own, image, stdin: stdin !== undefined, signal });
    // Attached first, nothing of the output is missed.
    await using session = await container.attach({ stdin: stdin !== undefined, signal });
    const gathered = session.collect({ stdin, onOutput });
    gathered.catch(() => {});
    await container.start({ signal });
    const result = await gathered;
    if (check) requireSuccess(`Run "${[image, ...command].join(" ")}"`, result);
    return result;
  }

  /** Creates and starts a container, and waits until it is ready. Disposing it removes it. */
  async start({ ready, ...options }: StartOptions): Promise<Container> {
    const container = await this.create(options);
    try {
      await container.start(options);
      if (ready !== undefined) await waitUntilReady(container, ready, options.signal);
      return container;
    } catch (error) {
      await container.remove().catch(() => {});
      throw error;
    }
  }

  /** Creates a container without starting it, and pulls its image where that is missing. Disposing it removes it. */
  async create(options: ContainerOptions & Abortable): Promise<Container> {
    const { image, pull = "missing", signal } = options;
    if (pull === "always") await this.images.pull(image, { signal });
    const id = await withErrors(`Create a container of "${image}"`, async () => {
      try {
        return await this.#dialect.create(options, { signal });
      } catch (error) {
        if (pull !== "missing" || !isMissing(error) || await this.images.exists(image, { signal })) throw error;
        await this.images.pull(image, { signal });
        return await this.#dialect.create(options, { signal });
      }
    });
    return await this.#find(id, true, signal);
  }

  /** Looks a container up by name or ID. Disposing it changes nothing. */
  async container(name: string, { signal }: Abortable = {}): Promise<Container> {
    return await this.#find(name, false, signal);
  }

  /**
   * Finds containers, each with all that {@linkcode start} gives: a request for the list, and one for each. One that goes meanwhile is left out.
   * Disposing them changes nothing.
   */
  async containers(options: ListOptions = {}): Promise<Container[]> {
    const waiting = (await this.list(options)).values();
    const found = new Map<string, Container | undefined>();
    const look = async () => {
      // All of them take from one iterator.
      for (const { id } of waiting) {
        found.set(id, undefined);
        const container = await unlessMissing(this.#find(id, false, options.signal));
        if (container !== undefined) found.set(id, container);
      }
    };
    await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look));
    return [...found.values()].filter((container) => container !== undefined);
  }

  /** Lists containers, in one request. */
  async list({ all = false, labels = {}, signal }: ListOptions = {}): Promise<ContainerSummary[]> {
    const filters = labelFilters(labels);
    const found = await withErrors("List containers", () => this.#dialect.list({ all, filters }, { signal }));
    return found.map(summaryOf);
  }

  /**
   * Reads the events of the engine one by one. Leaving the loop ends the request.
   *
   * @throws {ClientError} `invalid` where the server does not know a filter
   */
  events(options: EventsOptions = {}): AsyncGenerator<ClientEvent, void> {
    return readEvents(this.#dialect.resources, options);
  }

  /** Builds an image, and resolves with its ID in hex. */
  async build(context: BuildContext, options: BuildOptions = {}): Promise<string> {
    const { tag = [], args = {}, labels = {}, noCache = false, pull = false, onProgress, signal, ...rest } = options;
    const tags = typeof tag === "string" ? [tag] : tag;
    const action = `Build ${tags[0] === undefined ? "an image" : `"${tags[0]}"`}`;
    const parameters = { ...rest, tags, args, labels, isUncached: noCache, pull };
    let id: string | undefined;
    await withErrors(action, async () => {
      const steps = await this.#dialect.build(parameters, contextTar(context, this.#readFolder), { signal });
      await readSteps(action, steps, onProgress, ({ aux, stream }) => {
        // Docker says it aside, Podman as the last line.
        id = aux?.ID ?? /^(?:Successfully built )?((?:sha256:)?[0-9a-f]{12,64})\n?$/.exec(stream ?? "")?.[1] ?? id;
      });
    });
    const told = id;
    if (told === undefined) throw new ClientError("internal", `${action}: the server told no ID`);
    // Some servers tell the beginning of an ID only.
    return plainID((await withErrors(action, () => this.#dialect.inspectImage(told, { signal }))).Id);
  }

  /** Closes the connections. Containers are not touched; those that disposing shall remove have their own `await using`. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #find(name: string, owned: boolean, signal: AbortSignal | undefined): Promise<Container> {
    const view = await withErrors(`Find container "${name}"`, () => this.#dialect.inspect(name, { signal }));
    return new Container({ dialect: this.#dialect, connection: this.#connection, details: detailsOf(view), owned });
  }
}

/** Whether a create request failed of something that is not there. */
function isMissing(error: unknown): boolean {
  return (error as { status?: number }).status === 404;
}

/** The facts about a server that the client chooses its tree by. */
export interface FoundServer {
  readonly tree: "libpod" | "docker";
  readonly apiVersion: string;
  readonly isGantry: boolean;
}

/**
 * A client of the server at the other end of a connection. It asks the server what it is: Podman's tree is called where there is one, which
 * is Podman's and Gantry's, else Docker's.
 *
 * @throws {ClientError} `unreachable` where nobody answers
 */
export async function openEngine(connection: Connection, options: EngineClientOptions = {}): Promise<EngineClient> {
  try {
    const told = tellLosses(connection);
    return new EngineClient(told, await findServer(told, options.tree), options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function findServer(connection: Connection, tree?: FoundServer["tree"]): Promise<FoundServer> {
  return await withErrors("Connect", async () => {
    const response = await connection.fetch(new Request("http://localhost/_ping"));
    const text = await response.text();
    if (!response.ok) {
      const code = response.status === 401 ? "unauthorized" : response.status === 403 ? "forbidden" : "unreachable";
      throw new ClientError(code, `Connect: the server answered ${response.status} ${messageIn(text).slice(0, 200)}`, {
        status: response.status,
      });
    }
    const version = response.headers.get("libpod-api-version");
    const isGantry = response.headers.has("gantry-version");
    if (version !== null && tree !== "docker") return { tree: "libpod", apiVersion: version, isGantry };
    return { tree: "docker", apiVersion: response.headers.get("api-version") ?? "", isGantry };
  });
}
