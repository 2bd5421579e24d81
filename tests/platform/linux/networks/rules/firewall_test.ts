import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { runOk } from "../../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
const WORLD = fileURLToPath(new URL("../../../../fixtures/platform/firewall_world.ts", import.meta.url));

Deno.test({
  name:
    "The firewall lets containers out with the host's address, keeps networks apart, and is made again after it was loaded anew",
  ignore,
}, async () => {
  const found = JSON.parse(
    await runOk(["unshare", "--net", Deno.execPath(), "run", "-A", "--no-check", "--quiet", WORLD]),
  );
  const host = "198.51.100.1";
  assertEquals(found, {
    // Of the networks usual, internal, isolated and strict.
    world: [host, "", host, host],
    neighbour: "10.82.0.3",
    // To another usual network, an internal, an isolated and a strict one; the host's address is that of the other bridge.
    usual: ["10.81.0.1", "", "10.83.0.1", ""],
    // To a usual network, and to one that is kept apart as well.
    apart: ["10.80.0.1", ""],
    // Of usual, internal, isolated and strict: to a port of the host's that is published from another isolated one.
    published: ["10.84.0.1", "", "10.84.0.1", ""],
    flushed: "",
    again: host,
    onceMore: host,
    left: null,
  });
});
