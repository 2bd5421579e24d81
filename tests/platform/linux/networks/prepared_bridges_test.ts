import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { runOk } from "../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

Deno.test({
  name: "PreparedBridges.keepRules() notes a bridge before its rules, or a server that is killed then would leave them",
  ignore,
}, async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const module = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href);
  const program = `
    import { Locks } from ${module("lib/engine/store/locks.ts")};
    import { LinkHelper } from ${module("lib/platform/linux/networks/links/link_helper.ts")};
    import { PreparedBridges } from ${module("lib/platform/linux/networks/prepared_bridges.ts")};
    import { Subnets } from ${module("lib/platform/linux/networks/subnets.ts")};
    import { anyPlace } from ${module("tests/fixtures/engine/any_place.ts")};
    const folder = Deno.args[0];
    const subnets = new Subnets(folder, folder + "/shared");
    const place = await subnets.reserve([], anyPlace);
    const before = await subnets.isMade(place.interface);
    const helper = new LinkHelper();
    const prepared = new PreparedBridges(subnets, helper, new Locks(), console.error, folder + "/lock");
    await prepared.keepRules({ name: "n", internal: false, options: {}, driver: "bridge", ...place });
    const { stdout } = await new Deno.Command("nft", { args: ["list", "ruleset"] }).output();
    const hasRules = new TextDecoder().decode(stdout).includes('"' + place.interface + '"');
    console.log(JSON.stringify({ before, hasRules, after: await subnets.isMade(place.interface) }));
    await helper.close();`;
  try {
    await Deno.writeTextFile(join(folder, "program.ts"), program);
    const args = ["run", "-A", "--no-check", "--quiet", join(folder, "program.ts"), folder];
    const found = JSON.parse(await runOk(["unshare", "--net", Deno.execPath(), ...args]));
    assertEquals(found, { before: false, hasRules: true, after: true });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
