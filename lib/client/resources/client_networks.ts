import { ClientError, withErrors } from "../client_error.ts";
import { plainID } from "../client_images.ts";
import type { Abortable } from "../container_calls.ts";
import { labelFilters, type LabelOptions, unlessMissing, writeFilters } from "./lookups.ts";
import type { NetworkRequest, PlaceInNetwork, ResourceDialect } from "./resource_dialect.ts";
import type { NetworkView } from "./resource_views.ts";

/** The facts about a network. */
export interface NetworkDetails {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  /** It has no way out. */
  readonly internal: boolean;
  readonly subnets: readonly { readonly subnet: string; readonly gateway: string | undefined }[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A container, or its name or ID. */
type ContainerName = string | { readonly id: string };

/**
 * A network. `await using` removes one that this client has made; one that was only looked up stays.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function ask(engine: EngineClient): Promise<string> {
 *   await using network = await engine.networks.create({ name: "shop" });
 *   await using _db = await engine.start({ image: "postgres", name: "db", network: network.name });
 *   return (await engine.run("alpine", ["nslookup", "db"], { network: network.name })).stdout;
 * }
 * ```
 */
export class ClientNetwork implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** As it was when the network was made or looked up. */
  readonly details: NetworkDetails;
  readonly #dialect: ResourceDialect;
  readonly #isOwned: boolean;

  constructor(dialect: ResourceDialect, view: NetworkView, isOwned: boolean) {
    this.details = networkDetails(view);
    this.id = this.details.id;
    this.name = this.details.name;
    this.#dialect = dialect;
    this.#isOwned = isOwned;
  }

  /** Connects a container, running or not. */
  async connect(container: ContainerName, { signal, ...place }: PlaceInNetwork & Abortable = {}): Promise<void> {
    const action = `Connect container "${nameOf(container)}" to network "${this.name}"`;
    await withErrors(action, () => this.#dialect.connect(this.name, nameOf(container), place, { signal }));
  }

  /** Takes a container from the network. */
  async disconnect(container: ContainerName, { signal }: Abortable = {}): Promise<void> {
    const action = `Disconnect container "${nameOf(container)}" from network "${this.name}"`;
    await withErrors(action, () => this.#dialect.disconnect(this.name, nameOf(container), { signal }));
  }

  /** Removes it, if it is there. A network that containers are connected to is a `conflict`. */
  async remove({ signal }: Abortable = {}): Promise<void> {
    try {
      await unlessMissing(`Remove network "${this.name}"`, () => this.#dialect.removeNetwork(this.name, { signal }));
    } catch (error) {
      // Podman says so with status 500, Docker with 403.
      if (!(error instanceof ClientError) || !/is being used|active endpoints/.test(error.message)) throw error;
      throw new ClientError("conflict", error.message, { status: error.status, cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwned) await this.remove();
  }
}

/**
 * The networks of an engine.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function subnetsOf({ networks }: EngineClient): Promise<string[]> {
 *   return (await networks.list()).flatMap(({ subnets }) => subnets.map(({ subnet }) => subnet));
 * }
 * ```
 */
export class ClientNetworks {
  readonly #dialect: ResourceDialect;

  constructor(dialect: ResourceDialect) {
    this.#dialect = dialect;
  }

  /** Makes a network: a bridge whose containers know each other by name, unless told otherwise. */
  async create({ signal, ...request }: NetworkRequest & Abortable): Promise<ClientNetwork> {
    const action = `Create network "${request.name}"`;
    const view = await withErrors(action, () => this.#dialect.createNetwork(request, { signal }));
    return new ClientNetwork(this.#dialect, view, true);
  }

  /** Looks a network up by name or ID. */
  async get(name: string, { signal }: Abortable = {}): Promise<ClientNetwork> {
    const view = await withErrors(`Find network "${name}"`, () => this.#dialect.inspectNetwork(name, { signal }));
    return new ClientNetwork(this.#dialect, view, false);
  }

  /** Lists networks. */
  async list({ signal, ...options }: LabelOptions = {}): Promise<NetworkDetails[]> {
    const found = await withErrors(
      "List networks",
      () => this.#dialect.networks(writeFilters(labelFilters(options)), { signal }),
    );
    return found.map(networkDetails);
  }

  /** Removes the networks that no container is connected to, and resolves with their names. */
  async prune({ signal, ...options }: LabelOptions = {}): Promise<string[]> {
    return await withErrors(
      "Prune networks",
      () => this.#dialect.pruneNetworks(writeFilters(labelFilters(options)), { signal }),
    );
  }
}

function nameOf(container: ContainerName): string {
  return typeof container === "string" ? container : container.id;
}

function networkDetails({ id, name, driver, internal, subnets, labels }: NetworkView): NetworkDetails {
  const own = (subnets ?? []).map(({ subnet, gateway }) => ({ subnet, gateway: gateway || undefined }));
  return { id: plainID(id), name, driver, internal: internal ?? false, subnets: own, labels: labels ?? {} };
}
