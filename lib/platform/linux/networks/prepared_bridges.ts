import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type { Locks } from "../../../engine/store/locks.ts";
import type { HostContext } from "../helpers/context.ts";
import { withFileLock } from "../helpers/file_lock.ts";
import { hasChosenAddress, interfaceIndex, isUp, routeLoopback } from "./bridge.ts";
import { addBridge } from "./rules/firewall_table.ts";
import { ForwardCheck } from "./rules/forward_check.ts";
import { bridgeSteps, isKnownBridge, macFor, randomMAC } from "./links/connect_links.ts";
import { ERRORS, findIndex, inNamespace, LinkError, type LinkHelper, sendMessages } from "./links/link_helper.ts";
import { setHardwareAddress } from "./links/link_messages.ts";
import { joinMessages } from "./links/netlink.ts";
import { interfaceElement } from "./links/set_messages.ts";
import type { Subnets } from "./subnets.ts";

/**
 * Bridges with what belongs to them: the reservation, the address, and the rules of the firewall. Each is made once for each bridge; one
 * that was made anew meanwhile is another one, by its index. The rules are looked at for every container, since a firewall that is loaded anew
 * has lost them.
 */
export class PreparedBridges {
  readonly #subnets: Subnets;
  readonly #helper: LinkHelper;
  readonly #locks: Locks;
  readonly #log: HostContext["log"];
  readonly #rulesLock: string;
  readonly #forwarding: ForwardCheck;
  /** The indexes of bridges that this process has prepared, and of those that it has let published ports reach. */
  readonly #prepared = new Map<string, string>();
  readonly #open = new Map<string, string>();

  /**
   * @param locks The bridges', by name; the methods take them themselves
   * @param rulesLock The file whose lock those have who look for rules and write them
   */
  constructor(subnets: Subnets, helper: LinkHelper, locks: Locks, log: HostContext["log"], rulesLock: string) {
    this.#subnets = subnets;
    this.#helper = helper;
    this.#locks = locks;
    this.#log = log;
    this.#rulesLock = rulesLock;
    this.#forwarding = new ForwardCheck(helper);
  }

  /** Makes a bridge where there is none. Its rules may come later. */
  async make(network: NetworkRecord): Promise<void> {
    const { interface: name } = network;
    if (this.#has(name)) return;
    // Another container may have had it made while this one waited.
    await this.#locks.with(name, () => this.adopt(network));
  }

  /** Makes the rules of a bridge, as far as they are not there: a container may be connected meanwhile, but is not to be answered before. */
  async keepRules(network: NetworkRecord, again = false): Promise<void> {
    if (!again && await this.#hasRules(network)) return;
    await this.#locks.with(`${network.interface} rules`, async () => {
      if (again || !await this.#hasRules(network)) await this.#allow(network);
    });
  }

  /** Prepares a bridge that netavark has made; its lock is the caller's. */
  async adopt(network: NetworkRecord): Promise<void> {
    if (!this.#has(network.interface)) await this.#make(network);
  }

  /** Lets published ports reach a bridge. With `again`, what was done before is gone: a firewall that was loaded anew has flushed it. */
  async open(network: NetworkRecord, again = false): Promise<void> {
    const { interface: name } = network;
    await this.#locks.with(name, async () => {
      const index = interfaceIndex(name);
      if (!again && isSame(this.#open.get(name), index)) return;
      await this.keepRules(network, again);
      await routeLoopback(name);
      if (index !== undefined) this.#open.set(name, index);
    });
  }

  /** Takes the rules of subnets out of the way of other servers. */
  async forbid(subnets: readonly string[]): Promise<void> {
    await withFileLock(this.#rulesLock, () => this.#forwarding.forbid(subnets));
  }

  /** Forgets a bridge that is taken down. */
  forget(name: string): void {
    this.#prepared.delete(name);
    this.#open.delete(name);
  }

  #has(name: string): boolean {
    return isSame(this.#prepared.get(name), interfaceIndex(name));
  }

  async #make(network: NetworkRecord): Promise<void> {
    const { interface: name } = network;
    await this.#reserve(network);
    const mac = macFor(network.subnets.flatMap(({ gateway }) => gateway ?? [])) ?? randomMAC();
    // One that is down was left half made; one that is up may be its user's.
    if (isKnownBridge(network) && !isUp(name)) await this.#helper.run(...bridgeSteps(network, mac));
    else await this.#fixAddress(name, mac);
    const index = interfaceIndex(name);
    if (index !== undefined) this.#prepared.set(name, index);
  }

  /** Notes that the bridge is made. */
  async #reserve(network: NetworkRecord): Promise<void> {
    if (await this.#subnets.renew(network)) return;
    this.#log("warn", `Set up network "${network.name}": another server has bridge "${network.interface}" as well`);
  }

  /**
   * Gives a bridge a hardware address of its own. Without one it has the lowest of its ports', another one whenever a container
   * comes or goes, and the others talk to the old one for up to a minute: to the gateway and its DNS server first of all.
   */
  async #fixAddress(name: string, mac: string): Promise<void> {
    if (hasChosenAddress(name)) return;
    const steps = [inNamespace(""), findIndex(name), sendMessages("route", joinMessages(setHardwareAddress(mac)))];
    await this.#helper.run(...steps).catch((error) => {
      this.#log("warn", `Fix the address of bridge "${name}": ${error}`);
    });
  }

  /** Whether the firewall lets the containers of a bridge do what they may. */
  async #hasRules(network: NetworkRecord): Promise<boolean> {
    const element = sendMessages("netfilter", interfaceElement("bridges", network.interface));
    const subnets = subnetsOf(network);
    try {
      const [, kept] = await Promise.all([this.#helper.run(element), this.#forwarding.areInPlace(subnets)]);
      return kept;
    } catch (error) {
      if (error instanceof LinkError && error.code === ERRORS.missing) return false;
      throw error;
    }
  }

  async #allow(network: NetworkRecord): Promise<void> {
    const { interface: name, internal, options } = network;
    const subnets = subnetsOf(network);
    const isOurs = isKnownBridge(network);
    const sets = [
      ...internal ? ["internal"] : [],
      ...options.isolate === "true" ? ["isolated"] : options.isolate === "strict" ? ["strict"] : [],
    ];
    // Noted before: of a bridge that was never made nobody would look for rules, and a server may be killed between these and the bridge.
    if (!this.#subnets.isMade(name)) await this.#reserve(network);
    await withFileLock(this.#rulesLock, async () => {
      await Promise.all([
        addBridge({ interface: name, subnets, masquerades: isOurs && !internal, sets: isOurs ? sets : [] }),
        // Of an internal network too: on some hosts packets pass there that stay on their bridge.
        this.#forwarding.allow(subnets),
      ]);
    });
  }
}

function subnetsOf({ subnets }: NetworkRecord): string[] {
  return subnets.map(({ subnet }) => subnet);
}

/** Whether an interface is the one that it was. */
function isSame(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && before === now;
}
