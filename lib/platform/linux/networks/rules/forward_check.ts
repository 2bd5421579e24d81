import { readFileSync } from "node:fs";
import { allowForwarding, forbidForwarding, OWN_CHAIN } from "./forward_rules.ts";
import { ERRORS, type LinkHelper, sendMessages } from "../links/link_helper.ts";
import {
  comparedBytes,
  countAnswers,
  getRules,
  getTable,
  listChain,
  type RuleFamily,
  type RuleHandle,
  rulesWith,
} from "../links/rule_messages.ts";
import { textWithEnd } from "../links/netlink.ts";

/** The table of iptables. */
const TABLE = "filter";
/** The tables of iptables for kernels without nftables, where somebody uses them. */
const LEGACY: Partial<Record<RuleFamily, string>> = {
  2: "/proc/net/ip_tables_names",
  10: "/proc/net/ip6_tables_names",
};
/** The rules of a subnet. */
const RULES = 3;

/** The rules of a subnet: none are needed, these are there, or only iptables can tell. */
type Known = "needless" | readonly RuleHandle[] | undefined;

/**
 * The rules of iptables for our bridges, which a firewall that is loaded anew loses. To look for them by iptables with each container would cost
 * more than to connect it; the kernel says in a moment whether a rule is the one that it was.
 */
export class ForwardCheck {
  readonly #helper: LinkHelper;
  readonly #known = new Map<string, Known>();

  constructor(helper: LinkHelper) {
    this.#helper = helper;
  }

  /** Makes the rules of subnets, where the host has any. */
  async allow(subnets: readonly string[]): Promise<void> {
    const needed = await Array.fromAsync(
      subnets,
      async (subnet) => await this.#isNeeded(familyOf(subnet)) ? [subnet] : [],
    );
    if (needed.flat().length > 0) await allowForwarding(needed.flat());
    for (const [i, subnet] of subnets.entries()) {
      this.#known.set(subnet, needed[i]!.length === 0 ? "needless" : await this.#findRules(subnet));
    }
  }

  /** Whether the rules of subnets are as {@linkcode allow} left them. */
  async areInPlace(subnets: readonly string[]): Promise<boolean> {
    let expected = 0;
    const steps = [];
    for (const subnet of subnets) {
      const [family, known] = [familyOf(subnet), this.#known.get(subnet)];
      if (known === undefined) return false;
      if (known === "needless") {
        if (hasLegacyTable(family)) return false;
        steps.push(sendMessages("netfilter", getTable(family, TABLE), ERRORS.missing));
      } else {
        expected += known.length;
        steps.push(sendMessages("netfilter", getRules(family, TABLE, known), ERRORS.missing));
      }
    }
    const { tables, rules } = countAnswers(await this.#helper.run(...steps));
    return tables === 0 && rules === expected;
  }

  /** Takes the rules of subnets away. */
  async forbid(subnets: readonly string[]): Promise<void> {
    for (const subnet of subnets) this.#known.delete(subnet);
    const needed = await Array.fromAsync(
      subnets,
      async (subnet) => await this.#isNeeded(familyOf(subnet)) ? [subnet] : [],
    );
    if (needed.flat().length > 0) await forbidForwarding(needed.flat());
  }

  async #isNeeded(family: RuleFamily): Promise<boolean> {
    if (hasLegacyTable(family)) return true;
    const replies = await this.#helper.run(sendMessages("netfilter", getTable(family, TABLE), ERRORS.missing));
    return countAnswers(replies).tables > 0;
  }

  async #findRules(subnet: string): Promise<Known> {
    const family = familyOf(subnet);
    if (hasLegacyTable(family)) return undefined;
    const list = (chain: string) =>
      this.#helper.run(sendMessages("netfilter", listChain(family, TABLE, chain), ERRORS.missing));
    const [own, forward] = await Promise.all([list(OWN_CHAIN), list("FORWARD")]);
    const way = rulesWith(forward, "FORWARD", textWithEnd(OWN_CHAIN));
    const rules = rulesWith(own, OWN_CHAIN, comparedBytes(subnet));
    return way.length === 0 || rules.length < RULES ? undefined : [...way, ...rules];
  }
}

function familyOf(subnet: string): RuleFamily {
  return subnet.includes(":") ? 10 : 2;
}

function hasLegacyTable(family: RuleFamily): boolean {
  try {
    return readFileSync(LEGACY[family] ?? "", "utf8").split("\n").includes(TABLE);
  } catch {
    // The kernel has none of these.
    return false;
  }
}
