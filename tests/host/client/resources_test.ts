/** Volumes, networks and events of the client against a real engine, in both trees. */
import { assertEquals } from "@std/assert";
import { openClient } from "../../../lib/platform/entries/client.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("a volume keeps, a network connects and events tell, in both trees", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  await using puller = await openClient(server.addresses[0]);
  await puller.images.pull(image);
  for (const tree of ["libpod", "docker"] as const) {
    await t.step(tree, async () => {
      await using engine = await openClient(server.addresses[0], { tree });
      const since = new Date();
      await using volume = await engine.volumes.create({ name: `${tree}-data` });
      const volumes = { "/data": volume.name };
      await engine.run(image, ["sh", "-c", "echo kept > /data/a"], { volumes, network: "none" });
      assertEquals((await engine.run(image, ["cat", "/data/a"], { volumes, network: "none" })).stdout, "kept\n");
      if (tree === "libpod") {
        await using copy = await engine.volumes.create();
        await copy.import(await volume.export());
        const own = { volumes: { "/data": copy.name }, network: "none" };
        assertEquals((await engine.run(image, ["cat", "/data/a"], own)).stdout, "kept\n");
      }
      const subnets = [{ subnet: tree === "libpod" ? "10.98.1.0/24" : "10.98.2.0/24" }];
      await using network = await engine.networks.create({ name: `${tree}-shop`, subnets });
      const serve = ["sh", "-c", "while :; do echo hello | nc -l -p 80; done"];
      await using shop = await engine.start({ image, command: serve, network: network.name });
      await network.disconnect(shop);
      await network.connect(shop, { aliases: ["shop"] });
      const asked = await engine.run(image, ["sh", "-c", "until nc shop 80; do sleep 0.1; done"], {
        network: network.name,
        stdin: "",
      });
      assertEquals(asked.stdout, "hello\n");
      const told: string[] = [];
      for await (const event of engine.events({ since, until: new Date(), types: ["volume"], actions: ["create"] })) {
        told.push(event.name ?? event.id);
      }
      assertEquals(told[0], volume.name);
    });
  }
  assertEquals(await puller.list({ all: true }), []);
  assertEquals([await puller.volumes.list(), (await puller.networks.list()).map(({ name }) => name)], [[], ["podman"]]);
});
