/**
 * The engine's port to the networks of a host.
 *
 * @module
 */
import type { ContainerRecord, NetworkAttachment, PortMapping } from "../records/container_record.ts";
import type { NetworkRecord, NetworkSubnet, Subnet } from "../records/network_record.ts";
import type { NetworkStatus } from "../records/network_status.ts";
import type { UserNetwork } from "../records/user_network.ts";

/** The settings of a network that a machine may not have. */
export type CheckedNetwork = Pick<NetworkRecord, "driver" | "interface" | "options" | "addressSource">;

/** Networks on the host. */
export interface Networks {
  /**
   * Reserves the place that `choose` chooses for a new bridge, knowing what this machine has already: no other server of this
   * machine chooses meanwhile, nor has the place later.
   *
   * @param recorded The networks there are; a place that none of them has is given up again
   */
  reserve(recorded: readonly NetworkRecord[], choose: (taken: PlacesTaken) => Place): Promise<Place>;
  /** Fails with `port_in_use` when a host port cannot be had. Holds nothing. */
  checkPorts(ports: readonly PortMapping[]): Promise<void>;
  /** Whether the host has IPv6; absent: it has not. */
  hasIPv6?(): boolean;
  /** Makes the container's network namespace, without networks in it; returns its path. */
  createNamespace(containerID: string): Promise<string>;
  /** Returns the path that the container's namespace has, or would have, for a teardown after the record has forgotten it. */
  path(containerID: string): string;
  /** Connects the namespace to networks and publishes ports; undoes its own parts on failure: `port_in_use` when a host port cannot be had. */
  setup(options: NetworkSetup): Promise<NetworkStatus>;
  /** Undoes `setup`. Idempotent. */
  teardown(options: NetworkSetup): Promise<void>;
  /** Publishes a connected container's ports at other addresses of it than before; all of them or none. */
  publish(options: PublishedPorts): Promise<void>;
  /** Removes the namespace. Idempotent. */
  deleteNamespace(containerID: string): Promise<void>;
  /**
   * Brings the files by which a running container knows names and servers up to date: its networks are others now.
   *
   * @param before The networks by which the files were written
   */
  updateNames(record: ContainerRecord, before: NetworkStatus): Promise<void>;
  /** Brings the file by which a live container knows its own name, and the name that its networks answer, up to date: until now it was `before`. */
  rename(record: ContainerRecord, before: string): Promise<void>;
  /** Lets the containers of a network have its DNS servers, as they are now. */
  updateServers(network: NetworkRecord): Promise<void>;
  /** Throws `invalid` or `unsupported` for a network that this machine cannot have: no such parent, no such driver. */
  check(network: CheckedNetwork): Promise<void>;
  /**
   * Whether the host may have more of a network than its place: a removal is then written down before it begins, so that one that was cut
   * short is finished. A place alone is given up by {@linkcode Networks.releaseUnrecorded}.
   */
  isMade(network: NetworkRecord): boolean;
  /**
   * Removes a network's bridge and what belongs to it, its place too. A bridge that it shares stays, with all that is the others'; so does one
   * that is not the engine's to manage (`mode=unmanaged`).
   */
  remove(network: NetworkRecord, options?: NetworkRemoval): Promise<void>;
  /** Gives up the places of networks of which no more was made, and that are not among these. Called at start. */
  releaseUnrecorded(recorded: readonly NetworkRecord[]): Promise<void>;
  /** Reads the interfaces of a namespace that a container joined by its path. */
  interfacesIn(path: string): Promise<NetworkStatus["interfaces"]>;
  /** Containers that have a namespace here. */
  list(): Promise<string[]>;
  /** Asks a program in a container's network by the health protocol of gRPC. Where that fails, the answer says why. */
  askGRPCHealth(question: GRPCHealthQuestion): Promise<GRPCHealth>;
}

/** Choices for {@linkcode Networks.remove}. */
export interface NetworkRemoval {
  /** The answer of {@linkcode Networks.isMade}, where nothing can have been made since; asked for by default. */
  isMade?: boolean;
  /** Returns the other networks that have the same bridge. Asked when nobody else is changing it; none by default. */
  sharers?: () => readonly NetworkRecord[];
}

/** The program that is asked for its health, and for that of which service. */
export interface GRPCHealthQuestion {
  /** A process in the network. */
  pid: number;
  /** Its port, at the loopback address. */
  port: number;
  /** The service's name, at most 253 bytes; empty: the server as a whole. */
  service: string;
  /** Milliseconds. */
  timeout: number;
}

/** An answer of the health protocol. */
export interface GRPCHealth {
  isServing: boolean;
  /** The status in its own words, or what went wrong. */
  text: string;
}

/** The names and subnets that cannot be a new network's. */
export interface PlacesTaken {
  /** Interfaces of the host. */
  interfaces: ReadonlySet<string>;
  /** Bridges of networks, of this server and of others, whether they are up or not. */
  bridges: Pick<ReadonlySet<string>, "has">;
  /** As the subnets of networks, of the host and of other programs: two of them may overlap. */
  subnets: TakenSubnets;
}

/** Subnets that are taken. */
export interface TakenSubnets {
  /** Whether one of them shares an address with the subnet. */
  overlaps(subnet: Subnet): boolean;
  /** The subnets that share addresses with this one, in the order of their first addresses. */
  within(subnet: Subnet): Iterable<Subnet>;
}

/** A bridge's name and subnets. */
export interface Place {
  interface: string;
  subnets: NetworkSubnet[];
}

/** One container's wish to be connected. */
export interface NetworkSetup {
  containerID: string;
  containerName: string;
  netns: string;
  attachments: readonly { network: NetworkRecord; attachment: NetworkAttachment }[];
  ports: readonly PortMapping[];
  /** A program that carries the container's packets; there are no attachments then. */
  userNetwork?: UserNetwork;
  /**
   * Of a container that runs already, or goes on running: how many of its other networks come first, as a way out too; less than 0
   * for one before them.
   */
  before?: number;
  /** The DNS servers that the container itself was given: its look-ups of the world's names go there. */
  dnsServers?: readonly string[];
}

/** A container's published ports, and the addresses they lead to. */
export interface PublishedPorts {
  containerID: string;
  ports: readonly PortMapping[];
  /** At most one of each version of IP. */
  addresses: readonly string[];
  /** The bridges that the addresses are on. */
  networks: readonly NetworkRecord[];
}
