/**
 * Networks of containers: namespaces, bridges by netavark, published ports by nftables.
 *
 * A bridge is kept when its last container leaves, since taking it down costs 100 to 300 ms and the next container would
 * need it again; {@linkcode LinuxNetworks.close} takes the idle ones down.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord, PortMapping } from "../../../engine/records/container_record.ts";
import { updateNetworkNames } from "../bundle/tree/network_names.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type {
  CheckedNetwork,
  GRPCHealth,
  GRPCHealthQuestion,
  Networks,
  NetworkSetup,
  Place,
  PlacesTaken,
  PublishedPorts,
} from "../../../engine/ports/network_port.ts";
import { publishedAt } from "../../../engine/ports/published_ports.ts";
import { bridgeNamespace, requireReachable } from "./bridge_command.ts";
import { bridgePorts, hasBridge, hasInterface, reflectPorts } from "./bridge.ts";
import type { HostContext } from "../helpers/context.ts";
import { withFileLock } from "../helpers/file_lock.ts";
import { checkHostPorts } from "./host_ports.ts";
import { endForwarding, forwardPorts } from "./forwarded_ports.ts";
import { FirewallRules } from "./firewall_rules.ts";
import { askGRPCHealth } from "./grpc_health.ts";
import { interfacesIn } from "./joined_namespace.ts";
import { forgetContainer, type Netavark, netavarkAt, netavarkSetup, updateServers } from "./netavark.ts";
import { readVersion, requireKnown } from "./netavark_version.ts";
import { createNamespaceAt, deleteNamespaceAt, hasNamespace, ipInNamespace } from "./netns.ts";
import { containerPaths, type HostPaths, namespaceOwner } from "../helpers/paths.ts";
import type { Nursery } from "../processes/nursery/nursery.ts";
import { type Published, publishedBy, publishPorts, unpublishPorts } from "./published_ports.ts";
import { applyRoutes } from "./routes.ts";
import { PreparedBridges } from "./prepared_bridges.ts";
import { takeDownBridge } from "./take_down.ts";
import { connectUserNetwork, disconnectUserNetwork } from "./user_mode/user_networks.ts";
import { type Reservation, reservedNetwork, SHARED_FOLDER, Subnets } from "./subnets.ts";
import { namesIn } from "../helpers/tree.ts";
import { Locks } from "../../../engine/store/locks.ts";
import type { NetworkStatus } from "../../../engine/records/network_status.ts";

/** Networks, and what a host does with them when it closes. */
export interface LinuxNetworks extends Networks {
  /** Takes down the bridges of this process that no container is on. */
  close(): Promise<void>;
}

/** Opens the networks of a host. */
export async function openNetworks(context: HostContext, nursery: Nursery): Promise<LinuxNetworks> {
  await mkdir(sharedFolder(context.paths), { recursive: true, mode: 0o755 });
  await mkdir(context.paths.networks, { recursive: true, mode: 0o700 });
  return new BridgeNetworks(context, nursery);
}

/** The folder in which servers note their choices; bridges of an ordinary user's server are in a namespace that no other server has. */
function sharedFolder({ root }: HostPaths): string {
  return bridgeNamespace() === undefined ? SHARED_FOLDER : join(root, "bridges");
}

class BridgeNetworks implements LinuxNetworks {
  readonly #paths: HostPaths;
  readonly #nursery: Nursery;
  readonly #log: HostContext["log"];
  readonly #netavark: Netavark;
  readonly #rules: FirewallRules;
  readonly #subnets: Subnets;
  readonly #lock: string;
  readonly #prepared: PreparedBridges;
  /** Networks this process has had to do with, by bridge. */
  readonly #seen = new Map<string, NetworkRecord>();
  /** The published ports that this process has made, by container. */
  readonly #elements = new Map<string, Published[]>();
  /** Interfaces on their way out, by namespace. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** One lock for each bridge. */
  readonly #locks = new Locks();

  constructor({ paths, log }: HostContext, nursery: Nursery) {
    this.#paths = paths;
    this.#nursery = nursery;
    this.#log = log;
    this.#netavark = netavarkAt(paths.networks);
    this.#rules = new FirewallRules(paths.firewall);
    this.#lock = join(sharedFolder(paths), ".lock");
    this.#subnets = new Subnets(paths.root, sharedFolder(paths));
    this.#prepared = new PreparedBridges(this.#subnets, this.#locks, log);
  }

  async reserve(recorded: readonly NetworkRecord[], choose: (taken: PlacesTaken) => Place): Promise<Place> {
    return await this.#subnets.reserve(recorded, choose, (note) => this.#takeDownAbandoned(note));
  }

  async check(network: CheckedNetwork): Promise<void> {
    requireReachable(network);
    const { driver, interface: parent, options, addressSource } = network;
    if (driver !== "bridge" || addressSource === "dhcp" || Object.keys(options).length > 0) {
      requireKnown(network, await readVersion(this.#netavark.program));
    }
    const exists = parent !== "" && hasInterface(parent);
    if (driver !== "bridge" && parent !== "" && !exists) {
      throw new EngineError("invalid", `parent interface ${parent} does not exist`);
    }
    if (driver === "bridge" && exists && !hasBridge(parent)) {
      throw new EngineError("invalid", `interface ${parent} of this host is no bridge`);
    }
  }

  interfacesIn(path: string): ReturnType<Networks["interfacesIn"]> {
    return interfacesIn(path);
  }

  async checkPorts(ports: readonly PortMapping[]): Promise<void> {
    await checkHostPorts(ports);
  }

  async createNamespace(containerID: string): Promise<string> {
    const path = containerPaths(this.#paths, containerID).netns;
    await createNamespaceAt(path, this.#nursery);
    return path;
  }

  path = (containerID: string): string => containerPaths(this.#paths, containerID).netns;

  async deleteNamespace(containerID: string): Promise<void> {
    await deleteNamespaceAt(containerPaths(this.#paths, containerID).netns);
  }

  askGRPCHealth = (question: GRPCHealthQuestion): Promise<GRPCHealth> => askGRPCHealth(question);

  async list(): Promise<string[]> {
    return (await namesIn(this.#paths.netns)).map(namespaceOwner);
  }

  async setup(options: NetworkSetup): Promise<NetworkStatus> {
    const { userNetwork } = options;
    if (userNetwork !== undefined) return await connectUserNetwork(this.#paths, { ...options, userNetwork });
    if (options.attachments.length === 0) {
      return { netns: options.netns, interfaces: {}, dnsServers: [], searchDomains: [] };
    }
    this.#see(options);
    await this.#leaving.get(options.netns);
    // The firewall takes 20 to 100 ms to answer: netavark works meanwhile.
    const checked = checkHostPorts(options.ports).then(() => undefined, (error: unknown) => ({ error }));
    try {
      const status = await this.#connect(options);
      const refused = await checked;
      if (refused !== undefined) throw refused.error;
      await applyRoutes(options);
      const { containerID, ports } = options;
      const networks = options.attachments.map(({ network }) => network);
      await this.#publish({ containerID, ports, ...publishedAt(networks, status.interfaces) });
      return { netns: options.netns, ...status };
    } catch (error) {
      await this.teardown(options).catch((failure) => {
        this.#log("warn", `Undo network setup of "${options.containerID}": ${failure}`);
      });
      throw error;
    }
  }

  async teardown(options: NetworkSetup): Promise<void> {
    if (options.userNetwork !== undefined) return await disconnectUserNetwork(this.#paths, options.containerID);
    this.#see(options);
    if (options.ports.length > 0) await this.#unpublish(options.containerID);
    if (options.attachments.length === 0 || !hasNamespace(options.netns)) return;
    const named = options.attachments.flatMap(({ network }) => network.dns ? [network] : []);
    if (named.length > 0) {
      const forget = () => forgetContainer(this.#netavark, named, options.containerID);
      await this.#alone(options, () => withFileLock(this.#lock, forget));
    }
    this.#disconnect(options);
    // A container that goes on is not to see an interface that its client was told is gone.
    if (options.before !== undefined) await this.#leaving.get(options.netns);
  }

  /** Lets the interfaces go without waiting: the kernel takes 20 to 50 ms for each, and nobody needs the result. */
  #disconnect({ netns, attachments }: NetworkSetup): void {
    const leaving = (async () => {
      for (const { attachment } of attachments) {
        await ipInNamespace(netns, ["link", "delete", attachment.interfaceName]).catch(() => {});
      }
    })().finally(() => {
      if (this.#leaving.get(netns) === leaving) this.#leaving.delete(netns);
    });
    this.#leaving.set(netns, leaving);
  }

  async publish(options: PublishedPorts): Promise<void> {
    await this.#publish(options, false);
  }

  async updateNames(record: ContainerRecord, before: NetworkStatus): Promise<void> {
    await updateNetworkNames(record, before, containerPaths(this.#paths, record.id));
  }

  async updateServers(network: NetworkRecord): Promise<void> {
    await this.#locks.with(network.interface, () => updateServers(this.#netavark, network, this.#lock));
  }

  async remove(network: NetworkRecord): Promise<void> {
    if (network.driver !== "bridge") return;
    await this.#locks.with(network.interface, async () => {
      // A bridge that was never made has neither rules nor names.
      if (await this.#subnets.isMade(network.interface) || hasBridge(network.interface)) {
        await this.#takeDown(network);
      }
    });
    await this.#subnets.release(network.interface);
  }

  async close(): Promise<void> {
    await Promise.all(this.#leaving.values());
    for (const network of [...this.#seen.values()]) {
      await this.#locks.with(network.interface, async () => {
        if ((await bridgePorts(network.interface)).length === 0) await this.#takeDown(network);
      }).catch((error) => this.#log("warn", `Take down bridge "${network.interface}": ${error}`));
    }
  }

  /** Takes down a bridge of a server that was killed and whose root is gone: nobody else will. False where it is in use. */
  async #takeDownAbandoned(note: Reservation): Promise<boolean> {
    // A bridge of this server's own, whatever the note says.
    if (this.#seen.has(note.interface)) return true;
    if ((await bridgePorts(note.interface)).length > 0) return false;
    try {
      await this.#takeDown(reservedNetwork(note));
    } catch (error) {
      this.#log("debug", `Take down abandoned bridge "${note.interface}": ${error}`);
    }
    return true;
  }

  /** netavark's part. Only the first container of a bridge, and those whose names it keeps, wait for each other. */
  async #connect(options: NetworkSetup): Promise<Omit<NetworkStatus, "netns">> {
    const networks = options.attachments.map(({ network }) => network).filter(({ driver }) => driver === "bridge");
    const ready = networks.every((network) => this.#prepared.has(network.interface));
    if (ready && !networks.some((network) => network.dns)) {
      const env = await this.#rules.environmentFor(networks);
      // Rules that are to be made anew are made by one at a time.
      return await netavarkSetup(this.#netavark, options, env === undefined ? this.#lock : undefined, env);
    }
    return await this.#alone(options, async () => {
      // Another container may have made the bridge, or taken it down, while this one waited.
      const isReady = networks.every((network) => this.#prepared.has(network.interface));
      const env = isReady ? await this.#rules.environmentFor(networks) : undefined;
      const status = await netavarkSetup(this.#netavark, options, this.#lock, env);
      for (const network of networks) await this.#prepared.prepare(network);
      return status;
    });
  }

  async #publish(options: PublishedPorts, isNew = true): Promise<void> {
    if (options.ports.length === 0 || (isNew && options.addresses.length === 0)) return;
    const netns = bridgeNamespace();
    if (netns !== undefined) return await forwardPorts(this.#paths.forwards, netns, options);
    const { containerID: id } = options;
    const old = isNew ? [] : this.#elements.get(id) ?? await publishedBy(id);
    for (const network of options.networks) await this.#prepared.open(network);
    try {
      this.#elements.set(id, await publishPorts(options, old));
    } catch (error) {
      if (error instanceof EngineError && error.code === "port_in_use") throw error;
      for (const network of options.networks) await this.#prepared.open(network, true);
      this.#elements.set(id, await publishPorts(options, isNew ? [] : await publishedBy(id)));
    }
    for (const network of options.networks) await reflectPorts(network.interface);
  }

  async #unpublish(containerID: string): Promise<void> {
    if (bridgeNamespace() !== undefined) return await endForwarding(this.#paths.forwards, containerID);
    const known = this.#elements.get(containerID);
    this.#elements.delete(containerID);
    await unpublishPorts(containerID, known);
  }

  async #takeDown(network: NetworkRecord): Promise<void> {
    await Promise.all(this.#leaving.values());
    this.#prepared.forget(network.interface);
    this.#seen.delete(network.interface);
    await takeDownBridge(this.#netavark, this, network, this.#lock);
  }

  #see({ attachments }: NetworkSetup): void {
    for (const { network } of attachments) if (network.driver === "bridge") this.#seen.set(network.interface, network);
  }

  /** Runs when nothing else runs for any of the container's bridges. */
  async #alone<T>(options: NetworkSetup, run: () => Promise<T>): Promise<T> {
    return await this.#locks.withAll(options.attachments.map(({ network }) => network.interface), run);
  }
}
