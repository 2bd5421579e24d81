import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { hostPeers } from "../../../lib/platform/linux/peers.ts";

Deno.test("hostPeers() reaches addresses and the connections that podman knows, and refuses others", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const file = `${folder}/podman-connections.json`;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response("here"));
  const uri = `tcp://127.0.0.1:${server.addr.port}`;
  const connections = { here: { URI: uri }, far: { URI: "ssh://root@example.com/run/podman.sock" }, odd: {} };
  await Deno.writeTextFile(file, JSON.stringify({ Connection: { Default: "here", Connections: connections } }));
  const peers = hostPeers(file);
  for (const name of [uri, "here"]) {
    using peer = await peers.connect(name);
    assertEquals(await (await peer.fetch(new Request("http://d/"))).text(), "here");
  }
  const code = async (name: string, of = peers) => (await assertRejects(() => of.connect(name), EngineError)).code;
  assertEquals(await Promise.all(["none", "far", "odd", "ssh://x"].map((name) => code(name))), [
    "invalid",
    "unsupported",
    "unsupported",
    "invalid",
  ]);
  assertEquals(await code("here", hostPeers(`${folder}/none`)), "invalid");
  await Deno.writeTextFile(file, "{");
  assertEquals(await code("here"), "internal");
  await Deno.remove(folder, { recursive: true });
});
