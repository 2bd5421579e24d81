/**
 * The steps by which bridges are made, and containers connected to them.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import type { NetworkSetup } from "../../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../../engine/records/network_record.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import type { NetworkAttachment } from "../../../../engine/records/container_record.ts";
import { parseInterfaceSetting } from "../../../../engine/text/interface_setting.ts";
import { linkLocalPrefix, parseAddress, parseSubnet, subnetContains } from "../../../../engine/text/ip.ts";
import {
  changeSetting,
  ERRORS,
  findIndex,
  inNamespace,
  type LinkStep,
  openNamespace,
  sendMessages,
  writeSetting,
} from "./link_helper.ts";
import {
  bringUp,
  defaultRoute,
  deleteLink,
  leaveWithoutAddress,
  newAddress,
  newBridge,
  newPair,
  newRoute,
  reflectPackets,
} from "./link_messages.ts";
import { joinMessages, type Piece } from "./netlink.ts";

/** netavark's metric for routes that name none. */
export const METRIC = 100;

/** The options of bridges that are made here; netavark makes those with others. */
const KNOWN = new Set(["mtu", "metric", "no_default_route", "isolate"]);
const USUAL: Readonly<Record<string, string>> = { vlan: "0", mode: "managed" };

/** Whether containers are connected to a network by the steps of this file. */
export function isKnownBridge(
  { driver, options, addressSource = "host-local" }: Pick<NetworkRecord, "driver" | "options" | "addressSource">,
): boolean {
  const isUsual = ([name, value]: [string, string]) => USUAL[name] === value || KNOWN.has(name);
  return driver === "bridge" && addressSource !== "dhcp" && Object.entries(options).every(isUsual);
}

/** Makes a bridge with its addresses and lets the host forward its packets; what is there already stays. */
export function bridgeSteps(network: NetworkRecord, mac: string): LinkStep[] {
  const { interface: name, internal, subnets } = network;
  const families = new Set(subnets.map(({ subnet }) => subnet.includes(":") ? 6 : 4));
  const addresses = subnets.flatMap(({ subnet, gateway }) =>
    gateway === undefined ? [] : [newAddress(gateway, parseSubnet(subnet).prefix)]
  );
  return [
    inNamespace(""),
    sendMessages("route", joinMessages(newBridge(name, mac, mtuOf(network))), ERRORS.exists),
    ...!internal && families.has(4) ? [writeSetting("net/ipv4/ip_forward", "1")] : [],
    ...!internal && families.has(6) ? [writeSetting("net/ipv6/conf/all/forwarding", "1")] : [],
    writeSetting(`net/ipv6/conf/${name}/accept_dad`, "0"),
    writeSetting(`net/ipv6/conf/${name}/accept_ra`, "0"),
    findIndex(name),
    sendMessages("route", joinMessages(...addresses, bringUp())),
  ];
}

/** A container's connection to a network: what is done, and what the engine keeps of it. */
export interface Connection {
  /** The name of the end at the bridge. */
  outer: string;
  steps: LinkStep[];
  status: NetworkStatus["interfaces"][string];
}

/** Connects the `i`th of a container's networks. */
export function connectionOf(
  { containerID, netns, attachments, ports, before = 0 }: NetworkSetup,
  i: number,
): Connection {
  const { network, attachment } = attachments[i]!;
  const { staticIPs, linkLocalIPs = [], interfaceName: inner } = attachment;
  const outer = pairName(containerID, network);
  const mac = attachment.mac ?? macFor(staticIPs) ?? randomMAC();
  const addresses = staticIPs.map((address) => addressIn(network, address));
  const lines: Piece[] = [
    ...addresses.map(({ address, prefix }) => newAddress(address, prefix)),
    ...linkLocalIPs.map((address) => newAddress(address, linkLocalPrefix(address) ?? 64)),
    // A container of several networks answers by another one than it was asked by. The file of this setting would do too, but the kernel
    // compares its folder with that of every namespace: 2 ms beside 1,000 containers.
    bringUp({ reversePath: 2 }),
    ...routesOf(network, addresses, before + i),
  ];
  return {
    outer,
    steps: [
      inNamespace(""),
      findIndex(network.interface),
      openNamespace(netns),
      sendMessages("route", joinMessages(newPair({ outer, inner, mac, mtu: mtuOf(network) }))),
      findIndex(outer),
      // Nobody asks for a bridge's port by an address of its own, and each one makes the host's routes longer.
      sendMessages("route", joinMessages(leaveWithoutAddress()), ERRORS.noFamily),
      ...ports.length > 0 ? [sendMessages("route", joinMessages(reflectPackets()))] : [],
      inNamespace(netns),
      // Neighbours are no routers: any of them could make itself the way out. Without it the kernel asks for no router either, which all
      // others of the network would hear, and no address is made of what one says.
      writeSetting(`net/ipv6/conf/${inner}/accept_ra`, "0"),
      writeSetting(`net/ipv6/conf/${inner}/accept_dad`, "0"),
      findIndex(inner),
      sendMessages("route", joinMessages(...lines)),
    ],
    status: { name: inner, mac, addresses },
  };
}

/** Changes the kernel settings of an interface, in its namespace. */
export function settingSteps({ interfaceSettings = [], interfaceName }: NetworkAttachment): LinkStep[] {
  return interfaceSettings.map((text) => {
    const { before, name, value } = parseInterfaceSetting(text);
    return changeSetting([...before, interfaceName, name].join("/"), value);
  });
}

/** Deletes the end of a pair by which a container is connected, and the other one with it; an absent one is no error. */
export function disconnectSteps(netns: string, interfaceNames: readonly string[]): LinkStep[] {
  return [inNamespace(netns), ...interfaceNames.map((name) => deletionOf(name))];
}

/** Deletes an interface where the bridges are; an absent one is no error. */
export function deletionSteps(name: string): LinkStep[] {
  return [inNamespace(""), deletionOf(name)];
}

function deletionOf(name: string): LinkStep {
  return sendMessages("route", joinMessages(deleteLink(name)), ERRORS.noDevice);
}

/** The same name each time: what a server left here that was killed is found. */
function pairName(containerID: string, { interface: bridge }: NetworkRecord): string {
  return `veth${createHash("sha256").update(`${containerID} ${bridge}`).digest("hex").slice(0, 11)}`;
}

/** An address with its subnet's length and gateway. */
function addressIn(
  { subnets }: NetworkRecord,
  address: string,
): NetworkStatus["interfaces"][string]["addresses"][number] {
  const parsed = parseAddress(address);
  const found = subnets.find(({ subnet }) => subnetContains(parseSubnet(subnet), parsed));
  if (found === undefined) throw new RangeError(`Connect network: no subnet has the address ${address}`);
  const { subnet, gateway } = found;
  return { address, prefix: parseSubnet(subnet).prefix, ...gateway !== undefined && { gateway } };
}

/** @param place How many of the container's networks come before: its default route yields to theirs */
function routesOf(
  { internal, options, routes = [] }: NetworkRecord,
  addresses: readonly { gateway?: string }[],
  place: number,
): Piece[] {
  const metric = options.metric === undefined ? METRIC + place : Number(options.metric);
  const isClosed = internal || options.no_default_route === "true";
  const gateways = isClosed ? [] : addresses.flatMap(({ gateway }) => gateway ?? []);
  // One for each version of IP.
  const firsts = [false, true].flatMap((isIPv6) => gateways.find((gateway) => gateway.includes(":") === isIPv6) ?? []);
  return [
    ...firsts.map((gateway) => defaultRoute(gateway, metric)),
    ...routes.map((route) => newRoute({ metric: METRIC, ...route })),
  ];
}

function mtuOf({ options }: NetworkRecord): number | undefined {
  return Number(options.mtu ?? 0) || undefined;
}

/**
 * A locally administered MAC made of the first IPv4 address. When an address passes on to another container, what the host
 * and its neighbours remember of it stays right; with a random one they would talk to nobody for seconds.
 */
export function macFor(addresses: readonly string[]): string | undefined {
  const address = addresses.find((text) => !text.includes(":"));
  return address &&
    ["02", "67", ...address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"))].join(":");
}

/** A locally administered address. */
export function randomMAC(): string {
  return ["02", ...Array.from(randomBytes(5), (byte) => byte.toString(16).padStart(2, "0"))].join(":");
}
