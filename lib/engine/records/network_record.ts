/** The drivers of networks. */
export const NETWORK_DRIVERS = ["bridge", "macvlan", "ipvlan"] as const;

/** The kinds of networks. */
export type NetworkDriver = typeof NETWORK_DRIVERS[number];

/** The source of a network's addresses: the engine, a DHCP server, or nothing. */
export type AddressSource = "host-local" | "dhcp" | "none";

/** A block of addresses: its first address, and how many leading bits all of them share. */
export interface Subnet {
  version: 4 | 6;
  first: bigint;
  prefix: number;
  size: bigint;
}

/** A subnet of a network, in CIDR notation. */
export interface NetworkSubnet {
  subnet: string;
  /** Absent: containers get no way out by this subnet. */
  gateway?: string;
  /** The addresses given to containers that ask for none, both ends included; absent: all of the subnet's. */
  leaseRange?: { start?: string; end?: string };
  /** Addresses of other machines in the subnet, by their names: no container gets one of them. */
  auxiliary?: Record<string, string>;
}

/** A route that the containers of a network get. */
export interface NetworkRoute {
  /** A subnet, in CIDR notation. */
  destination: string;
  /** Absent for the types that drop packets. */
  gateway?: string;
  metric?: number;
  /** `unicast` when absent. */
  type?: "unicast" | "blackhole" | "unreachable" | "prohibit";
}

/** A network as stored. */
export interface NetworkRecord {
  /** 64 hex digits. */
  id: string;
  name: string;
  driver: NetworkDriver;
  /** A bridge's name on the host; the parent interface of the other drivers, empty where that is the default route's. */
  interface: string;
  /** ISO 8601. */
  created: string;
  subnets: NetworkSubnet[];
  routes?: NetworkRoute[];
  ipv6: boolean;
  internal: boolean;
  /** Names resolve to containers (aardvark-dns). */
  dns: boolean;
  /** The servers that names of the world are looked up at; absent or empty: the host's. */
  dnsServers?: string[];
  /** `host-local` when absent. */
  addressSource?: AddressSource;
  labels: Record<string, string>;
  /** By netavark's names: `mtu`, `isolate`, … */
  options: Record<string, string>;
  /** Of a network that was made in Docker's tree, whose clients compare it with their own plan. */
  docker?: DockerNetworkFields;
}

/** The fields of a network that mean something to Docker's clients alone. */
export interface DockerNetworkFields {
  /** The options by the names they were given under: `com.docker.network.driver.mtu`, … */
  options?: Record<string, string>;
  /** Containers outside a swarm may join, as they may anyway. */
  attachable?: boolean;
}

/** IPv4 addresses from which subnets are chosen. */
export interface SubnetPool {
  /** In CIDR notation. */
  base: string;
  /** The leading bits of each subnet. */
  size: number;
}
