/** Volumes, networks and events of the client, in both trees, before an engine that pretends. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { engineHandler } from "../../handlers/engine_handler.ts";
import {
  ClientError,
  type ClientErrorCode,
  connectHandler,
  type ContainerDetails,
  type EngineEvent,
  openEngine,
} from "../../lib/client/mod.ts";
import { openPretendEngine } from "../../lib/platform/entries/pretend_engine.ts";
import { buildTar } from "../fixtures/images/tar_builder.ts";

async function codeOf(work: () => Promise<unknown>): Promise<ClientErrorCode> {
  return (await assertRejects(work, ClientError)).code;
}

/** The networks of a container, as the server tells of them. */
function networksOf({ raw }: ContainerDetails): Record<string, unknown> {
  return (raw.NetworkSettings as { Networks: Record<string, unknown> }).Networks;
}

for (const tree of ["libpod", "docker"] as const) {
  const open = async () => {
    const pretence = await openPretendEngine({ images: { tool: () => 0 } });
    return await openEngine(connectHandler(engineHandler(pretence), () => pretence.close()), { tree });
  };

  Deno.test(`volumes are made, listed, looked up and removed (${tree})`, async () => {
    await using engine = await open();
    const before = Date.now() - 1000;
    {
      await using volume = await engine.volumes.create({ name: "data", labels: { app: "shop" } });
      const { name, driver, labels, created } = volume.details;
      assertEquals([name, driver, labels], ["data", "local", { app: "shop" }]);
      assert(created !== undefined && created.getTime() >= before, `${created}`);
      const other = await engine.volumes.create();
      assert(other.name !== "" && other.name !== "data", other.name);
      assertEquals((await engine.volumes.list({ labels: { app: "shop" } })).map(({ name }) => name), ["data"]);
      assertEquals((await engine.volumes.list()).length, 2);
      await using found = await engine.volumes.get("data");
      assertEquals(found.details, volume.details);
      await other.remove();
      await other.remove();
    }
    // That of `get` stays, and that of `create` is gone.
    assertEquals(await engine.volumes.list(), []);
    assertEquals(await codeOf(() => engine.volumes.get("data")), "not_found");
    await engine.volumes.create({ name: "named" });
    const { name: unnamed } = await engine.volumes.create();
    await using _box = await engine.create({ image: "tool", volumes: { "/data": "used" } });
    assertEquals(await engine.volumes.prune(), [unnamed]);
    assertEquals(await engine.volumes.prune({ all: true }), ["named"]);
    assertEquals(await codeOf(async () => await (await engine.volumes.get("used")).remove()), "conflict");
  });

  Deno.test(`a volume's content goes out and in as a tar, where the tree has that (${tree})`, async () => {
    await using engine = await open();
    await using volume = await engine.volumes.create({ name: "data" });
    const tar = () => ReadableStream.from([buildTar([{ type: "file", path: "a", content: "hello" }])]);
    if (tree === "docker") {
      assertEquals(await codeOf(() => volume.import(tar())), "unsupported");
      assertEquals(await codeOf(() => volume.export()), "unsupported");
      return;
    }
    await volume.import(tar());
    const text = await new Response(await volume.export()).text();
    assert(text.includes("hello"), text);
    assertEquals(await codeOf(() => volume.import(new Blob(["this is no tar".repeat(200)]).stream())), "invalid");
  });

  Deno.test(`networks are made, joined, left and removed (${tree})`, async () => {
    await using engine = await open();
    {
      const subnets = [{ subnet: "10.99.0.0/24", gateway: "10.99.0.1" }];
      await using network = await engine.networks.create({ name: "shop", subnets, labels: { app: "shop" } });
      const { details } = network;
      assertEquals([details.name, details.driver, details.internal], ["shop", "bridge", false]);
      assertEquals([details.subnets, details.labels], [subnets, { app: "shop" }]);
      assertEquals((await engine.networks.list({ labels: { app: "shop" } })).map(({ id }) => id), [network.id]);
      assertEquals((await engine.networks.get(network.id)).details, details);
      await using box = await engine.start({ image: "tool", name: "box" });
      const [own] = Object.keys(networksOf(await box.inspect()));
      await network.connect(box, { aliases: ["db"], address: "10.99.0.77" });
      assertEquals(Object.keys(networksOf(await box.inspect())).sort(), [own, "shop"]);
      assertEquals(await codeOf(() => network.remove()), "conflict");
      await network.disconnect("box");
      assertEquals(Object.keys(networksOf(await box.inspect())), [own]);
      assertEquals(await codeOf(() => network.connect("nobody")), "not_found");
    }
    assertEquals(await codeOf(() => engine.networks.get("shop")), "not_found");
    await engine.networks.create({ name: "hidden", internal: true });
    assertEquals((await engine.networks.get("hidden")).details.internal, true);
    assertEquals(await codeOf(() => engine.networks.create({ name: "hidden" })), "conflict");
    assertEquals(await engine.networks.prune(), ["hidden"]);
  });

  Deno.test(`events come as they happen, those asked for, until one leaves (${tree})`, async () => {
    await using engine = await open();
    const since = new Date(Date.now() - 1000);
    const seen: EngineEvent[] = [];
    await using _volume = await engine.volumes.create({ name: "first" });
    const reading = (async () => {
      for await (const event of engine.events({ since, types: ["container"], labels: { app: "shop" } })) {
        seen.push(event);
        if (event.action === "create") break;
      }
    })();
    await using _other = await engine.create({ image: "tool" });
    await using box = await engine.create({ image: "tool", name: "box", labels: { app: "shop" } });
    await reading;
    const [{ type, id, name, time, attributes }] = seen;
    assertEquals([seen.length, type, id, name, attributes.app], [1, "container", box.id, "box", "shop"]);
    assert(time >= since && time.getTime() <= Date.now() + 1000, `${time}`);

    const past: string[] = [];
    for await (const { type, name } of engine.events({ since, until: new Date(), actions: ["create"] })) {
      past.push(`${type} ${name}`);
    }
    assertEquals(past.slice(0, 1), ["volume first"]);
    assertEquals(past.at(-1), "container box");
    const left = new AbortController();
    const aborted = assertRejects(async () => {
      for await (const _ of engine.events({ types: ["pod"], signal: left.signal }));
    });
    left.abort(new Error("enough"));
    assertEquals((await aborted as Error).message, "enough");
  });
}
