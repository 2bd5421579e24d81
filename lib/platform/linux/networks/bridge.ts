/**
 * Bridges of the host.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { runAtBridges } from "./bridge_command.ts";
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
  const file = `/sys/class/net/${name}/ifindex`;
  try {
    return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  } catch {
    // It went in between.
    return undefined;
  }
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
 * Lets a container reach its own published port: where bridges pass through the packet filter, the translated packet has
 * to leave by the port it came in by.
 */
export async function reflectPorts(name: string): Promise<void> {
  await Promise.all((await bridgePorts(name)).map(async (port) => {
    const setting = `/sys/class/net/${name}/brif/${port}/hairpin_mode`;
    // The port may have gone meanwhile with its container.
    const mode = await readFile(setting, "utf8").catch(() => "1");
    if (mode.trim() === "0") await writeFile(setting, "1").catch(() => {});
  }));
}

/** The kernel's `NET_ADDR_SET`: somebody has chosen the hardware address. */
const CHOSEN = "3";

/**
 * Gives a bridge a hardware address of its own. Without one it has the lowest of its ports', another one whenever a container
 * comes or goes, and the others talk to the old one for up to a minute: to the gateway and its DNS server first of all.
 *
 * @param mac The address, where nobody has chosen one
 */
export async function fixAddress(name: string, mac: string): Promise<void> {
  const kind = await readFile(`/sys/class/net/${name}/addr_assign_type`, "utf8");
  if (kind.trim() !== CHOSEN) await runAtBridges("ip", ["link", "set", "dev", name, "address", mac]);
}

/** Deletes a bridge. Missing is no error. */
export async function deleteBridge(name: string): Promise<void> {
  if (hasBridge(name)) await runAtBridges("ip", ["link", "delete", name]);
}

/** Lets connections to 127.0.0.1 be forwarded to a bridge; published_ports.ts guards the way back. */
export async function routeLoopback(name: string): Promise<void> {
  await writeFile(`/proc/sys/net/ipv4/conf/${name}/route_localnet`, "1");
}
