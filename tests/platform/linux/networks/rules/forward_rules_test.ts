import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { runOk } from "../../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
const WORLD = fileURLToPath(new URL("../../../../fixtures/platform/forward_world.ts", import.meta.url));

/** The rules of one subnet in the chain that is ours. */
function ownRules(subnet: string): string[] {
  return [
    `-A GANTRY_FORWARD -d ${subnet} -m conntrack --ctstate DNAT -j ACCEPT`,
    `-A GANTRY_FORWARD -d ${subnet} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
    `-A GANTRY_FORWARD -s ${subnet} -j ACCEPT`,
  ];
}

Deno.test({
  name: "allowForwarding() lets containers reach the world on a host that forwards nothing, beside netavark's rules",
  ignore,
}, async () => {
  const found = JSON.parse(
    await runOk(["unshare", "--net", Deno.execPath(), "run", "-A", "--no-check", "--quiet", WORLD]),
  );
  const untouched = ["-P FORWARD ACCEPT", "-P FORWARD ACCEPT"];
  const own = ["-P FORWARD ACCEPT", "-N GANTRY_FORWARD", "-A FORWARD -j GANTRY_FORWARD"];
  const sixth = [...own, ...ownRules("fd70::/64")];
  const older = "-A NETAVARK_FORWARD -d 10.70.0.0/24 -m conntrack --ctstate DNAT -j ACCEPT";
  const beside = (subnet: string, left: string[]) => [
    "-P FORWARD ACCEPT",
    "-N GANTRY_FORWARD",
    "-N NETAVARK_FORWARD",
    "-A FORWARD -j GANTRY_FORWARD",
    "-A FORWARD -m comment --comment netavark -j NETAVARK_FORWARD",
    ...ownRules(subnet),
    ...left,
  ];
  const theirs = [
    "-P FORWARD ACCEPT",
    "-N NETAVARK_FORWARD",
    "-A FORWARD -m comment --comment netavark -j NETAVARK_FORWARD",
  ];
  assertEquals(found, {
    untouched,
    alone: [...own, ...ownRules("10.70.0.0/24"), ...ownRules("10.71.0.0/24"), ...sixth],
    oneLess: [...own, ...ownRules("10.70.0.0/24"), ...sixth],
    gone: untouched,
    beside: [...beside("10.70.0.0/24", [older]), ...beside("fd70::/64", [])],
    emptied: [...theirs, ...theirs],
  });
});

Deno.test({
  name: "servers that change rules at once lose none of another's, and leave nothing",
  ignore,
}, async () => {
  const rules = new URL("../../../../../lib/platform/linux/networks/rules/forward_rules.ts", import.meta.url).href;
  const program = `
    import { allowForwarding, forbidForwarding } from ${JSON.stringify(rules)};
    const subnets = [\`10.69.\${Deno.args[0]}.0/24\`];
    for (let i = 0; i < 15; i++) {
      await allowForwarding(subnets);
      const { stdout } = await new Deno.Command("iptables", { args: ["--wait", "--list-rules"] }).output();
      const own = new TextDecoder().decode(stdout).split("\\n").filter((line) => line.includes(subnets[0]));
      if (own.length !== 3) throw new Error("a rule is gone");
      await forbidForwarding(subnets);
    }`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, program);
    // All in one network of their own.
    const script = 'for i in 1 2 3; do "$0" run -A --no-check --quiet "$1" $i & all="$all $!"; done; ' +
      "for each in $all; do wait $each || exit 1; done; iptables --list-rules";
    const args = ["--net", "sh", "-c", script, Deno.execPath(), file];
    const { success, stdout, stderr } = await new Deno.Command("unshare", { args }).output();
    assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
    assertEquals(new TextDecoder().decode(stdout), "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n");
  } finally {
    await Deno.remove(file);
  }
});
