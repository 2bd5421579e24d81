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
