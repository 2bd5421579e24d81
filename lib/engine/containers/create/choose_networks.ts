import { DEFAULT_NETWORK } from "../../networks/networks.ts";
import type { ContainerRecord, ContainerSpec, NetworkAttachment } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { hasOwnNetwork } from "./validate.ts";
import { invalid } from "../../errors.ts";

/** Chooses the networks of a new container, with a name for the interface in each; addresses are leased at its start. */
export async function chooseNetworks(
  context: Context,
  spec: ContainerSpec,
  id: string,
): Promise<Record<string, NetworkAttachment>> {
  if (!hasOwnNetwork(spec.namespaces.network.mode)) return {};
  const asked = Object.entries(spec.networks);
  if (asked.length === 0) asked.push([DEFAULT_NETWORK, {}]);
  const names = new Set(asked.flatMap(([, { interfaceName }]) => interfaceName ? [interfaceName] : []));
  const chosen: Record<string, NetworkAttachment> = {};
  for (const [nameOrID, attachment] of asked) {
    const network = await context.networks.ensure(nameOrID);
    if (chosen[network.name]) throw invalid(`network "${network.name}" is given twice`);
    const { staticIPs = [], mac } = attachment;
    context.networks.checkAddresses(network, staticIPs);
    const interfaceName = attachment.interfaceName || freeInterface(names);
    names.add(interfaceName);
    const aliases = networkNamesOf(attachment, { id, spec });
    chosen[network.name] = { aliases, staticIPs, ...moreOf(attachment), mac, interfaceName };
  }
  return chosen;
}

/** The parts of an attachment that few requests have. */
export function moreOf({ linkLocalIPs, gatewayPriority, interfaceSettings }: Partial<NetworkAttachment>) {
  return {
    ...linkLocalIPs && { linkLocalIPs },
    ...interfaceSettings && { interfaceSettings },
    ...gatewayPriority && { gatewayPriority },
  };
}

/** The names of a container in a network besides its own: those that it asks for, its short ID, and a hostname that was asked for. */
export function networkNamesOf(
  { aliases = [] }: Partial<NetworkAttachment>,
  { id, spec: { hostname } }: Pick<ContainerRecord, "id" | "spec">,
): string[] {
  return [...new Set([...aliases, id.slice(0, 12), ...hostname && isNetworkName(hostname) ? [hostname] : []])];
}

/** Whether a hostname can be looked up. One that looks like a short ID is another container's: of an imported checkpoint. */
export function isNetworkName(hostname: string): boolean {
  return /^[^\s\0,]+$/.test(hostname) && !/^[0-9a-f]{12}$/.test(hostname);
}

/** The first of `eth0`, `eth1`, … that is not taken. */
export function freeInterface(taken: ReadonlySet<string>): string {
  let number = 0;
  while (taken.has(`eth${number}`)) number++;
  return `eth${number}`;
}
