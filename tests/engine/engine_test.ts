import { assertEquals, assertRejects } from "@std/assert";
import { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Ports } from "../../lib/engine/ports/ports.ts";
import { parseRegistriesConf } from "../../lib/oci/registry/registries_conf.ts";
import { hostClock } from "../../lib/platform/clock.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { FileBlobs } from "../../lib/platform/storage/file_blobs.ts";
import { MemoryBlobs } from "../../lib/platform/storage/memory_blobs.ts";
import { MemoryStore } from "../../lib/platform/storage/memory_store.ts";
import { hostNet } from "../../lib/platform/net.ts";
import { hostRandom } from "../../lib/platform/random.ts";
import { SQLiteStore } from "../../lib/platform/storage/sqlite_store.ts";
import { FaultyRegistry } from "../fixtures/images/faulty_registry.ts";
import { sampleImage } from "../fixtures/images/host_rig.ts";

function edgePorts(): Ports {
  return {
    store: new MemoryStore(),
    blobs: new MemoryBlobs(hostCodec()),
    net: hostNet(),
    codec: hostCodec(),
    clock: hostClock(),
    random: hostRandom(),
    host: { unavailable: "No kernel at this edge" },
  };
}

Deno.test("Engine.open() without a host pulls and lists images, and says why it runs nothing", async () => {
  await using registry = new FaultyRegistry();
  const engine = await Engine.open(edgePorts(), { registries: parseRegistriesConf(registry.registries), name: "edge" });
  const image = sampleImage([1000]);
  await Array.fromAsync(engine.images.pull(registry.add("app:1", image)));
  assertEquals(engine.images.list().map(({ id }) => id), [image.id]);
  const info = await engine.info();
  assertEquals([info.name, info.images, info.host, info.unavailable], ["edge", 1, undefined, "No kernel at this edge"]);
  assertEquals(info.containers, { total: 0, running: 0, paused: 0, stopped: 0 });
  const error = await assertRejects(() => engine.containers.start("x"), EngineError);
  assertEquals(["no_such_container", "unsupported"].includes(error.code), true);
  await engine.close();
});

Deno.test("Engine.open() finds again what an earlier one kept", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    await using registry = new FaultyRegistry();
    const options = { registries: parseRegistriesConf(registry.registries) };
    const ports = async (): Promise<Ports> => ({
      ...edgePorts(),
      store: await SQLiteStore.open(`${folder}/gantry.db`),
      blobs: await FileBlobs.open(`${folder}/blobs`),
    });
    const first = await Engine.open(await ports(), options);
    const image = sampleImage([1000]);
    const name = registry.add("app:1", image);
    await Array.fromAsync(first.images.pull(name));
    await first.images.tag(name, "mine", "2");
    await first.close();

    const second = await Engine.open(await ports(), options);
    assertEquals(second.images.resolve("mine:2").names, ["localhost/mine:2", name]);
    const events = await Array.fromAsync(second.events.list({ follow: false }));
    assertEquals(events.map(({ action }) => action), ["pull", "tag"]);
    await second.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Engine.close() stops pulls and waits until they have cleaned up", async () => {
  await using registry = new FaultyRegistry();
  const ports = edgePorts();
  const engine = await Engine.open(ports, { registries: parseRegistriesConf(registry.registries) });
  const image = sampleImage([1000, 2000]);
  const name = registry.add("app:1", image);
  const [asked, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  registry.fault = async ({ what }) => {
    if (what === image.layers[1].digest) {
      asked.resolve();
      await leave.promise;
    }
    return undefined;
  };
  const pull = assertRejects(() => Array.fromAsync(engine.images.pull(name)), EngineError);
  await asked.promise;
  await engine.close();
  assertEquals((await pull).code, "cancelled");
  assertEquals(await Array.fromAsync(ports.blobs.list()), []);
  leave.resolve();
});
