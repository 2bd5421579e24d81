/**
 * Networks of containers: namespaces, bridges by the helper for links, other kinds by netavark, published ports by nftables.
 *
 * A bridge is made with its first container, and kept when the last one leaves: the next one would need it again; {@linkcode LinuxNetworks.close} takes the idle ones down.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord, PortMapping } from "../../../engine/records/container_record.ts";
import { renameInHosts, updateNetworkNames } from "../bundle/tree/network_names.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type {
  CheckedNetwork,
  GRPCHealth,
  GRPCHealthQuestion,
  NetworkRemoval,
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
import { checkHostPorts } from "./host_ports.ts";
import { hasIPv6, separateFamilies } from "./forwards/forwarded_ports.ts";
import { askGRPCHealth } from "./grpc_health.ts";
import { interfacesIn } from "./joined_namespace.ts";
import { readVersion, requireKnown } from "./netavark/netavark_version.ts";
import { isKnownBridge } from "./links/connect_links.ts";
import { LinkError, LinkHelper } from "./links/link_helper.ts";
import { NetworkPrograms, type Shares } from "./network_programs.ts";
import { createNamespaceAt, deleteNamespaceAt, hasNamespace } from "./netns.ts";
import { containerPaths, type HostPaths, namespaceOwner } from "../helpers/paths.ts";
import type { Nursery } from "../processes/nursery/nursery.ts";
import { PortPublisher } from "./port_publisher.ts";
import { PreparedBridges } from "./prepared_bridges.ts";
import { takeDownBridge } from "./take_down.ts";
import { connectUserNetwork, disconnectUserNetwork } from "./user_mode/user_networks.ts";
import type { Reservation } from "./notes.ts";
import { reservedNetwork, SHARED_FOLDER, Subnets } from "./subnets.ts";
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
  readonly #helper: LinkHelper;
  readonly #programs: NetworkPrograms;
  readonly #subnets: Subnets;
  readonly #lock: string;
  readonly #prepared: PreparedBridges;
  readonly #publisher: PortPublisher;
  /** Networks this process has had to do with, by ID. */
  readonly #seen = new Map<string, NetworkRecord>();
  /** Interfaces on their way out, by namespace. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** One lock for each bridge. */
  readonly #locks = new Locks();

  constructor(context: HostContext, nursery: Nursery) {
    const { paths, log } = context;
    this.#paths = paths;
    this.#nursery = nursery;
    this.#log = log;
    this.#helper = new LinkHelper(bridgeNamespace());
    this.#programs = new NetworkPrograms(context, nursery, this.#helper);
    this.#lock = join(sharedFolder(paths), ".lock");
    this.#subnets = new Subnets(paths.root, sharedFolder(paths));
    this.#prepared = new PreparedBridges(this.#subnets, this.#helper, this.#locks, log, this.#lock);
    this.#publisher = new PortPublisher(context, this.#helper, this.#prepared);
  }

  async reserve(recorded: readonly NetworkRecord[], choose: (taken: PlacesTaken) => Place): Promise<Place> {
    return await this.#subnets.reserve(recorded, choose, (note) => this.#takeDownAbandoned(note));
  }

  async check(network: CheckedNetwork): Promise<void> {
    requireReachable(network);
    const { driver, interface: parent } = network;
    if (!isKnownBridge(network)) await requireKnown(network, () => readVersion(this.#programs.netavark.program));
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
    await checkHostPorts(this.#helper, ports.flatMap(separateFamilies));
  }

  hasIPv6(): boolean {
    return hasIPv6();
  }

  async createNamespace(containerID: string): Promise<string> {
    const path = containerPaths(this.#paths, containerID).netns;
    this.#helper.warm();
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
    if (userNetwork !== undefined) {
      return await connectUserNetwork(this.#paths, this.#helper, { ...options, userNetwork });
    }
    if (options.attachments.length === 0) {
      return { netns: options.netns, interfaces: {}, dnsServers: [], searchDomains: [] };
    }
    this.#see(options);
    await this.#leaving.get(options.netns);
    const checked = checkHostPorts(this.#helper, options.ports.flatMap(separateFamilies)).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    try {
      const shares = await this.#programs.share(options.attachments);
      const status = await this.#connect(options, shares);
      const refused = await checked;
      if (refused !== undefined) throw refused.error;
      const { containerID, ports } = options;
      const networks = options.attachments.map(({ network }) => network);
      await this.#publisher.publish({ containerID, ports, ...publishedAt(networks, status.interfaces) });
      // The helper has seen to it.
      if (ports.length > 0 && shares.others.length > 0) await reflectPorts(shares.others);
      return { netns: options.netns, ...status };
    } catch (error) {
      await this.teardown(options).catch((failure) => {
        this.#log("warn", `Undo network setup of "${options.containerID}": ${failure}`);
      });
      // A caller that learns of the failure finds nothing of it: a failure may take the time that a teardown saves.
      await this.#leaving.get(options.netns);
      if (error instanceof EngineError) throw error;
      throw new EngineError("internal", `Set up network: ${messageOf(error)}`, { cause: error });
    }
  }

  async teardown(options: NetworkSetup): Promise<void> {
    if (options.userNetwork !== undefined) return await disconnectUserNetwork(this.#paths, options.containerID);
    this.#see(options);
    const named = options.attachments.flatMap(({ network }) => network.dns ? [network] : []);
    const isConnected = options.attachments.length > 0 && hasNamespace(options.netns);
    try {
      if (options.ports.length > 0) await this.#publisher.unpublish(options.containerID);
      if (isConnected && named.length > 0) await this.#programs.names.forgetContainer(named, options.containerID);
    } finally {
      if (isConnected) this.#disconnect(options);
    }
    // A container that goes on is not to see an interface that its client was told is gone.
    if (options.before !== undefined) await this.#leaving.get(options.netns);
  }

  /** Lets the interfaces go without waiting: the kernel takes 20 to 50 ms for each, and nobody needs the result. */
  #disconnect({ netns, attachments }: NetworkSetup): void {
    const leaving = this.#programs.disconnect(netns, attachments).catch((error) => {
      // The namespace may have ended first, and its interfaces with it.
      if (!(error instanceof LinkError)) this.#log("debug", `Disconnect namespace "${netns}": ${error}`);
    }).finally(() => {
      if (this.#leaving.get(netns) === leaving) this.#leaving.delete(netns);
    });
    this.#leaving.set(netns, leaving);
  }

  async publish(options: PublishedPorts): Promise<void> {
    await this.#publisher.republish(options);
  }

  async updateNames(record: ContainerRecord, before: NetworkStatus): Promise<void> {
    await updateNetworkNames(record, before, containerPaths(this.#paths, record.id));
  }

  async rename(record: ContainerRecord, before: string): Promise<void> {
    await renameInHosts(record, before, containerPaths(this.#paths, record.id));
    // The old name may be asked for besides, as compose does.
    const isAlias = Object.values(record.networks).some(({ aliases }) => aliases.includes(before));
    await this.#programs.names.rename(record.id, isAlias ? undefined : before, record.name);
  }

  async updateServers(network: NetworkRecord): Promise<void> {
    await this.#programs.names.updateServers(network);
  }

  isMade({ driver, interface: name }: NetworkRecord): boolean {
    // A bridge that was never made has neither rules nor names, and that of another server is not ours to take down.
    return driver === "bridge" && !this.#subnets.isOthers(name) && (this.#subnets.isMade(name) || hasBridge(name));
  }

  async remove(network: NetworkRecord, options: NetworkRemoval = {}): Promise<void> {
    if (network.driver !== "bridge") return;
    const { isMade = this.isMade(network), sharers = () => [] } = options;
    await this.#locks.with(network.interface, async () => {
      const isShared = sharers().length > 0;
      if (isMade) await this.#takeDown(network, isShared);
      await this.#subnets.release(network.interface, network.subnets.map(({ subnet }) => subnet), isShared);
    });
  }

  async releaseUnrecorded(recorded: readonly NetworkRecord[]): Promise<void> {
    await this.#subnets.releaseUnrecorded(recorded);
  }

  async close(): Promise<void> {
    await this.#publisher.close();
    await Promise.all(this.#leaving.values());
    for (const network of [...this.#seen.values()]) {
      await this.#locks.with(network.interface, async () => {
        if ((await bridgePorts(network.interface)).length > 0) return;
        const isShared = this.#seenOn(network.interface).length > 1;
        await this.#takeDown(network, isShared);
      }).catch((error) => this.#log("warn", `Take down bridge "${network.interface}": ${error}`));
    }
    await this.#helper.close();
    this.#subnets[Symbol.dispose]();
  }

  /** Takes down a bridge of a server that was killed and whose root is gone: nobody else will. False where it is in use. */
  async #takeDownAbandoned(note: Reservation): Promise<boolean> {
    // A bridge of this server's own, whatever the note says.
    if (this.#seenOn(note.interface).length > 0) return true;
    if ((await bridgePorts(note.interface)).length > 0) return false;
    try {
      await this.#takeDown(reservedNetwork(note));
    } catch (error) {
      this.#log("debug", `Take down abandoned bridge "${note.interface}": ${error}`);
    }
    return true;
  }

  async #connect(options: NetworkSetup, { own, others }: Shares): Promise<Omit<NetworkStatus, "netns">> {
    // All in one turn: the helper is asked once, and answers once.
    const kept = Promise.all(own.map(({ network }) => this.#prepared.keepRules(network)));
    kept.catch(() => {});
    const connected: Omit<NetworkStatus, "netns">[] = [];
    try {
      await Promise.all(own.map(({ network }) => this.#prepared.make(network)));
      if (own.length > 0) connected.push(await this.#programs.connect(options, own));
    } finally {
      // After a failure too: rules that come later would outlast their network.
      await Promise.allSettled([kept]);
    }
    await kept;
    const results = [
      ...connected,
      ...others.length > 0 ? [await this.#alone(others, () => this.#connectOthers(options, others))] : [],
    ];
    await this.#programs.applySettings(options.netns, options.attachments);
    return {
      interfaces: Object.assign({}, ...results.map(({ interfaces }) => interfaces)),
      dnsServers: results.flatMap(({ dnsServers }) => dnsServers),
      searchDomains: [...new Set(results.flatMap(({ searchDomains }) => searchDomains))],
    };
  }

  async #connectOthers(options: NetworkSetup, others: NetworkSetup["attachments"]) {
    const result = await this.#programs.connectOthers(options, others, this.#lock);
    for (const { network } of others) if (network.driver === "bridge") await this.#prepared.adopt(network);
    return result;
  }

  /** @param isShared Whether other networks have the same bridge */
  async #takeDown(network: NetworkRecord, isShared = false): Promise<void> {
    await Promise.all(this.#leaving.values());
    if (!isShared) this.#prepared.forget(network.interface);
    this.#seen.delete(network.id);
    const parts = { programs: this.#programs, helper: this.#helper, prepared: this.#prepared, lock: this.#lock };
    await takeDownBridge({ ...parts, namespaces: this }, network, isShared);
  }

  #see({ attachments }: NetworkSetup): void {
    for (const { network } of attachments) if (network.driver === "bridge") this.#seen.set(network.id, network);
  }

  #seenOn(bridge: string): NetworkRecord[] {
    return this.#seen.values().filter((network) => network.interface === bridge).toArray();
  }

  /** Runs when nothing else runs for any of the container's bridges. */
  async #alone<T>(attachments: NetworkSetup["attachments"], run: () => Promise<T>): Promise<T> {
    return await this.#locks.withAll(attachments.map(({ network }) => network.interface), run);
  }
}
