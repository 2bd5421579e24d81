import { unlessMissing, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import type { ResourceDialect } from "../dialects/resources/resource_dialect.ts";
import { labelFilters } from "./label_filters.ts";
import type { NetworkDetails, NetworkOptions } from "./network_details.ts";

/** A network that this client has made. `await using` removes it; containers in it have to go before. */
export interface ClientNetwork extends NetworkDetails, AsyncDisposable {}

/**
 * The networks of an engine.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function addressesOf({ networks }: EngineClient, name: string): Promise<string[]> {
 *   return (await networks.inspect(name)).subnets.map(({ subnet }) => subnet);
 * }
 * ```
 */
export class ClientNetworks {
  readonly #dialect: ResourceDialect;

  constructor(dialect: ResourceDialect) {
    this.#dialect = dialect;
  }

  /**
   * Makes a network.
   *
   * @throws {ClientError} `conflict` where the name is taken
   */
  async create(name: string, { signal, ...options }: NetworkOptions & Abortable = {}): Promise<ClientNetwork> {
    await withErrors(`Create network "${name}"`, () => this.#dialect.createNetwork(name, options, { signal }));
    const details = await this.inspect(name, { signal });
    const dispose = () => unlessMissing(this.remove(details.name));
    return { ...details, [Symbol.asyncDispose]: dispose };
  }

  /** Lists networks, all or those with certain labels. */
  async list({ labels, signal }: Abortable & { labels?: Readonly<Record<string, string>> } = {}): Promise<
    NetworkDetails[]
  > {
    return await withErrors("List networks", () => this.#dialect.networks(labelFilters(labels), { signal }));
  }

  /** Looks at a network. */
  async inspect(name: string, { signal }: Abortable = {}): Promise<NetworkDetails> {
    return await withErrors(`Inspect network "${name}"`, () => this.#dialect.inspectNetwork(name, { signal }));
  }

  /**
   * Connects a container to a network, by name or ID.
   *
   * @param place Names that the container has in the network beside its own, and an address of its choice
   */
  async connect(
    name: string,
    container: string,
    { aliases = [], address, signal }: Abortable & { aliases?: readonly string[]; address?: string } = {},
  ): Promise<void> {
    const place = { container, aliases, address };
    const action = `Connect container "${container}" to network "${name}"`;
    await withErrors(action, () => this.#dialect.connectNetwork(name, place, { signal }));
  }

  /** Disconnects a container from a network. */
  async disconnect(
    name: string,
    container: string,
    { force = false, signal }: Abortable & { force?: boolean } = {},
  ): Promise<void> {
    const action = `Disconnect container "${container}" from network "${name}"`;
    await withErrors(action, () => this.#dialect.disconnectNetwork(name, container, force, { signal }));
  }

  /** Removes a network; with `force` in Podman's tree the containers in it go, too. */
  async remove(name: string, { force = false, signal }: Abortable & { force?: boolean } = {}): Promise<void> {
    await withErrors(`Remove network "${name}"`, () => this.#dialect.removeNetwork(name, force, { signal }));
  }
}
