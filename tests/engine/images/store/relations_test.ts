import { assertEquals, assertRejects } from "@std/assert";
import type { ImageRecord } from "../../../../lib/engine/records/image_record.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { relationsOf } from "../../../fixtures/images/relations.ts";
import { sampleImage } from "../../../fixtures/images/host_rig.ts";
import { openImages, pullID, type Rig } from "../../../fixtures/images/rig.ts";

/** An image of layers (a letter each) and steps (a letter each; capitals make no layer). */
function image(id: string, layers: string, steps: string, names: string[] = []): ImageRecord {
  return {
    id: id.padEnd(64, "0"),
    digest: `sha256:${id.padEnd(64, "d")}`,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    repoDigests: [],
    names,
    history: [],
    pulledAt: new Date(0).toISOString(),
    layers: [...layers].map((letter) => ({
      digest: `sha256:${letter}`,
      size: 1,
      mediaType: "",
      diffID: `sha256:${letter}`,
    })),
    size: layers.length,
    config: {
      architecture: "amd64",
      os: "linux",
      rootfs: { type: "layers", diff_ids: [...layers].map((letter) => `sha256:${letter}`) },
      history: [...steps].map((letter) => ({ created_by: letter, ...letter < "a" ? { empty_layer: true } : {} })),
    },
    annotations: {},
  };
}

const IMAGES = [
  image("1", "a", "a", ["base:1"]),
  image("2", "ab", "ab"),
  image("3", "ab", "abC"),
  image("4", "abd", "abCd", ["top:1"]),
  // Other steps on the same layers, and another base.
  image("5", "abd", "abXd"),
  image("6", "", "E"),
  image("7", "", "EF"),
  image("8", "z", "z"),
];

Deno.test("Relations find what an image was built on", () => {
  const relations = relationsOf(IMAGES);
  const parents = IMAGES.map((image) => relations.parentOf(image)?.id[0] ?? "-").join("");
  assertEquals(parents, "-123--6-");
  assertEquals(IMAGES.filter((image) => relations.isDangling(image)).map(({ id }) => id[0]).join(""), "578");
  assertEquals(IMAGES.filter((image) => relations.isIntermediate(image)).map(({ id }) => id[0]).join(""), "236");
});

Deno.test("Relations look at no image that has nothing to do with the one that is asked for", () => {
  let looks = 0;
  const others = Array.from({ length: 1000 }, (_, number): ImageRecord => {
    const other = image(`z${number}`, "z", "z");
    return {
      ...other,
      get config() {
        looks++;
        return other.config;
      },
    };
  });
  const relations = relationsOf([...IMAGES, ...others]);
  const noted = looks;
  assertEquals(relations.parentOf(IMAGES[3])?.id, IMAGES[2].id);
  assertEquals(relations.hasChildren(IMAGES[2]), true);
  assertEquals(relations.isDangling(IMAGES[4]), true);
  assertEquals(looks, noted);
});

Deno.test("Relations look at few of the images that were built again and again with other words about the same layers", () => {
  const count = 100;
  // At times of their own, and all as of one time, by which nothing tells them apart before their steps are compared.
  for (const [seconds, most] of [[1, 12 * count], [0, 6 * count * count]]) {
    let looks = 0;
    const built = Array.from({ length: count }, (_, number) => {
      const steps = ["a", `ENV BUILD=${number + count}`, "LABEL of=it"].map((created_by, step) => ({
        created_by,
        created: new Date((step * count + number) * seconds * 1000).toISOString(),
        empty_layer: step > 0,
      }));
      return [2, 3].map((length): ImageRecord => {
        const made = image(`${number}-${length}`, "a", "", length === 3 ? [`made:${number}`] : []);
        const config = { ...made.config, history: steps.slice(0, length) };
        return {
          ...made,
          get config() {
            looks++;
            return config;
          },
        };
      });
    }).flat();
    const relations = relationsOf(built);
    looks = 0;
    assertEquals(built.filter((image) => relations.isIntermediate(image)).length, count);
    assertEquals(looks <= most, true, `${looks} looks at ${2 * count} images`);
  }
});

async function rigOf(images: readonly ImageRecord[]): Promise<Rig> {
  const rig = await openImages();
  const table = rig.core.state.table<ImageRecord>("images");
  await rig.core.state.commit(images.map((image) => table.put(image.id, image)));
  return rig;
}

const left = (rig: Rig) => rig.images.list().map(({ id }) => id[0]).sort().join("");

Deno.test("Images.remove() takes nameless parents along, unless told to keep them", async () => {
  const rig = await rigOf(IMAGES);
  const { deleted } = await rig.images.remove("top:1");
  assertEquals(deleted.map((id) => id[0]), ["4", "3", "2"]);
  assertEquals(left(rig), "15678");
  const kept = await rigOf(IMAGES);
  await kept.images.remove("top:1", { noPrune: true });
  assertEquals(left(kept), "1235678");
  // What others were built on is not told as deleted: they go on holding its content.
  assertEquals((await kept.images.remove(IMAGES[1].id)).deleted, []);
  assertEquals(left(kept), "135678");
});

Deno.test("Images.removeMany() looks all up before it removes any, and tells what went wrong", async () => {
  const rig = await rigOf(IMAGES);
  rig.images.users = { of: (id) => id === IMAGES[7].id ? [{ id: "box" }] : [], remove: () => Promise.resolve() };
  await rig.images.tag("top:1", "again");
  const report = await rig.images.removeMany(["top:1", "again", IMAGES[3].id, "nowhere", IMAGES[7].id, IMAGES[2].id]);
  assertEquals(report.errors.map(({ code }) => code), ["no_such_image", "in_use"]);
  assertEquals(report.deleted.map((id) => id[0]), ["4", "3", "2"]);
  assertEquals(
    report.untagged,
    ["localhost/top:1", "localhost/again:latest"].map((name) => name.replace("localhost/top", "top")),
  );
  assertEquals((await rig.images.removeMany(["nowhere"], { ignore: true })).errors, []);
  const all = await rig.images.removeAll();
  assertEquals([all.errors.map(({ code }) => code), left(rig)], [["in_use"], "8"]);
});

Deno.test("Images.remove() of manifest lists alone refuses images", async () => {
  const rig = await rigOf([...IMAGES, { ...image("9", "", "", ["list:1"]), list: { entries: [], annotations: {} } }]);
  const error = await rig.images.remove("top:1", { onlyLists: true }).catch((error) => error);
  assertEquals([error.code, error.message], ["state", "top:1: image is not a manifest list"]);
  const report = await rig.images.removeMany(["list:1", "base:1"], { onlyLists: true });
  assertEquals([report.untagged, report.errors.map(({ code }) => code)], [["list:1"], ["state"]]);
});

Deno.test("Images.remove() with force keeps what runs where that is asked for", async () => {
  const rig = await rigOf(IMAGES);
  const removed: string[] = [];
  let running = true;
  rig.images.users = {
    of: (id) => id === IMAGES[7].id && removed.length === 0 ? [{ id: "box", running }] : [],
    remove: (id) => Promise.resolve(void removed.push(id)),
  };
  const options = { force: true, keepRunning: true };
  const error = await rig.images.remove(IMAGES[7].id, options).catch((error) => error);
  assertEquals([error.code, removed], ["in_use", []]);
  running = false;
  await rig.images.remove(IMAGES[7].id, options);
  assertEquals([removed, left(rig)], [["box"], "1234567"]);
});

Deno.test("Images.prune() goes on until nothing fits, and keeps what is used", async () => {
  const rig = await rigOf(IMAGES);
  rig.images.users = { of: (id) => id === IMAGES[7].id ? [{ id: "box" }] : [], remove: () => Promise.resolve() };
  const dangling = (images: readonly ImageRecord[]) => {
    const relations = relationsOf(images);
    return images.filter((image) => relations.isDangling(image));
  };
  const pruned = await rig.images.prune(dangling);
  // The size is what the store loses: another image goes on having the layers of the first.
  assertEquals(pruned.map(({ id, size }) => [id[0], size]), [["5", 0], ["7", 0], ["6", 0]]);
  assertEquals(left(rig), "12348");
  const rest = await rig.images.prune((images) => images);
  assertEquals(rest.map(({ id }) => id[0]).sort().join(""), "1234");
  assertEquals(rest.reduce((sum, { size }) => sum + size, 0), 3, "each layer of a, b and d once");
});

Deno.test("Images.prune() throws away parts of transfers that were cut (they stayed a week), but for what is fetched", async () => {
  const image = sampleImage();
  const [{ digest }] = image.layers;
  await using registry = new FaultyRegistry();
  const name = registry.add("cut:1", image);
  const rig = await openImages({ registries: registry.registries });
  const other = `sha256:${"5".repeat(64)}`;
  for (const cut of [digest, other]) {
    const bytes = image.blobs.get(digest)?.slice(0, 10) ?? new Uint8Array(0);
    const pieces = [bytes];
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.pop();
        if (piece) controller.enqueue(piece);
        else controller.error(new Error("cut"));
      },
    });
    await assertRejects(() => rig.blobs.put(source, { digest: cut }), Error, "cut");
  }
  assertEquals((await rig.blobs.listStaged()).sort(), [digest, other].sort());
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  registry.fault = async ({ what }) => {
    if (what !== digest) return undefined;
    asked.resolve();
    await released.promise;
    return undefined;
  };
  const pulled = pullID(rig.images, name);
  await asked.promise;
  await rig.images.prune(() => []);
  assertEquals(await rig.blobs.listStaged(), [digest]);
  released.resolve();
  assertEquals(await pulled, image.id);
});
