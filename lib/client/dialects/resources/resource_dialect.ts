import type { CallOptions } from "../../../rest/mod.ts";
import type { NetworkDetails, NetworkOptions } from "../../resources/network_details.ts";
import type { EventView, SecretView, VolumeView } from "./resource_views.ts";

/** The parts of a volume that a caller chooses. */
export interface VolumeWish {
  readonly name?: string;
  readonly driver?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
}

/** The place of a container in a network. */
export interface NetworkPlace {
  readonly container: string;
  readonly aliases: readonly string[];
  readonly address?: string;
}

/** The range of events to read, and the filters as JSON. */
export interface EventRange {
  readonly since?: string;
  readonly until?: string;
  readonly filters?: string;
}

/** The operations of one tree on volumes, networks, secrets and events. */
export interface ResourceDialect {
  createVolume(wish: VolumeWish, call?: CallOptions): Promise<VolumeView>;
  volumes(filters: string | undefined, call?: CallOptions): Promise<VolumeView[]>;
  inspectVolume(name: string, call?: CallOptions): Promise<VolumeView>;
  removeVolume(name: string, force: boolean, call?: CallOptions): Promise<void>;
  /** Resolves with the names of the volumes that are gone. */
  pruneVolumes(filters: string | undefined, call?: CallOptions): Promise<string[]>;
  /** Docker's tree has neither of the two. */
  exportVolume?(name: string, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  importVolume?(name: string, tar: ReadableStream<Uint8Array>, call?: CallOptions): Promise<void>;
  createNetwork(name: string, options: NetworkOptions, call?: CallOptions): Promise<void>;
  networks(filters: string | undefined, call?: CallOptions): Promise<NetworkDetails[]>;
  inspectNetwork(name: string, call?: CallOptions): Promise<NetworkDetails>;
  connectNetwork(name: string, place: NetworkPlace, call?: CallOptions): Promise<void>;
  disconnectNetwork(name: string, container: string, force: boolean, call?: CallOptions): Promise<void>;
  removeNetwork(name: string, force: boolean, call?: CallOptions): Promise<void>;
  /** Resolves with the secret's ID. */
  createSecret(
    name: string,
    data: Uint8Array,
    labels: Readonly<Record<string, string>>,
    call?: CallOptions,
  ): Promise<string>;
  secrets(call?: CallOptions): Promise<SecretView[]>;
  inspectSecret(name: string, call?: CallOptions): Promise<SecretView>;
  removeSecret(name: string, call?: CallOptions): Promise<void>;
  events(range: EventRange, call?: CallOptions): Promise<AsyncIterable<EventView>>;
}
