/** Connecting containers to networks and disconnecting them, whether they run or not. */
import { EngineError, invalid } from "../../errors.ts";
import { publishedAt } from "../../ports/published_ports.ts";
import type { ContainerRecord, NetworkAttachment } from "../../records/container_record.ts";
import { emptySpec } from "../../records/empty_spec.ts";
import type { NetworkRecord } from "../../records/network_record.ts";
import type { NetworkStatus } from "../../records/network_status.ts";
import type { Intent } from "../../store/intents.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { type Context, isLive, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { freeInterface, moreOf, networkNamesOf } from "../create/choose_networks.ts";
import { hasOwnNetwork, validateSpec } from "../create/validate.ts";
import { improperState } from "../failures.ts";
import { setupOf } from "../life/teardowns.ts";
import { checkRecordSize } from "../record_size.ts";
import { withState } from "../records.ts";
import { emitNetworkChange } from "./network_events.ts";

/** The kind of the intents that precede a change of a live container's networks. One that is cut short ends disconnected. */
export const ATTACHMENT_INTENT = "container.attachment";

/** Connects a container to a network: at once where it has a process, else from its next start on. */
export async function connectContainer(
  context: Context,
  networkName: string,
  nameOrID: string,
  wish: Partial<NetworkAttachment> = {},
): Promise<void> {
  const network = await context.networks.ensure(networkName);
  const { id } = context.records.resolve(nameOrID);
  await withContainerLock(context, id, async () => {
    using _held = context.networks.hold([network.name]);
    const record = requireNetworks(context.records.require(id));
    if (Object.hasOwn(record.networks, network.name)) {
      // As Docker has it: a container that does not run is connected once more without an error.
      if (!isLive(record)) return;
      throw isConnected(nameOrID, network.name);
    }
    const attachment = chooseAttachment(context, record, network, wish);
    const planned = withAttachment(record, network.name, attachment, wish);
    checkRecordSize(context, planned);
    if (isLive(record)) await attachLive(context, record, planned, network);
    else await context.records.save(planned);
    emitNetworkChange(context, record, "connect", network);
  });
}

/** Disconnects a container from a network. */
export async function disconnectContainer(context: Context, networkName: string, nameOrID: string): Promise<void> {
  const network = await context.networks.ensure(networkName);
  const { id } = context.records.resolve(nameOrID);
  await withContainerLock(context, id, async () => {
    const record = requireNetworks(context.records.require(id));
    if (!Object.hasOwn(record.networks, network.name)) {
      throw new EngineError("state", `container ${nameOrID} is not connected to network ${network.name}`);
    }
    if (isLive(record)) {
      const { intent, operation } = beginChange(context, record, network);
      await context.core.state.commit([operation]);
      try {
        await detachNow(context, record, network, intent);
      } catch (error) {
        await context.core.state.commit([context.core.intents.end(intent)]);
        throw error;
      }
    } else {
      await context.records.save(withoutAttachment(record, network.name));
    }
    emitNetworkChange(context, record, "disconnect", network);
  });
}

/** Disconnects the containers whose connections an earlier run of the engine was changing: nobody was told that they were made. */
export async function recoverAttachment(context: Context, intent: Intent): Promise<void> {
  const { core, records, networks } = context;
  const record = records.get(intent.subject);
  const name = intent.details.network;
  if (record === undefined || !networks.exists(name) || !Object.hasOwn(record.networks, name)) {
    await core.state.commit([core.intents.end(intent)]);
    return;
  }
  await detachNow(context, record, networks.resolve(name), intent);
}

/** Connects a live container; where that fails, everything is as before. */
async function attachLive(
  context: Context,
  record: ContainerRecord,
  planned: ContainerRecord,
  network: NetworkRecord,
): Promise<void> {
  const { core, records, networks } = context;
  const { intent, operation } = beginChange(context, record, network);
  const leased = networks.lease(record.id, { [network.name]: planned.networks[network.name] }, {});
  // In their order, which the name has already.
  const connecting: ContainerRecord = { ...planned, networks: { ...planned.networks, ...leased } };
  const host = requireHost(context.core);
  const before = statusOf(record, host.networks.path(record.id));
  const setup = partOf(context, connecting, network);
  await records.save(connecting, [operation]);
  try {
    const added = await host.networks.setup(setup);
    const status = mergeStatus(context, connecting, before, added, network.name);
    await publishAgain(context, connecting, before, status);
    const connected = withState(connecting, { network: status });
    await records.save(connected, [core.intents.end(intent)]);
    await tellNames(context, connected, before);
  } catch (error) {
    await host.networks.teardown(setup).catch((failure) => {
      core.log("warn", `Undo the connection of container ${record.id}: ${messageOf(failure)}`);
    });
    networks.release(record.id, [network.name]);
    await records.save(record, [core.intents.end(intent)]);
    throw error;
  }
}

/** Disconnects a container that has, or had, a process. */
async function detachNow(
  context: Context,
  record: ContainerRecord,
  network: NetworkRecord,
  intent: Intent,
): Promise<void> {
  const { core, records, networks } = context;
  const host = requireHost(context.core);
  await host.networks.teardown(partOf(context, record, network));
  const rest = withoutAttachment(record, network.name);
  const before = statusOf(record, host.networks.path(record.id));
  const { [network.name]: _, ...interfaces } = before.interfaces;
  const status = { ...before, interfaces, ...serversOf(context, rest, before) };
  const detached = record.state.network === undefined ? rest : withState(rest, { network: status });
  if (isLive(record)) await publishAgain(context, detached, before, status);
  await records.save(detached, [core.intents.end(intent)]);
  networks.release(record.id, [network.name]);
  if (isLive(record)) await tellNames(context, detached, before);
}

/** Publishes the ports at the addresses of the networks the container is in now, where these are others. */
async function publishAgain(
  context: Context,
  record: ContainerRecord,
  before: NetworkStatus,
  after: NetworkStatus,
): Promise<void> {
  if (record.ports.length === 0) return;
  const { networks } = context;
  const known = networks.list();
  const inOrder = ({ interfaces }: NetworkStatus) =>
    Object.keys(interfaces).flatMap((name) => known.find((network) => network.name === name) ?? []);
  const [old, fresh] = [before, after].map((status) => publishedAt(inOrder(status), status.interfaces));
  if (old.addresses.join() === fresh.addresses.join()) return;
  await requireHost(context.core).networks.publish({ containerID: record.id, ports: record.ports, ...fresh });
}

/** The container goes on when its files cannot be written: it may have taken them away itself. */
async function tellNames(context: Context, record: ContainerRecord, before: NetworkStatus): Promise<void> {
  try {
    await requireHost(context.core).networks.updateNames(record, before);
  } catch (error) {
    context.core.log("warn", `Update the names that container ${record.id} knows: ${messageOf(error)}`);
  }
}

function chooseAttachment(
  context: Context,
  record: ContainerRecord,
  network: NetworkRecord,
  wish: Partial<NetworkAttachment>,
): NetworkAttachment {
  const { namespaces } = record.spec;
  validateSpec({ ...emptySpec(), namespaces, networks: { [network.name]: wish } });
  const { staticIPs = [], mac } = wish;
  context.networks.checkAddresses(network, staticIPs);
  const taken = new Set(Object.values(record.networks).map(({ interfaceName }) => interfaceName));
  if (wish.interfaceName && taken.has(wish.interfaceName)) {
    throw invalid(`interface ${wish.interfaceName} is already used by another network of the container`);
  }
  const interfaceName = wish.interfaceName || freeInterface(taken);
  return {
    aliases: networkNamesOf(wish, record),
    staticIPs: [...staticIPs],
    ...moreOf(wish),
    ...isLive(record) && { routePlace: routePlaceOf(record, wish) },
    mac,
    interfaceName,
  };
}

/**
 * The place of a further default route among those of a live container: before all others where it has the greatest priority, and
 * behind them where it has not.
 */
function routePlaceOf({ networks }: ContainerRecord, { gatewayPriority = 0 }: Partial<NetworkAttachment>): number {
  const all = Object.values(networks);
  const places = all.map(({ routePlace }, index) => routePlace ?? index);
  const isFirst = all.every((other) => (other.gatewayPriority ?? 0) < gatewayPriority);
  return places.length === 0 ? 0 : isFirst ? Math.min(...places) - 1 : Math.max(...places) + 1;
}

/** Adds a network to the record. Its requests are stored by the names of networks from here on. */
function withAttachment(
  record: ContainerRecord,
  name: string,
  attachment: NetworkAttachment,
  wish: Partial<NetworkAttachment>,
): ContainerRecord {
  // Behind those that have the same priority or a greater one: the next start takes them in this order.
  const { gatewayPriority = 0 } = attachment;
  const before = Object.keys(record.networks).filter((other) => {
    return (record.networks[other].gatewayPriority ?? 0) >= gatewayPriority;
  });
  const inOrder = <T>(all: Record<string, T>, added: T): Record<string, T> => {
    const names = Object.keys(all);
    const [first, rest] = [names.filter((key) => before.includes(key)), names.filter((key) => !before.includes(key))];
    const pick = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, all[key]]));
    return { ...pick(first), [name]: added, ...pick(rest) };
  };
  return {
    ...record,
    spec: { ...record.spec, networks: inOrder(askedByName(record), wish) },
    networks: inOrder(record.networks, attachment),
  };
}

function withoutAttachment(record: ContainerRecord, name: string): ContainerRecord {
  const { [name]: _, ...networks } = record.networks;
  const { [name]: __, ...asked } = askedByName(record);
  return { ...record, spec: { ...record.spec, networks: asked }, networks };
}

/** The requested attachments by the names of networks: a client may have named one by its ID, or none at all. */
function askedByName({ spec, networks }: ContainerRecord): ContainerRecord["spec"]["networks"] {
  // Requests and attachments are in the same order.
  const wishes = Object.values(spec.networks);
  return Object.fromEntries(
    Object.keys(networks).map((
      name,
      i,
    ) => [name, Object.hasOwn(spec.networks, name) ? spec.networks[name] : wishes[i] ?? {}]),
  );
}

function requireNetworks(record: ContainerRecord): ContainerRecord {
  const { mode } = record.spec.namespaces.network;
  if (record.state.status === "removing") throw improperState(`container ${record.id} is being removed`);
  if (hasOwnNetwork(mode)) return record;
  const sentinel = "invalid network mode";
  throw new EngineError("state", `"${mode}" is not supported: ${sentinel}`, { sentinel });
}

/** The part of a setup that belongs to one network; ports are published apart from it. */
function partOf(context: Context, record: ContainerRecord, network: NetworkRecord) {
  const netns = requireHost(context.core).networks.path(record.id);
  const whole = setupOf(record, netns, (name) => name === network.name ? network : undefined);
  const index = Math.max(0, Object.keys(record.networks).indexOf(network.name));
  return { ...whole, ports: [], before: record.networks[network.name]?.routePlace ?? index };
}

function statusOf(record: ContainerRecord, netns: string): NetworkStatus {
  return record.state.network ?? { netns, interfaces: {}, dnsServers: [], searchDomains: [] };
}

/** Interfaces in the order of the container's networks, which is that in which ports are published. */
function mergeStatus(
  context: Context,
  record: ContainerRecord,
  before: NetworkStatus,
  added: NetworkStatus,
  name: string,
): NetworkStatus {
  const all = { ...before.interfaces, [name]: added.interfaces[name] };
  const interfaces = Object.fromEntries(
    Object.keys(record.networks).flatMap((key) => all[key] ? [[key, all[key]]] : []),
  );
  const servers = serversOf(context, record, {
    ...before,
    dnsServers: [...before.dnsServers, ...added.dnsServers],
    searchDomains: [...before.searchDomains, ...added.searchDomains],
  });
  return { ...before, interfaces, ...servers };
}

/** Keeps the servers of networks that the container is in: each is a gateway of one. */
function serversOf(
  context: Context,
  record: ContainerRecord,
  { dnsServers, searchDomains }: NetworkStatus,
): Pick<NetworkStatus, "dnsServers" | "searchDomains"> {
  const names = Object.keys(record.networks);
  const gateways = new Set(
    context.networks.list().filter(({ name, dns }) => dns && names.includes(name))
      .flatMap(({ subnets }) => subnets.flatMap(({ gateway }) => gateway ?? [])),
  );
  const left = [...new Set(dnsServers)].filter((server) => gateways.has(server));
  return { dnsServers: left, searchDomains: left.length > 0 ? [...new Set(searchDomains)] : [] };
}

function beginChange(context: Context, { id }: ContainerRecord, { name }: NetworkRecord) {
  return context.core.intents.begin(ATTACHMENT_INTENT, id, { network: name });
}

function isConnected(nameOrID: string, network: string): EngineError {
  const sentinel = "network is already connected";
  const text = `container ${nameOrID} is already connected to network "${network}": ${sentinel}`;
  return new EngineError("forbidden", text, { sentinel });
}
