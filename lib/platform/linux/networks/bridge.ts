/**
 * Bridges of the host.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { namesIn } from "../helpers/tree.ts";

/** Whether there is an interface of this name, of any kind. */
export function hasInterface(name: string): boolean {
  return existsSync(`/sys/class/net/${name}`);
}

/** Whether there is a bridge of this name. */
export function hasBridge(name: string): boolean {
  return existsSync(`/sys/class/net/${name}/bridge`);
}

/** The number of an interface, which no later one of the same name gets; undefined where there is none. */
export function interfaceIndex(name: string): string | undefined {
  return readValue(name, "ifindex");
}

/** The interfaces on a bridge. */
export async function bridgePorts(name: string): Promise<string[]> {
  return await namesIn(`/sys/class/net/${name}/brif`);
}

/** How long interfaces of namespaces that have ended are waited for. */
const LEAVING = { tries: 200, pause: 25 };

/**
 * Waits until no interface is on a bridge, for five seconds at the most: the kernel takes down those of a namespace some time
 * after its end, and netavark keeps a network's rules while there is one.
 */
export async function portsGone(name: string): Promise<void> {
  for (let i = 0; i < LEAVING.tries && (await bridgePorts(name)).length > 0; i++) await sleep(LEAVING.pause);
}

/**
 * Lets containers reach their own published ports: where bridges pass through the packet filter, the translated packet has
 * to leave by the port it came in by.
 */
export async function reflectPorts(connected: readonly { network: NetworkRecord }[]): Promise<void> {
  const bridges = connected.flatMap(({ network }) => network.driver === "bridge" ? [network.interface] : []);
  const ports = await Promise.all(bridges.map(async (name) => {
    return (await bridgePorts(name)).map((port) => `/sys/class/net/${name}/brif/${port}/hairpin_mode`);
  }));
  await Promise.all(
    ports.flat().map(async (setting) => {
      // The port may have gone meanwhile with its container.
      const mode = await readFile(setting, "utf8").catch(() => "1");
      if (mode.trim() === "0") await writeFile(setting, "1").catch(() => {});
    }),
  );
}

/** The kernel's `NET_ADDR_SET`: somebody has chosen the hardware address. */
const CHOSEN = "3";
/** `IFF_UP`. */
const UP = 1;

/** Whether somebody has chosen the hardware address of an interface. */
export function hasChosenAddress(name: string): boolean {
  return readValue(name, "addr_assign_type") === CHOSEN;
}

/** Whether an interface is there and up. */
export function isUp(name: string): boolean {
  return (Number(readValue(name, "flags") ?? 0) & UP) !== 0;
}

function readValue(name: string, value: string): string | undefined {
  try {
    return readFileSync(`/sys/class/net/${name}/${value}`, "utf8").trim();
  } catch {
    // There is no such interface, or no longer.
    return undefined;
  }
}

/** Lets connections to 127.0.0.1 be forwarded to a bridge; published_ports.ts guards the way back. */
export async function routeLoopback(name: string): Promise<void> {
  await writeFile(`/proc/sys/net/ipv4/conf/${name}/route_localnet`, "1");
}
