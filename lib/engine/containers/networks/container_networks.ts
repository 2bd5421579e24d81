import {
  type NetworkFacts,
  type NetworkFilters,
  networkPredicate,
  prunePredicate,
} from "../../networks/network_filters.ts";
import { networkInUse } from "../../networks/network_errors.ts";
import { DEFAULT_NETWORK } from "../../networks/networks.ts";
import type { ContainerRecord, NetworkAttachment } from "../../records/container_record.ts";
import type { NetworkRecord } from "../../records/network_record.ts";
import { type Context, isLive } from "../context.ts";
import { isCode } from "../failures.ts";
import { removeContainer } from "../remove.ts";
import { connectContainer, disconnectContainer } from "./connect.ts";

/** Choices of {@linkcode ContainerNetworks.remove}. */
export interface RemoveNetworkOptions {
  /** Remove the containers that are in the network, too. */
  force?: boolean;
  /** Containers that do not run keep no network, as in Docker: they start again once there is one of the name. */
  leaveStopped?: boolean;
  /** Seconds those have to end. */
  timeout?: number;
}

/** A network that was to be removed, with the reason where it could not be. */
export interface PruneNetworkReport {
  name: string;
  error?: unknown;
}

/** The operations on networks that ask, or change, which containers are in them. */
export class ContainerNetworks {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Connects a container to a network; `wish` says by which addresses, names and interface. */
  async connect(network: string, nameOrID: string, wish?: Partial<NetworkAttachment>): Promise<void> {
    await connectContainer(this.#context, network, nameOrID, wish);
  }

  /** Disconnects a container from a network. */
  async disconnect(network: string, nameOrID: string): Promise<void> {
    await disconnectContainer(this.#context, network, nameOrID);
  }

  /** Lists the networks that fit all filters, by name; the default one is always there. Throws `invalid` for an unknown filter. */
  async list(filters: NetworkFilters = {}): Promise<NetworkRecord[]> {
    const { networks } = this.#context;
    await networks.ensureDefault();
    return networks.list().filter(networkPredicate(filters, this.#facts()));
  }

  /** The containers that are in a network, by name. */
  usersOf(network: string): ContainerRecord[] {
    return this.#context.records.inNetwork(network).sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Removes a network. Throws `in_use` where containers are in it, whether they run or not unless `leaveStopped` says so. */
  async remove(nameOrID: string, options: RemoveNetworkOptions = {}): Promise<void> {
    const { force = false, leaveStopped = false, timeout } = options;
    const { networks, teardowns } = this.#context;
    const { name } = await networks.ensure(nameOrID);
    if (force && name !== DEFAULT_NETWORK) {
      for (const { id } of this.usersOf(name)) {
        await removeContainer(this.#context, id, { force, timeout, ignore: true, depend: true });
      }
    }
    // Containers that are gone may still be on their way out of the bridge.
    const keepersOf = (network: string) => this.usersOf(network).filter((record) => !leaveStopped || isLive(record));
    if (keepersOf(name).length === 0) await teardowns.leftNetwork(name);
    await networks.remove(name, (network, isHeld) => {
      if (isHeld || keepersOf(network.name).length > 0) throw networkInUse(network.name);
    });
  }

  /** Removes the networks that no container is in and that fit all filters, but never the default one. */
  async prune(filters: NetworkFilters = {}): Promise<PruneNetworkReport[]> {
    const { networks } = this.#context;
    const fits = prunePredicate(filters, this.#facts());
    const reports: PruneNetworkReport[] = [];
    for (const network of networks.list().filter(fits)) {
      const { name } = network;
      if (name === DEFAULT_NETWORK || this.usersOf(name).length > 0) continue;
      try {
        await this.remove(name);
        reports.push({ name });
      } catch (error) {
        // Somebody was faster, or has begun to use it.
        if (!isCode(error, "no_such_network", "in_use")) reports.push({ name, error });
      }
    }
    return reports;
  }

  #facts(): NetworkFacts {
    // The default network, which stays in any case, counts as used.
    const isUsed = (name: string) => name === DEFAULT_NETWORK || this.usersOf(name).length > 0;
    return { isUsed, now: this.#context.core.clock.now() };
  }
}
