import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { Layers } from "../../../../lib/engine/ports/host_port.ts";
import { zstdCompressSync } from "node:zlib";
import { buildImage, buildIndex, pushImage, sha256 } from "../../../fixtures/images/image_builder.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { startRegistry } from "../../../fixtures/images/registry.ts";
import { assertNothing } from "../../../fixtures/images/assert_nothing.ts";
import { cut, FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, neededBlobs, openImages, pullAll, pullID } from "../../../fixtures/images/rig.ts";

Deno.test("Images.pull() takes an image from a real registry, unpacks it and finds it again", async () => {
  const registry = await startRegistry();
  try {
    const image = sampleImage();
    await pushImage(registry.url, "team/app:1", image);
    await using rig = await openOnHost({ registries: registry.registriesConf });
    const told = await pullAll(rig.images, `${registry.host}/team/app:1`);
    assertEquals(told.at(-1), { kind: "done", ids: [image.id] });
    assertEquals(told[0], { kind: "status", text: `Trying to pull ${registry.host}/team/app:1...` });
    const record = rig.images.resolve("team/app:1");
    assertEquals(record.names, [`${registry.host}/team/app:1`]);
    assertEquals(record.repoDigests, [`${registry.host}/team/app@${image.digest}`]);
    assertEquals(record.layers.map(({ diffID }) => diffID), image.layers.map(({ diffID }) => diffID));
    assertEquals(record.config.config?.Cmd, ["/file0"]);
    assertEquals(record.size, image.layers.reduce((sum, { tar }) => sum + tar.length, 0));
    assertEquals((await rig.layers.list()).sort(), image.layers.map(({ diffID }) => diffID).sort());
    assertEquals(await blobsOf(rig.blobs), [...image.blobs.keys(), image.digest].sort());
    const hex = image.layers[1].diffID.slice(7);
    assertEquals(await Deno.readFile(`${rig.folder}/root/layers/${hex}/diff/file1`), noise(200_000, 2));

    const again = await rig.reopen();
    assertEquals(again.images.resolve("team/app:1").size, record.size);
    assertEquals((await again.images.remove("team/app:1")).deleted, [image.id]);
    assertEquals([await blobsOf(again.blobs), await rig.layers.list()], [[], []]);
    const events = await Array.fromAsync(rig.core.events.list({ follow: false }));
    assertEquals(events.map(({ action, id, name }) => [action, id, name]), [
      ["pull", image.id, `${registry.host}/team/app:1`],
    ]);
  } finally {
    await registry.close();
  }
});

Deno.test("Images.pull() of what is there already fetches no blob", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const image = sampleImage();
  const name = registry.add("app:1", image);
  const other = registry.add("copy:2", image);
  await pullID(rig.images, name);
  assertEquals(registry.takeBlobs().length, 4);
  const told = await pullAll(rig.images, other);
  const states = told.flatMap((progress) => progress.kind === "layer" ? [progress.state] : []);
  assertEquals([...new Set(states)], ["waiting", "exists"]);
  assertEquals(registry.takeBlobs(), []);
  const [record, ...rest] = rig.images.list();
  assertEquals([record.names, record.repoDigests.length, rest], [[other, name], 2, []]);

  // An image that shares layers fetches only its own.
  const third = registry.add("third:1", sampleImage([3000, 200_000], { extra: "more" }));
  await pullID(rig.images, third);
  assertEquals(registry.takeBlobs().length, 2);
  // What was unpacked before is as large as it was.
  const shared = rig.images.resolve(third).layers.map(({ diffID }) => rig.images.layerSize(diffID)!);
  assertEquals(shared.slice(0, 2), image.layers.slice(0, 2).map(({ tar }) => tar.length));
  assertEquals(rig.images.resolve(third).size, shared.reduce((sum, size) => sum + size));
  await rig.images.remove(name);
  await rig.images.remove(other);
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  assertEquals((await rig.layers.list()).length, 3);
});

Deno.test("Images.pull() chooses from an index, by digest too, and keeps both digests", async () => {
  await using registry = new FaultyRegistry();
  const rig = await openImages({ registries: registry.registries });
  const layer = { entries: [{ type: "file" as const, path: "x", content: "x" }] };
  const amd = buildImage({ layers: [layer], architecture: "amd64" });
  const arm = buildImage({ layers: [layer], architecture: "arm64", format: "docker" });
  const index = buildIndex([arm, amd]);
  const name = registry.add("multi:1", index);
  assertEquals(await pullID(rig.images, name), amd.id);
  const record = rig.images.resolve(name);
  const repository = `${registry.host}/multi`;
  assertEquals([record.digest, record.repoDigests], [
    amd.digest,
    [`${repository}@${amd.digest}`, `${repository}@${index.digest}`],
  ]);
  for (const digest of [amd.digest, index.digest]) {
    assertEquals(rig.images.resolve(`multi@${digest}`).id, amd.id);
    assertEquals(await pullID(rig.images, `${repository}@${digest}`), amd.id);
  }
  assertEquals(await pullID(rig.images, name, { platform: { architecture: "arm64" } }), arm.id);
  assertEquals(rig.images.resolve(name).id, arm.id);
  const error = await assertRejects(
    () => pullID(rig.images, name, { platform: { architecture: "riscv64" } }),
    EngineError,
  );
  assertStringIncludes(error.message, "no image found in manifest list for architecture");
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  // On the edge the size is that of the blobs.
  assertEquals(record.size, record.layers.reduce((sum, { size }) => sum + size, 0));
});

Deno.test("Images.pull() unpacks gzip, zstd and plain layers, whatever their media type says", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const tars = ["gzip", "zstd", "plain"].map((path) => buildTar([{ type: "file", path, content: noise(5000) }]));
  const image = buildImage({
    layers: [{ tar: tars[0] }, { tar: new Uint8Array(zstdCompressSync(tars[1])), gzip: false }, {
      tar: tars[2],
      gzip: false,
    }],
    format: "docker",
    architecture: "amd64",
    alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: tars.map(sha256) } }),
  });
  await pullID(rig.images, registry.add("app:1", image));
  assertEquals((await rig.layers.list()).sort(), tars.map(sha256).sort());
  assertEquals((await Deno.stat(`${rig.folder}/root/layers/${sha256(tars[1]).slice(7)}/diff/zstd`)).size, 5000);
});

Deno.test("Images.pull() keeps to its policy", async () => {
  await using registry = new FaultyRegistry();
  const rig = await openImages({ registries: registry.registries });
  const [old, fresh] = [sampleImage([10]), sampleImage([20])];
  const name = registry.add("app:1", old);
  const never = await assertRejects(() => pullID(rig.images, name, { policy: "never" }), EngineError);
  assertEquals(never.code, "no_such_image");
  assertEquals(await pullID(rig.images, name, { policy: "missing" }), old.id);
  registry.add("app:1", fresh);
  registry.asked.length = 0;
  assertEquals(await pullID(rig.images, "app:1", { policy: "missing" }), old.id);
  assertEquals(await pullID(rig.images, old.id, { policy: "never" }), old.id);
  assertEquals(registry.asked, []);
  assertEquals(await pullID(rig.images, name, { policy: "newer" }), fresh.id);
  assertEquals(await pullID(rig.images, name, { policy: "newer" }), fresh.id);
  assertEquals(rig.images.resolve(old.id).names, []);
  registry.fault = () => new Response("Gone fishing", { status: 403 });
  assertEquals(await pullID(rig.images, name, { policy: "newer" }), fresh.id);
  assertEquals((await assertRejects(() => pullID(rig.images, name), EngineError)).code, "registry");
});

Deno.test("Images.pull() takes short names and all tags", async () => {
  const registry = await startRegistry();
  try {
    const [one, two] = [sampleImage([10]), sampleImage([20])];
    await pushImage(registry.url, "short:one", one);
    await pushImage(registry.url, "short:two", two);
    const rig = await openImages({ registries: registry.registriesConf });
    assertEquals(await pullID(rig.images, "short:one"), one.id);
    assertEquals(await pullID(rig.images, "docker://" + `${registry.host}/short:one`), one.id);
    const last = (await pullAll(rig.images, "short", { allTags: true })).at(-1);
    assertEquals(last?.kind === "done" && last.ids.sort(), [one.id, two.id].sort());
    assertEquals(rig.images.list().length, 2);
  } finally {
    await registry.close();
  }
});

Deno.test("Images.pull() goes on after a cut where it stopped", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const image = sampleImage([400_000, 300]);
  const name = registry.add("app:1", image);
  const [large] = image.layers;
  registry.fault = ({ kind, what, range }, body) => {
    if (kind !== "blob" || what !== large.digest) return;
    // Cut each time, and no server after the first: more than the client's own retries help with.
    return range === null && body ? cut(body, 150_000) : new Response(null, { status: 404 });
  };
  const error = await assertRejects(() => pullID(rig.images, name), EngineError);
  assertEquals(error.code, "registry");
  assertEquals([rig.images.list(), await blobsOf(rig.blobs), await rig.layers.list()], [[], [], []]);
  const staged = await rig.blobs.staged(large.digest);
  assert(staged > 0 && staged <= 150_000, `Expected a part to be staged, got ${staged}`);

  registry.fault = () => undefined;
  registry.takeBlobs();
  const again = await rig.reopen();
  assertEquals(await pullID(again.images, name), image.id);
  // The small layer and the config were whole: they come back without being fetched; the large one goes on.
  assertEquals(registry.takeBlobs().filter(({ what }) => what !== `sha256:${image.id}`), [
    { kind: "blob", what: large.digest, range: `bytes=${staged}-` },
  ]);
  assertEquals((await rig.layers.list()).length, 2);
});

Deno.test("Images.pull() fetches from the start when what was staged is wrong", async () => {
  await using registry = new FaultyRegistry();
  const rig = await openImages({ registries: registry.registries });
  const image = sampleImage([5000]);
  const name = registry.add("app:1", image);
  const [{ digest }] = image.layers;
  const broken = ReadableStream.from((async function* () {
    yield noise(1000, 77);
    await Promise.resolve();
    throw new Error("Cut");
  })());
  await assertRejects(() => rig.blobs.put(broken, { digest }));
  assertEquals(await rig.blobs.staged(digest), 1000);
  assertEquals(await pullID(rig.images, name), image.id);
  assertEquals(registry.takeBlobs().filter(({ what }) => what === digest).map(({ range }) => range), [
    "bytes=1000-",
    null,
  ]);
});

Deno.test("Images.pull() never fetches or unpacks one layer twice at once", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const images = ["a", "b", "c"].map((extra) => sampleImage([100_000, 2000, 3000], { extra }));
  const names = images.map((image, i) => registry.add(`app${i}:1`, image));
  registry.fault = async ({ kind }) => {
    // Slow enough for the pulls to meet.
    if (kind === "blob") await new Promise((resolve) => setTimeout(resolve, 20));
    return undefined;
  };
  const ids = await Promise.all([...names, names[0], names[1]].map((name) => pullID(rig.images, name)));
  assertEquals(new Set(ids), new Set(images.map(({ id }) => id)));
  const layers = registry.takeBlobs().map(({ what }) => what).filter((digest) =>
    !images.some(({ id }) => digest.endsWith(id))
  );
  assertEquals(layers.length, new Set(layers).size);
  assertEquals((await rig.layers.list()).length, 6);
});

Deno.test("Images.pull() fetches the next layer while it unpacks one", async () => {
  await using registry = new FaultyRegistry();
  const image = sampleImage();
  const blobs = () => new Set(registry.asked.filter(({ kind }) => kind === "blob").map(({ what }) => what)).size;
  let seen = 0;
  const layers = {
    has: () => Promise.resolve(false),
    list: () => Promise.resolve([]),
    async apply(_diffID: string, tar: ReadableStream<Uint8Array>) {
      // The config is a blob too. Without what is tested here this one would wait for itself.
      for (let i = 0; seen === 0 && blobs() < 3 && i < 3000; i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      if (seen === 0) seen = blobs();
      for await (const _ of tar);
    },
    remove: () => Promise.resolve(),
    // Images ask nothing else of them.
  } as unknown as Layers;
  const rig = await openImages({ registries: registry.registries, layers, limits: { parallelBlobs: 1 } });
  await pullID(rig.images, registry.add("app:1", image));
  assert(seen >= 3, `${seen} blobs were asked for`);
});

Deno.test("Images.pull() and remove() at once keep what the pull needs", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const [one, two] = ["a", "b"].map((extra) => sampleImage([20_000, 2000], { extra }));
  const names = [registry.add("one:1", one), registry.add("two:1", two)];
  for (let round = 0; round < 10; round++) {
    await pullID(rig.images, names[0]);
    await Promise.all([
      pullID(rig.images, names[1]),
      new Promise((resolve) => setTimeout(resolve, round * 3)).then(() => rig.images.remove(names[0])),
    ]);
    assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
    assertEquals((await neededBlobs(rig)).length, 5);
    assertEquals((await rig.layers.list()).length, 3);
    await rig.images.remove(names[1]);
    assertEquals(await rig.layers.list(), []);
  }
});

Deno.test("Images.pull() stops at its signal and when its reader goes", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const image = sampleImage([100_000]);
  const name = registry.add("app:1", image);
  let release = () => {};
  registry.fault = async ({ kind }) => {
    if (kind === "blob") await new Promise<void>((resolve) => release = resolve);
    return undefined;
  };
  const abort = new AbortController();
  const error = assertRejects(() => pullID(rig.images, name, { signal: abort.signal }), EngineError);
  setTimeout(() => abort.abort(new Error("The client hung up")), 50);
  assertEquals((await error).code, "cancelled");
  release();
  for await (const progress of rig.images.pull(name)) {
    if (progress.kind === "status" && progress.text.startsWith("Copying config")) break;
  }
  release();
  await assertNothing(rig, image.blobs.keys());
});
