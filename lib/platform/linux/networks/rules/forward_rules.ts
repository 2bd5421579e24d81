/**
 * The rules of iptables by which containers reach the world, and are reached, on a host that forwards nothing by default, as one with
 * Docker does: what our own table accepts is dropped there afterwards, since a packet has to pass both.
 *
 * @module
 */
import { Locks } from "../../../../engine/store/locks.ts";
import { addressAt, parseSubnet } from "../../../../engine/text/ip.ts";
import { runAtBridges } from "../bridge_command.ts";

/** Our own chain. Servers of earlier versions wrote a rule for published ports into netavark's, too. */
export const OWN_CHAIN = "GANTRY_FORWARD";
const NETAVARK = "NETAVARK_FORWARD";
/** The rule that leads to our own chain. */
const WAY = `FORWARD -j ${OWN_CHAIN}`;

/** Changes of one family's rules come one after the other: rules are looked for before they are written. */
const turns = new Locks();
/** How often a change is tried where another server's came between the look and the change. */
const TRIES = 10;

/**
 * Lets containers of these subnets reach the world, and connections to published ports reach them. Where there is no iptables, it
 * forbids nothing either.
 */
export async function allowForwarding(subnets: readonly string[]): Promise<void> {
  await forFamilies(subnets, async (program, its) => {
    const rules = new Set(await listRules(program));
    if (rules.size === 0) return;
    const missing = its.flatMap(rulesOf).filter((rule) => !rules.has(`-A ${OWN_CHAIN} ${rule}`));
    const lines = [
      // Not by a line for a chain, which empties one that another server has made meanwhile.
      ...rules.has(`-N ${OWN_CHAIN}`) ? [] : [`-N ${OWN_CHAIN}`],
      ...rules.has(`-A ${WAY}`) ? [] : [`-I ${WAY}`],
      ...missing.map((rule) => `-A ${OWN_CHAIN} ${rule}`),
    ];
    await restoreRules(program, lines);
  });
}

/** Takes the rules of these subnets away, and our own chain with the last of them. */
export async function forbidForwarding(subnets: readonly string[]): Promise<void> {
  await forFamilies(subnets, async (program, its) => {
    const isLast = await takeRulesAway(program, its);
    // Two servers that each see the other's last rules would leave the chain to one another: who takes some away looks once more.
    if (!isLast) await takeRulesAway(program, its);
  });
}

/** Gives whether there is nothing left of our own chain. */
async function takeRulesAway(program: string, subnets: readonly string[]): Promise<boolean> {
  const lines = await listRules(program);
  if (lines === undefined) return true;
  const own = subnets.flatMap(rulesOf);
  const ours = new Set([
    ...own.map((rule) => `-A ${OWN_CHAIN} ${rule}`),
    ...own.filter((rule) => rule.includes("--ctstate DNAT ")).map((rule) => `-A ${NETAVARK} ${rule}`),
  ]);
  // Each as often as it is there: a listing amid another server's change lacks rules, which are then written a second time.
  const found = lines.filter((line) => ours.has(line));
  const left = lines.some((line) => line.startsWith(`-A ${OWN_CHAIN} `) && !ours.has(line));
  const isLast = lines.includes(`-N ${OWN_CHAIN}`) && !left;
  if (isLast) found.push(...lines.filter((line) => line === `-A ${WAY}`));
  await restoreRules(program, [
    ...found.map((line) => line.replace("-A", "-D")),
    ...isLast ? [`-X ${OWN_CHAIN}`] : [],
  ]);
  return !left;
}

/** The rules of a subnet, as iptables prints them. */
function rulesOf(text: string): string[] {
  const subnet = parseSubnet(text);
  const canonical = `${addressAt(subnet, 0)}/${subnet.prefix}`;
  return [
    `-d ${canonical} -m conntrack --ctstate DNAT -j ACCEPT`,
    `-d ${canonical} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
    `-s ${canonical} -j ACCEPT`,
  ];
}

async function forFamilies(
  subnets: readonly string[],
  work: (program: string, subnets: readonly string[]) => Promise<void>,
): Promise<void> {
  const families = Map.groupBy(subnets, (subnet) => subnet.includes(":") ? "ip6tables" : "iptables");
  await Promise.all(
    [...families].map(([program, its]) => turns.with(program, () => tryAgain(() => work(program, its)))),
  );
}

/** Works again where it fails: all that is changed in one go is refused when what was seen is no longer so. */
async function tryAgain(work: () => Promise<void>): Promise<void> {
  for (let left = TRIES; left > 1; left--) {
    try {
      return await work();
    } catch {
      // Another server's change; a failure that stays is thrown by the last try.
    }
  }
  await work();
}

/** All rules of the table `filter`, as iptables prints them; undefined where there is no iptables, or no such table. */
async function listRules(program: string): Promise<string[] | undefined> {
  const listing = runAtBridges(program, ["--wait", "--list-rules"]);
  return await listing.then(({ stdout }) => stdout.split("\n"), () => undefined);
}

/** Changes the table `filter` in one go, all or nothing. */
async function restoreRules(program: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const stdin = `*filter\n${lines.join("\n")}\nCOMMIT\n`;
  await runAtBridges(`${program}-restore`, ["--wait", "--noflush"], { stdin });
}
