import { EngineError } from "../../../engine/errors.ts";
import type { NetworkSetup } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type { NetworkStatus } from "../../../engine/records/network_status.ts";
import process from "node:process";
import type { HostContext } from "../helpers/context.ts";
import { findProgram } from "../helpers/programs.ts";
import type { Nursery } from "../processes/nursery/nursery.ts";
import { connectionOf, deletionSteps, disconnectSteps, isKnownBridge, settingSteps } from "./links/connect_links.ts";
import { ERRORS, inNamespace, LinkError, type LinkHelper, sendMessages } from "./links/link_helper.ts";
import { countAnswers, getTable } from "./links/rule_messages.ts";
import { ContainerNames, SEARCH_DOMAIN } from "./netavark/container_names.ts";
import { type Netavark, netavarkAt, netavarkSetup } from "./netavark/netavark.ts";
import { applyRoutes } from "./netavark/routes.ts";

/** `NFPROTO_INET`, and the table of firewalld, which lets nothing pass that netavark has not told it of. */
const FIREWALLD = [1, "firewalld"] as const;
/** The values of netavark's variable by which its rules are to be written as usual. */
const USUAL_DRIVERS = ["iptables", "nftables"];

type Attachments = NetworkSetup["attachments"];

/** The networks of a container that the helper connects, and those that are left to netavark. */
export interface Shares {
  own: Attachments;
  others: Attachments;
}

type Result = Omit<NetworkStatus, "netns">;

/**
 * The programs that connect containers: the helper for links connects them to bridges, and netavark to everything else, to bridges with rare
 * settings too, and to all on a host whose firewall the helper does not know.
 */
export class NetworkPrograms {
  readonly netavark: Netavark;
  readonly names: ContainerNames;
  readonly #helper: LinkHelper;
  #isUsual?: Promise<boolean>;
  #nft?: Promise<string | undefined>;

  constructor({ paths, log }: HostContext, nursery: Nursery, helper: LinkHelper) {
    this.netavark = netavarkAt(paths.networks);
    this.names = new ContainerNames(this.netavark, nursery, log);
    this.#helper = helper;
  }

  /** Shares a container's networks out, by the firewall as the container before has found it. */
  async share(attachments: Attachments): Promise<Shares> {
    const next = this.#isUsualFirewall();
    next.catch(() => {});
    const known = this.#isUsual?.catch(() => next);
    this.#isUsual = next;
    const isUsual = await (known ?? next);
    const own = attachments.filter(({ network }) => isUsual && isKnownBridge(network));
    return { own, others: attachments.filter((each) => !own.includes(each)) };
  }

  /** Connects a container by the helper to bridges that are there. */
  async connect(setup: NetworkSetup, own: Attachments): Promise<Result> {
    const result: Result = { interfaces: {}, dnsServers: [], searchDomains: [] };
    const connections = own.map((each) => connectionOf(setup, setup.attachments.indexOf(each)));
    const steps = connections.flatMap((connection) => connection.steps);
    try {
      await this.#helper.run(...steps);
    } catch (error) {
      if (!(error instanceof LinkError) || error.code !== ERRORS.exists) throw error;
      // A server that was killed has left a pair here, at a namespace that nobody has any more.
      await this.#helper.run(...connections.flatMap(({ outer }) => deletionSteps(outer)));
      await this.#helper.run(...steps);
    }
    for (const [i, { network }] of own.entries()) result.interfaces[network.name] = connections[i]!.status;
    const named = own.filter(({ network }) => this.#isNamed(network));
    await this.names.add(setup, named);
    result.dnsServers = named.flatMap(({ network }) => network.subnets.flatMap(({ gateway }) => gateway ?? []));
    if (named.length > 0) result.searchDomains = [SEARCH_DOMAIN];
    return result;
  }

  /** Connects a container by netavark. */
  async connectOthers(setup: NetworkSetup, others: Attachments, lock: string): Promise<Result> {
    const result = await this.names.alone(() => netavarkSetup(this.netavark, setup, lock, others));
    await applyRoutes(setup.netns, others);
    return result;
  }

  /** Changes kernel settings of a container's interfaces, once they are up. Throws `EngineError("invalid")` for one that the kernel refuses. */
  async applySettings(netns: string, attachments: Attachments): Promise<void> {
    const steps = attachments.flatMap(({ attachment }) => settingSteps(attachment));
    if (steps.length === 0) return;
    try {
      await this.#helper.run(inNamespace(netns), ...steps);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      throw new EngineError("invalid", `Set up network: ${error.message}`, { cause: error });
    }
  }

  /** Lets a container's interfaces go. */
  async disconnect(netns: string, attachments: Attachments): Promise<void> {
    await this.#helper.runAside(
      ...disconnectSteps(netns, attachments.map(({ attachment }) => attachment.interfaceName)),
    );
  }

  #isNamed({ dns, subnets }: NetworkRecord): boolean {
    return dns && subnets.some(({ gateway }) => gateway !== undefined) && this.names.isInstalled();
  }

  /** Whether nftables is there, and nobody has said or shows that the firewall is another program's. */
  async #isUsualFirewall(): Promise<boolean> {
    const driver = process.env.NETAVARK_FW ?? "";
    if (driver !== "" && !USUAL_DRIVERS.includes(driver)) return false;
    if (await (this.#nft ??= findProgram("nft")) === undefined) return false;
    try {
      const replies = await this.#helper.run(sendMessages("netfilter", getTable(...FIREWALLD), ERRORS.missing));
      return countAnswers(replies).tables === 0;
    } catch (error) {
      if (error instanceof LinkError) return false;
      throw error;
    }
  }
}
