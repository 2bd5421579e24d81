import type { NetworkRecord } from "../../../../engine/records/network_record.ts";
import { runAtBridges } from "../bridge_command.ts";

/** The chains in which each subnet of a bridge has a rule of netavark's, the one to let it out and the one to translate it. */
const CHAINS = [["NETAVARK_FORWARD"], ["POSTROUTING", "-t", "nat"]];

/** Whether netavark has left a rule for a bridge, which it did for servers of earlier versions. Internal networks have none. */
export async function hasAnyRule({ internal, subnets }: NetworkRecord): Promise<boolean> {
  if (internal) return false;
  const families = Map.groupBy(subnets, ({ subnet }) => subnet.includes(":") ? "ip6tables" : "iptables");
  const found = [...families].map(([program, its]) => hasRuleBy(program, its.map(({ subnet }) => subnet)));
  return (await Promise.all(found)).some(Boolean);
}

async function hasRuleBy(program: string, subnets: readonly string[]): Promise<boolean> {
  const listed = await Promise.all(CHAINS.map(async ([chain, ...table]) => {
    // Without the chain, or the program, there are no rules.
    const listing = runAtBridges(program, ["--wait", ...table, "--list-rules", chain!]);
    return await listing.then(({ stdout }) => stdout, () => "");
  }));
  return listed.some((rules) => subnets.some((subnet) => rules.includes(` -s ${subnet} `)));
}
