/** How a container that comes up gets its network. */
import type { ContainerRecord } from "../../records/container_record.ts";
import { type Context, isLive } from "../context.ts";
import { requireHost } from "../../core.ts";
import { improperState, isCode } from "../failures.ts";
import { hasNamespace, setupOf } from "./teardowns.ts";
import { canPublish } from "../create/validate.ts";
import type { NetworkStatus } from "../../records/network_status.ts";

/** A network that is up: the namespace to join (none: the host's), and what is known of it. */
export interface ContainerNetwork {
  netns?: string;
  status?: NetworkStatus;
}

/** The addresses that a container had in its networks and gets again, by network name. */
export type SameNetworks = Record<string, { staticIPs?: string[]; mac?: string }>;

/**
 * Reserves addresses and ports for a container and gives the record that says so. To be committed before
 * {@linkcode connectNetwork}; taken back by the teardown. Throws `port_in_use`, with nothing reserved.
 */
export async function reserveNetwork(
  context: Context,
  record: ContainerRecord,
  same: SameNetworks = {},
): Promise<ContainerRecord> {
  if (!canPublish(record.spec.namespaces.network.mode)) return record;
  const { networks, portClaims } = context;
  const wanted = Object.fromEntries(
    Object.entries(record.networks).map(([name, { routePlace: _, ...attachment }]) => {
      const { staticIPs = askedAddresses(context, record, name), mac = attachment.mac } = same[name] ?? {};
      return [name, { ...attachment, mac, staticIPs }];
    }),
  );
  await claimPorts(context, record);
  try {
    return { ...record, networks: networks.lease(record.id, wanted, record.networks) };
  } catch (error) {
    portClaims.release(record.id);
    throw error;
  }
}

/** Makes the namespace and connects it. Throws with its own parts undone or left to the teardown. */
export async function connectNetwork(context: Context, record: ContainerRecord): Promise<ContainerNetwork> {
  const { network } = record.spec.namespaces;
  if (network.mode === "host") return {};
  if (network.mode === "path") return { netns: network.value };
  if (network.mode === "container") return sharedNetwork(context, record, network.value ?? "");
  if (!hasNamespace(record)) return {};
  const host = requireHost(context.core);
  // With users of its own it was made in their namespace.
  const netns = record.idMaps ? host.networks.path(record.id) : await host.networks.createNamespace(record.id);
  const empty: NetworkStatus = { netns, interfaces: {}, dnsServers: [], searchDomains: [] };
  const setup = setupOf(record, netns, (name) => context.networks.resolve(name));
  if (setup.attachments.length === 0 && setup.userNetwork === undefined) return { netns, status: empty };
  return { netns, status: await host.networks.setup(setup) };
}

/** Claims again the ports and addresses of a live container of an earlier run of the engine. */
export function adoptNetwork(context: Context, record: ContainerRecord): void {
  if (!canPublish(record.spec.namespaces.network.mode)) return;
  try {
    context.portClaims.claim(record.id, record.ports);
    context.networks.lease(record.id, record.networks, record.networks);
  } catch (error) {
    context.core.log("warn", `Take up the network of container ${record.id}: ${error}`);
  }
}

/** Waits for ports that an ended container is about to give back, then claims them here. The host looks when it publishes them. */
async function claimPorts(context: Context, record: ContainerRecord): Promise<void> {
  if (record.ports.length === 0) return;
  try {
    context.portClaims.claim(record.id, record.ports);
  } catch (error) {
    if (!isCode(error, "port_in_use")) throw error;
    await context.teardowns.idle();
    context.portClaims.claim(record.id, record.ports);
  }
}

/** The addresses the user asked for, as against those given before. */
function askedAddresses(context: Context, record: ContainerRecord, name: string): string[] {
  for (const [nameOrID, attachment] of Object.entries(record.spec.networks)) {
    const isIt = nameOrID === name || context.networks.resolve(nameOrID).name === name;
    if (isIt) return attachment.staticIPs ?? [];
  }
  return [];
}

function sharedNetwork(context: Context, record: ContainerRecord, otherID: string): ContainerNetwork {
  const other = context.records.require(otherID);
  if (!isLive(other)) {
    throw improperState(`some dependencies of container ${record.id} are not started: ${otherID}`);
  }
  const { mode, value } = other.spec.namespaces.network;
  // Its own network may be another one's again.
  if (mode === "container") return sharedNetwork(context, other, value ?? "");
  if (mode === "path") return { netns: value };
  return { netns: other.state.network?.netns, status: other.state.network };
}
