import { randomBytes } from "node:crypto";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type { Locks } from "../../../engine/store/locks.ts";
import type { HostContext } from "../helpers/context.ts";
import { fixAddress, interfaceIndex, routeLoopback } from "./bridge.ts";
import { allowPublished } from "./forward_rules.ts";
import { macFor } from "./netavark.ts";
import { addBridge } from "./published_ports.ts";
import type { Subnets } from "./subnets.ts";

/**
 * The parts of a bridge that netavark does not make: its reservation, its address, and the rules for published ports, which a bridge gets
 * with the first of them. Each is made once for each bridge; one that netavark has made anew is another one, by its index.
 */
export class PreparedBridges {
  readonly #subnets: Subnets;
  readonly #locks: Locks;
  readonly #log: HostContext["log"];
  /** The indexes of bridges that this process has prepared, and of those that it has let published ports reach. */
  readonly #prepared = new Map<string, string>();
  readonly #open = new Map<string, string>();

  /** `locks` are the bridges', by name; `prepare()` is called under them, `open()` takes them itself. */
  constructor(subnets: Subnets, locks: Locks, log: HostContext["log"]) {
    this.#subnets = subnets;
    this.#locks = locks;
    this.#log = log;
  }

  /** Whether a bridge is there and prepared. */
  has(name: string): boolean {
    return isSame(this.#prepared.get(name), interfaceIndex(name));
  }

  /** Prepares a bridge that netavark has made. */
  async prepare(network: NetworkRecord): Promise<void> {
    const { interface: name } = network;
    const index = interfaceIndex(name);
    if (isSame(this.#prepared.get(name), index)) return;
    if (!await this.#subnets.renew(network)) {
      this.#log("warn", `Set up network "${network.name}": another server has bridge "${name}" as well`);
    }
    const mac = macFor(network.subnets.flatMap(({ gateway }) => gateway ?? [])) ?? randomMAC();
    await fixAddress(name, mac).catch((error) => this.#log("warn", `Fix the address of bridge "${name}": ${error}`));
    if (index !== undefined) this.#prepared.set(name, index);
  }

  /** Lets published ports reach a bridge. With `again`, what was done before is gone: a firewall that was loaded anew has flushed it. */
  async open({ interface: name, subnets }: NetworkRecord, again = false): Promise<void> {
    const texts = subnets.map(({ subnet }) => subnet);
    await this.#locks.with(name, async () => {
      const index = interfaceIndex(name);
      if (!again && isSame(this.#open.get(name), index)) return;
      await Promise.all([addBridge({ interface: name, subnets: texts }), routeLoopback(name), allowPublished(texts)]);
      if (index !== undefined) this.#open.set(name, index);
    });
  }

  /** Forgets a bridge that is taken down. */
  forget(name: string): void {
    this.#prepared.delete(name);
    this.#open.delete(name);
  }
}

/** Whether an interface is the one that it was. */
function isSame(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && before === now;
}

/** A locally administered address. */
function randomMAC(): string {
  return ["02", ...Array.from(randomBytes(5), (byte) => byte.toString(16).padStart(2, "0"))].join(":");
}
