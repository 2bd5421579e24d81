import type { CallOptions } from "../../rest/mod.ts";
import type { EventView, NetworkView, VolumeView } from "./resource_views.ts";

/** How a volume is made. */
export interface VolumeRequest {
  readonly name?: string;
  readonly driver?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
}

/** How a network is made. */
export interface NetworkRequest {
  readonly name: string;
  readonly driver?: string;
  readonly internal?: boolean;
  readonly subnets?: readonly { readonly subnet: string; readonly gateway?: string }[];
  readonly ipv6?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
}

/** How a container is connected. */
export interface PlaceInNetwork {
  /** Further names of the container there. */
  readonly aliases?: readonly string[];
  /** Its IPv4 address there. */
  readonly address?: string;
}

/** Which events are read. */
export interface EventsRequest {
  readonly since?: string;
  readonly until?: string;
  readonly filters?: string;
}

/** The operations of one tree on volumes, networks and events, as the client calls them. */
export interface ResourceDialect {
  createVolume(request: VolumeRequest, call?: CallOptions): Promise<VolumeView>;
  inspectVolume(name: string, call?: CallOptions): Promise<VolumeView>;
  volumes(filters: string | undefined, call?: CallOptions): Promise<VolumeView[]>;
  removeVolume(name: string, call?: CallOptions): Promise<void>;
  /** Removes unused volumes that nobody has named, or all of them; resolves with the names of those that are gone. */
  pruneVolumes(all: boolean, call?: CallOptions): Promise<string[]>;
  /** The content of a volume as a tar, and the other way. Docker's tree has neither. */
  readonly exportVolume?: (name: string, call?: CallOptions) => Promise<ReadableStream<Uint8Array>>;
  readonly importVolume?: (name: string, tar: ReadableStream<Uint8Array>, call?: CallOptions) => Promise<void>;
  createNetwork(request: NetworkRequest, call?: CallOptions): Promise<NetworkView>;
  inspectNetwork(name: string, call?: CallOptions): Promise<NetworkView>;
  networks(filters: string | undefined, call?: CallOptions): Promise<NetworkView[]>;
  removeNetwork(name: string, call?: CallOptions): Promise<void>;
  pruneNetworks(filters: string | undefined, call?: CallOptions): Promise<string[]>;
  connect(network: string, container: string, place: PlaceInNetwork, call?: CallOptions): Promise<void>;
  disconnect(network: string, container: string, call?: CallOptions): Promise<void>;
  events(request: EventsRequest, call?: CallOptions): Promise<AsyncIterable<EventView>>;
}
