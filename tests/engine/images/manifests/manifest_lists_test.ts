import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { PushOptions, PushProgress } from "../../../../lib/engine/images/types.ts";
import { parseManifest } from "../../../../lib/oci/manifest.ts";
import { MEDIA_TYPE } from "../../../../lib/oci/media_type.ts";
import { normaliseReference } from "../../../../lib/oci/reference.ts";
import { buildImage, buildIndex, pushImage } from "../../../fixtures/images/image_builder.ts";
import { startRegistry, type TestRegistry } from "../../../fixtures/images/registry.ts";
import { client } from "../../../fixtures/images/client_setup.ts";
import { blobsOf, neededBlobs, openImages, pullID, type Rig } from "../../../fixtures/images/rig.ts";

const layer = (path: string) => ({ entries: [{ type: "file" as const, path, content: path }] });
const AMD = buildImage({ layers: [layer("amd")], architecture: "amd64" });
const ARM = buildImage({ layers: [layer("arm")], architecture: "arm64", variant: "v8" });
const OLD = buildImage({ layers: [layer("old")], architecture: "s390x", format: "docker" });

/** A registry with an index of two and an image, and an engine that has pulled one of them. */
async function withLists(run: (rig: Rig, registry: TestRegistry, host: string) => Promise<void>): Promise<void> {
  const registry = await startRegistry();
  try {
    await pushImage(registry.url, "src/multi:1", buildIndex([ARM, OLD]));
    await pushImage(registry.url, "src/amd:1", AMD);
    const rig = await openImages({ registries: registry.registriesConf });
    await pullID(rig.images, `${registry.host}/src/amd:1`);
    await run(rig, registry, registry.host);
  } finally {
    await registry.close();
  }
}

async function push(rig: Rig, name: string, options: PushOptions): Promise<string> {
  const told: PushProgress[] = await Array.fromAsync(rig.images.lists.push(name, options));
  const last = told.at(-1);
  assert(last?.kind === "done");
  return last.digest;
}

async function readIndex(registry: TestRegistry, name: string) {
  const { bytes, mediaType, digest } = await client(registry.registriesConf).manifest(
    normaliseReference(`${registry.host}/${name}`),
  );
  const index = parseManifest(bytes, mediaType);
  assert(index.kind === "index");
  return { ...index, digest };
}

Deno.test("ManifestLists makes a list of the store's and a registry's images, and pushes all of it", async () => {
  await withLists(async (rig, registry, host) => {
    const { lists } = rig.images;
    const id = await lists.create("mine", { images: ["src/amd:1"] });
    assertEquals(await lists.add("mine", [`docker://${host}/src/multi:1`], { all: true }), id);
    const { list, names, mediaType } = lists.find(id.slice(0, 12));
    assertEquals([names, mediaType], [["localhost/mine:latest"], MEDIA_TYPE.ociIndex]);
    assertEquals(list.entries.map(({ digest, platform, source }) => [digest, platform?.architecture, source]), [
      [AMD.digest, "amd64", undefined],
      [ARM.digest, "arm64", `${host}/src/multi`],
      [OLD.digest, "s390x", `${host}/src/multi`],
    ]);
    // Of a registry's images nothing is kept.
    assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
    assertEquals(rig.images.resolve("mine").id, AMD.id);

    const digest = await push(rig, "mine", { destination: `${host}/out/list:1`, all: true });
    const index = await readIndex(registry, "out/list:1");
    assertEquals([index.digest, index.manifests.map((entry) => entry.digest)], [
      digest,
      [AMD.digest, ARM.digest, OLD.digest],
    ]);
    const other = await openImages({ registries: registry.registriesConf });
    const arm = { platform: { architecture: "arm64" } };
    assertEquals(await pullID(other.images, `${host}/out/list:1`, arm), ARM.id);
    assertEquals(await pullID(other.images, `${host}/out/list:1`), AMD.id);
  });
});

Deno.test("ManifestLists keeps what a list needs when its image goes, over a restart too", async () => {
  await withLists(async (rig, registry, host) => {
    await rig.images.lists.create("mine", { images: ["src/amd:1"] });
    await rig.images.remove("src/amd:1");
    assertEquals(rig.images.list().map(({ list }) => list?.entries.length), [1]);
    const again = await openImages({ store: rig.store, blobs: rig.blobs, registries: registry.registriesConf });
    await push(again, "mine", { destination: `${host}/kept:1`, all: true });
    assertEquals((await readIndex(registry, "kept:1")).manifests[0].digest, AMD.digest);
    const error = assertThrows(() => again.images.resolve("mine"), EngineError);
    assertEquals(error.code, "no_such_image");
    await again.images.remove("mine");
    assertEquals([again.images.list(), await blobsOf(rig.blobs)], [[], []]);
  });
});

Deno.test("ManifestLists annotates entries and the whole, takes entries out, and writes what the format can say", async () => {
  await withLists(async (rig, registry, host) => {
    const { lists } = rig.images;
    await lists.create("mine");
    assertEquals(lists.find("mine").mediaType, MEDIA_TYPE.dockerList);
    await lists.add("mine", ["src/amd:1"], { entry: { annotations: { a: "b" }, variant: "v2", features: ["sse4"] } });
    await lists.annotateEntry("mine", "src/amd:1", { annotations: { c: "d" }, osVersion: "6" });
    await lists.annotate("mine", { annotations: { all: "of it" }, subject: `docker://${host}/src/multi:1` });
    const { list, annotations } = lists.find("mine");
    assertEquals(annotations, { all: "of it" });
    assertEquals(list.subject?.mediaType, MEDIA_TYPE.ociIndex);
    const [entry] = list.entries;
    assertEquals(entry.annotations, { a: "b", c: "d" });
    assertEquals(entry.platform, {
      os: "linux",
      architecture: "amd64",
      variant: "v2",
      "os.version": "6",
      features: ["sse4"],
    });
    const index = await (async () => {
      await push(rig, "mine", { destination: `${host}/said:1`, all: true });
      return await readIndex(registry, "said:1");
    })();
    assertEquals([index.annotations, index.manifests[0].annotations, index.manifests[0].platform?.features], [
      { all: "of it" },
      { a: "b", c: "d" },
      undefined,
    ]);
    const refused = () => push(rig, "mine", { destination: `${host}/no:1`, format: "docker" });
    assertStringIncludes((await assertRejects(refused, EngineError)).message, "holds no annotations");

    await lists.removeEntry("mine", AMD.digest);
    assertEquals(lists.find("mine").list.entries, []);
    const gone = await assertRejects(() => lists.removeEntry("mine", AMD.digest), EngineError);
    assertStringIncludes(gone.message, "no instance matching digest");
  });
});

Deno.test("ManifestLists converts a whole list to Docker's format, and compresses it", async () => {
  await withLists(async (rig, registry, host) => {
    await rig.images.lists.create("mine", { images: ["src/amd:1", `docker://${host}/src/multi:1`], all: true });
    await push(rig, "mine", { destination: `${host}/docker:1`, all: true, format: "docker" });
    const docker = await readIndex(registry, "docker:1");
    assertEquals([docker.mediaType, ...new Set(docker.manifests.map(({ mediaType }) => mediaType))], [
      MEDIA_TYPE.dockerList,
      MEDIA_TYPE.dockerManifest,
    ]);
    await push(rig, "mine", { destination: `${host}/zstd:1`, all: true, compression: "zstd" });
    const other = await openImages({ registries: registry.registriesConf });
    const s390x = { platform: { architecture: "s390x" } };
    assertEquals(await pullID(other.images, `${host}/zstd:1`, s390x), OLD.id);
    assertEquals(other.images.resolve(OLD.id).layers[0].mediaType, MEDIA_TYPE.ociLayerZstd);
    // Both ways at once: the second entry of a platform is for who can read it.
    const both = { all: true, addCompression: ["zstd", "gzip"] } as const;
    await push(rig, "mine", { destination: `${host}/both:1`, ...both });
    const { manifests } = await readIndex(registry, "both:1");
    const zstd = manifests.filter(({ annotations }) =>
      annotations?.["io.github.containers.compression.zstd"] === "true"
    );
    assertEquals([manifests.length, zstd.length], [6, 3]);
    assertEquals(await pullID(other.images, `${host}/both@${zstd[0].digest}`), AMD.id);
    // And as an image it is the one of this platform.
    for await (const _ of rig.images.push("mine", { destination: `${host}/one:1` }));
    assertEquals(
      (await client(registry.registriesConf).manifest(normaliseReference(`${host}/one:1`))).digest,
      AMD.digest,
    );
  });
});

Deno.test("ManifestLists holds artifacts made of files", async () => {
  await withLists(async (rig, registry, host) => {
    const { lists } = rig.images;
    await lists.create("files");
    async function* files() {
      for (const name of ["a.txt", "b"]) {
        yield await Promise.resolve({ name, mediaType: "text/plain", content: new Blob([`${name}!`]).stream() });
      }
    }
    await lists.addArtifact("files", files(), { annotations: { x: "y" } });
    const [entry] = lists.find("files").list.entries;
    assertEquals([entry.artifactType, entry.files], ["application/vnd.unknown.artifact.v1", ["a.txt", "b"]]);
    await lists.annotateEntry("files", "a.txt", { annotations: { by: "name" } });
    await push(rig, "files", { destination: `${host}/files:1`, all: true });
    const reference = normaliseReference(`${host}/files@${entry.digest}`);
    const reader = client(registry.registriesConf);
    const manifest = parseManifest((await reader.manifest(reference)).bytes);
    assert(manifest.kind === "manifest");
    assertEquals([manifest.config.mediaType, manifest.annotations], [MEDIA_TYPE.ociEmpty, { x: "y" }]);
    assertEquals(manifest.layers.map(({ annotations }) => annotations?.["org.opencontainers.image.title"]), [
      "a.txt",
      "b",
    ]);
    assertEquals(new TextDecoder().decode(await reader.blobBytes(reference, manifest.layers[1])), "b!");
    await rig.images.remove("files");
    assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  });
});

Deno.test("ManifestLists changes nothing when a change fails, and one at a time", async () => {
  await withLists(async (rig, _registry, host) => {
    const { lists } = rig.images;
    const missing = () => lists.create("never", { images: ["src/amd:1", `docker://${host}/src/none:1`] });
    assertEquals((await assertRejects(missing, EngineError)).code, "registry");
    assertEquals([lists.exists("never"), await blobsOf(rig.blobs)], [false, await neededBlobs(rig)]);
    await lists.create("mine");
    assertEquals((await assertRejects(() => lists.create("mine"), EngineError)).code, "name_in_use");
    assertEquals(await lists.create("mine", { amend: true }), lists.find("mine").id);
    const before = lists.find("mine");
    await assertRejects(() => lists.add("mine", ["src/amd:1", "nothing/such:1"]), EngineError);
    assertEquals(lists.find("mine"), before);
    assertEquals((await assertRejects(() => lists.add("src/amd:1", []), EngineError)).code, "no_such_image");
    const large = () => lists.annotate("mine", { annotations: { a: "x".repeat(5 << 20) } });
    assertEquals((await assertRejects(large, EngineError)).code, "limit");
    assertEquals(lists.find("mine"), before);
    await Promise.all([
      lists.add("mine", ["src/amd:1"]),
      lists.add("mine", [`docker://${host}/src/multi:1`], { all: true }),
      lists.annotate("mine", { annotations: { a: "1" } }),
    ]);
    const { list } = lists.find("mine");
    assertEquals([list.entries.length, list.annotations], [3, { a: "1" }]);
  });
});
