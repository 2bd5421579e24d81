import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { runCommand } from "../helpers/command.ts";
import { runAtBridges } from "./bridge_command.ts";

/** Says yes to whatever netavark asks: the version is the least with all that it asks of one, and success means that a rule is there. */
const YES = `#!/bin/sh
# Stands in for iptables while every rule that netavark would look for is known to be in place.
[ "$1" = --version ] && echo "iptables v1.8.0"
exit 0
`;

/** The chains in which each subnet of a bridge has a rule of netavark's, the one to let it out and the one to translate it. */
const CHAINS = [["NETAVARK_FORWARD"], ["POSTROUTING", "-t", "nat"]];

/**
 * netavark's rules for bridges that it has made. With each container netavark 1.4 starts iptables twenty times, 150 ms in all, to find the
 * rules that the bridge's first container got. Two looks tell the same: a firewall that was loaded anew has lost them all.
 */
export class FirewallRules {
  readonly #folder: string;
  #isUsable?: Promise<boolean>;

  /** @param folder Where the programs that say yes are written */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns the environment in which netavark leaves the firewall as it is, where all rules of these bridges are in place; `undefined` where
   * netavark has to look itself.
   */
  async environmentFor(networks: readonly NetworkRecord[]): Promise<Record<string, string> | undefined> {
    this.#isUsable ??= this.#write();
    const [isUsable, found] = await Promise.all([this.#isUsable, findRules(networks)]);
    if (!isUsable || !found.every(Boolean)) return undefined;
    return { PATH: `${this.#folder}:${process.env.PATH ?? ""}` };
  }

  /** Writes the programs; false where the folder's file system runs none. */
  async #write(): Promise<boolean> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      for (const name of ["iptables", "ip6tables"]) {
        const temporary = join(this.#folder, `.${randomUUID()}`);
        await writeFile(temporary, YES);
        await chmod(temporary, 0o700);
        await rename(temporary, join(this.#folder, name));
        await runCommand(join(this.#folder, name), ["--version"]);
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** Whether netavark has left a rule for a bridge. */
export async function hasAnyRule(network: NetworkRecord): Promise<boolean> {
  return (await findRules([network])).some(Boolean);
}

/** Looks for the rules of networks; whether each is there. Internal networks have none. */
async function findRules(networks: readonly NetworkRecord[]): Promise<boolean[]> {
  const subnets = networks.filter(({ internal }) => !internal).flatMap((network) => network.subnets);
  const families = Map.groupBy(subnets, ({ subnet }) => subnet.includes(":") ? "ip6tables" : "iptables");
  const found = [...families].map(([program, its]) => rulesBy(program, its.map(({ subnet }) => subnet)));
  return (await Promise.all(found)).flat();
}

async function rulesBy(program: string, subnets: readonly string[]): Promise<boolean[]> {
  const listed = await Promise.all(CHAINS.map(async ([chain, ...table]) => {
    // Without the chain, or the program, there are no rules.
    const listing = runAtBridges(program, ["--wait", ...table, "--list-rules", chain!]);
    return await listing.then(({ stdout }) => stdout, () => "");
  }));
  return listed.flatMap((rules) => subnets.map((subnet) => rules.includes(` -s ${subnet} `)));
}
