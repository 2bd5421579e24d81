import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ContainerRecord } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { blobsOf, neededBlobs, openImages, seed } from "../../../fixtures/images/rig.ts";

Deno.test("Images.remove() by name takes the name while there are others, then the image", async () => {
  const rig = await openImages();
  const { images } = rig;
  const { id } = await seed(rig, "a", ["docker.io/library/x:1", "localhost/y:1"], "pq");
  assertEquals(await images.remove("x:1"), { untagged: ["docker.io/library/x:1"], deleted: [], removed: [] });
  assertEquals(images.resolve(id).names, ["localhost/y:1"]);
  assertEquals(await images.remove("y:1"), { untagged: ["localhost/y:1"], deleted: [id], removed: [{ id, size: 14 }] });
  assertEquals([images.list(), await blobsOf(rig.blobs)], [[], []]);
  const events = await Array.fromAsync(rig.core.events.list({ follow: false }));
  assertEquals(events.map(({ action }) => action), ["untag", "untag", "remove"]);
});

Deno.test("Images.remove() by ID wants force for several names", async () => {
  const rig = await openImages();
  const { images } = rig;
  const { id } = await seed(rig, "a", ["docker.io/library/x:1", "localhost/y:1"]);
  const error = await assertRejects(() => images.remove(id.slice(0, 12)), EngineError, "with more than one tag");
  assertEquals(error.code, "in_use");
  const digest = images.resolve(id).repoDigests[0];
  await assertRejects(() => images.remove(digest), EngineError, "by digest with more than one tag");
  assertEquals((await images.remove(id, { force: true })).untagged.length, 2);
  const dangling = await seed(rig, "b", []);
  assertEquals((await images.remove("b")).deleted, [dangling.id]);
});

Deno.test("Images.remove() tells of an unknown image unless asked to ignore it", async () => {
  const { images } = await openImages();
  await assertRejects(() => images.remove("nothing"), EngineError, "nothing: image not known");
  assertEquals(await images.remove("nothing", { ignore: true }), { untagged: [], deleted: [], removed: [] });
});

Deno.test("Images.remove() refuses an image in use, and with force takes its containers along", async () => {
  const rig = await openImages();
  const { images } = rig;
  const { id } = await seed(rig, "a", ["docker.io/library/x:1"]);
  const containers = new Set(["c1", "c2"]);
  images.users = {
    of: (image) => image === id ? [...containers].map((id) => ({ id })) : [],
    remove: (container) => Promise.resolve(void containers.delete(container)),
  };
  const error = await assertRejects(() => images.remove("x:1"), EngineError, "image used by c1: image is in use");
  assertEquals([error.code, error.sentinel], ["in_use", "image is in use by a container"]);
  assert(images.exists("x:1"));
  assertEquals((await images.remove("x:1", { force: true })).deleted, [id]);
  assertEquals(containers.size, 0);
});

Deno.test("Images.pin() keeps an image that is about to be used", async () => {
  const rig = await openImages();
  const { images } = rig;
  const { id } = await seed(rig, "a", ["docker.io/library/x:1"]);
  {
    using _one = images.pin(id);
    const two = images.pin(id);
    two[Symbol.dispose]();
    two[Symbol.dispose]();
    assertEquals((await assertRejects(() => images.remove(id), EngineError)).code, "in_use");
  }
  const removal = images.remove(id);
  await Promise.resolve();
  await Promise.resolve();
  await removal;
  assertThrows(() => images.pin(id), EngineError, "image not known");
});

Deno.test("Images.remove() deletes only what no other image or container needs", async () => {
  const rig = await openImages();
  const { images, blobs } = rig;
  await seed(rig, "a", ["docker.io/library/a:1"], "pqr");
  const other = await seed(rig, "b", ["docker.io/library/b:1"], "pqs");
  await images.remove("a:1");
  assertEquals(await blobsOf(blobs), await neededBlobs(rig));
  assertEquals((await blobsOf(blobs)).length, 4);
  for (const { digest } of other.layers) assert(await blobs.stat(digest));
  await images.remove("b:1");
  assertEquals(await blobsOf(blobs), []);
});

Deno.test("Images keep to a model of tags and removals: nothing needed goes, nothing unneeded stays", async () => {
  // A linear congruential generator: the same run every time.
  let random = 42;
  const below = (limit: number) => (random = (random * 1103515245 + 12345) % 2 ** 31) % limit;
  const rig = await openImages();
  const { images, blobs } = rig;
  const model = new Map<string, Set<string>>();
  const letters = "pqrstuv";
  for (let step = 0; step < 400; step++) {
    const ids = [...model.keys()];
    const id = ids[below(ids.length || 1)];
    const name = `docker.io/library/n${below(6)}:1`;
    const kind = below(5);
    if (kind === 0 || id === undefined) {
      const layers = [...letters].filter(() => below(2) === 0).join("");
      const record = await seed(rig, step.toString(16).padStart(4, "e"), [], layers);
      model.set(record.id, new Set());
    } else if (kind <= 2) {
      await images.tag(id, name);
      for (const names of model.values()) names.delete(name);
      model.get(id)?.add(name);
    } else {
      const owner = [...model].find(([, names]) => names.has(name));
      const target = kind === 3 && owner ? name : id;
      await images.remove(target, { force: target === id });
      const [ownerID, names] = kind === 3 && owner ? owner : [id, new Set<string>()];
      names.delete(name);
      if (names.size === 0) model.delete(ownerID);
    }
    const names = (list: Iterable<string>) => [...list].sort().join();
    assertEquals(
      images.list().map((image) => `${image.id} ${names(image.names)}`).sort(),
      [...model].map(([id, list]) => `${id} ${names(list)}`).sort(),
    );
    assertEquals(await blobsOf(blobs), await neededBlobs(rig));
  }
});

Deno.test("Images.recover() hides what no record needs, and keeps what containers still need", async () => {
  const rig = await openImages();
  const record = await seed(rig, "a", ["docker.io/library/a:1"], "p");
  const stray = await rig.blobs.put(new Blob(["left by a pull"]).stream());
  await rig.images.recover();
  assertEquals(await rig.blobs.stat(stray.digest), undefined);
  assertEquals(await rig.blobs.staged(stray.digest), stray.size);
  assertEquals((await blobsOf(rig.blobs)).length, 2);

  const layers = new Set(["sha256:used", "sha256:stray", record.layers[0].diffID]);
  const { core } = await openImages({ store: rig.store, blobs: rig.blobs });
  // Only what the sweep asks of a container.
  const container = { id: "c", diffIDs: ["sha256:used"] } as ContainerRecord;
  await core.state.commit([core.state.table<ContainerRecord>("containers").put("c", container)]);
  await openImages({
    store: rig.store,
    blobs: rig.blobs,
    // Only what the sweep calls.
    layers: {
      list: () => Promise.resolve([...layers]),
      remove: (diffID: string) => Promise.resolve(void layers.delete(diffID)),
    } as never,
  });
  assertEquals([...layers], ["sha256:used", record.layers[0].diffID]);
});
