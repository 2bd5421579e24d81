/**
 * The rules by which published ports are reached on a host that forwards nothing by default, as one with Docker does.
 *
 * @module
 */
import { Locks } from "../../../engine/store/locks.ts";
import { runAtBridges } from "./bridge_command.ts";

/** The chain of netavark's driver for iptables, which lets the traffic of containers out, and in only what answers it. */
const NETAVARK = "NETAVARK_FORWARD";
/**
 * Our own, where netavark writes its rules by nftables: it accepts there what `FORWARD` drops afterwards, since a packet has to pass both.
 */
const OWN = "GANTRY_FORWARD";
/** The rule that leads to our own chain. */
const WAY = ["FORWARD", "-j", OWN];

/** Changes of one family's rules come one after the other: a rule is looked for before it is written. */
const turns = new Locks();

/** Lets connections to published ports reach these subnets. Where there is no iptables, or nothing in it, it forbids nothing either. */
export async function allowPublished(subnets: readonly string[]): Promise<void> {
  await forFamilies(subnets, async (program, its) => {
    const rules = await listRules(program);
    if (rules === undefined) return;
    const chain = leadsTo(rules, NETAVARK) ? NETAVARK : OWN;
    if (chain === OWN) {
      if (!rules.includes(`-N ${OWN}\n`)) await runAtBridges(program, ["--wait", "--new-chain", OWN]);
      if (!leadsTo(rules, OWN)) await runAtBridges(program, ["--wait", "--insert", ...WAY]);
    }
    for (const rule of its.flatMap((subnet) => rulesOf(chain, subnet))) {
      if (!await hasRule(program, rule)) await runAtBridges(program, ["--wait", "--append", ...rule]);
    }
  });
}

/** Takes the rules of these subnets away, and our own chain with the last of them. */
export async function forbidPublished(subnets: readonly string[]): Promise<void> {
  await forFamilies(subnets, async (program, its) => {
    const rules = await listRules(program);
    if (rules === undefined) return;
    for (const chain of [NETAVARK, OWN].filter((chain) => rules.includes(`-N ${chain}\n`))) {
      for (const rule of its.flatMap((subnet) => rulesOf(chain, subnet))) {
        if (await hasRule(program, rule)) await runAtBridges(program, ["--wait", "--delete", ...rule]);
      }
    }
    const left = await listRules(program) ?? "";
    if (!left.includes(`-N ${OWN}\n`) || left.includes(`-A ${OWN} `)) return;
    if (leadsTo(left, OWN)) await runAtBridges(program, ["--wait", "--delete", ...WAY]);
    await runAtBridges(program, ["--wait", "--delete-chain", OWN]);
  });
}

/** The rules of a subnet in a chain: netavark's own has one more for what goes out. */
function rulesOf(chain: string, subnet: string): string[][] {
  const published = [chain, "-d", subnet, "-m", "conntrack", "--ctstate", "DNAT", "-j", "ACCEPT"];
  if (chain === NETAVARK) return [published];
  const answers = [chain, "-d", subnet, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"];
  return [published, answers, [chain, "-s", subnet, "-j", "ACCEPT"]];
}

async function forFamilies(
  subnets: readonly string[],
  work: (program: string, subnets: readonly string[]) => Promise<void>,
): Promise<void> {
  const families = Map.groupBy(subnets, (subnet) => subnet.includes(":") ? "ip6tables" : "iptables");
  await Promise.all([...families].map(([program, its]) => turns.with(program, () => work(program, its))));
}

/** All rules of the table `filter`, as iptables prints them; undefined where there is no iptables, or no such table. */
async function listRules(program: string): Promise<string | undefined> {
  return await runAtBridges(program, ["--wait", "--list-rules"]).then(({ stdout }) => stdout, () => undefined);
}

/** Whether `FORWARD` leads to a chain. */
function leadsTo(rules: string, chain: string): boolean {
  return new RegExp(`^-A FORWARD .*-j ${chain}$`, "m").test(rules);
}

async function hasRule(program: string, rule: readonly string[]): Promise<boolean> {
  return (await runAtBridges(program, ["--wait", "--check", ...rule], { accept: [0, 1] })).code === 0;
}
