import { assert, assertEquals, assertRejects } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { AssembleOptions } from "../../../../lib/engine/images/store/assemble.ts";
import { MEDIA_TYPE } from "../../../../lib/oci/media_type.ts";
import { buildImage, sha256 } from "../../../fixtures/images/image_builder.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { assertNothing } from "../../../fixtures/images/assert_nothing.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, neededBlobs, openImages, pullID } from "../../../fixtures/images/rig.ts";

const CHILD = new URL("../../../fixtures/images/assemble_child.ts", import.meta.url);

function tarOf(path: string, content: Uint8Array | string): Uint8Array {
  return buildTar([{ type: "file", path, content }]);
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes.slice()]).stream();
}

function optionsOf(tars: Uint8Array[], more: Partial<AssembleOptions> = {}): AssembleOptions {
  return {
    layers: tars.map((tar) => ({ tar: streamOf(tar) })),
    config: {
      architecture: "amd64",
      os: "linux",
      created: "2026-01-02T03:04:05Z",
      config: { Cmd: ["/a"] },
      rootfs: { type: "layers", diff_ids: [] },
    },
    history: tars.map((_, i) => ({ created: "2026-01-02T03:04:05Z", created_by: `step ${i}` })),
    format: "oci",
    ...more,
  };
}

async function read(stream: ReadableStream<Uint8Array> | undefined): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function refused(promise: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => promise, EngineError)).code;
}

Deno.test("assembleImage() makes an image of layers and a config, the same each time", async () => {
  const rig = await openImages();
  const tars = [tarOf("a", "one"), tarOf("b", noise(300_000))];
  const image = await rig.images.assemble(optionsOf(tars, { names: ["made:1"] }));
  assertEquals(image.names, ["localhost/made:1"]);
  assertEquals(image.repoDigests, [`localhost/made@${image.digest}`]);
  assertEquals(image.layers.map(({ diffID }) => diffID), tars.map(sha256));
  assertEquals(image.config.rootfs.diff_ids, tars.map(sha256));
  for (const [i, { digest, size, mediaType }] of image.layers.entries()) {
    const blob = await read(await rig.blobs.open(digest));
    assertEquals([sha256(blob), blob.length, mediaType], [digest, size, MEDIA_TYPE.ociLayerGzip]);
    assertEquals(new Uint8Array(gunzipSync(blob)), tars[i]);
  }
  const manifest = JSON.parse(new TextDecoder().decode(await read(await rig.blobs.open(image.digest))));
  assertEquals([manifest.mediaType, manifest.config.digest], [MEDIA_TYPE.ociManifest, `sha256:${image.id}`]);
  assertEquals(rig.images.resolve("made:1").id, image.id);
  const again = await rig.images.assemble(optionsOf(tars, { names: ["made:2"] }));
  assertEquals([again.id, again.digest, again.names], [image.id, image.digest, [
    "localhost/made:2",
    "localhost/made:1",
  ]]);
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
});

Deno.test("assembleImage() puts layers on a base, in Docker's words where asked for", async () => {
  await using registry = new FaultyRegistry();
  const base = sampleImage();
  const rig = await openImages({ registries: registry.registries });
  const id = await pullID(rig.images, registry.add("base:1", base));
  const top = tarOf("top", "top");
  const image = await rig.images.assemble(
    optionsOf([top], { base: id, format: "docker", compression: "none", history: [{ created_by: "top" }] }),
  );
  assertEquals(image.layers.map(({ diffID }) => diffID), [...base.layers.map(({ diffID }) => diffID), sha256(top)]);
  assertEquals(
    image.layers.map(({ mediaType }) => mediaType),
    [...base.layers.map(() => MEDIA_TYPE.dockerLayerGzip), MEDIA_TYPE.dockerLayer],
  );
  assertEquals(image.config.history?.map(({ created_by }) => created_by), ["layer 0", "layer 1", "layer 2", "top"]);
  assertEquals(image.names, []);
  // The base goes; what both have stays.
  await rig.images.remove(id, { force: true });
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  for (const { digest } of image.layers) assert(await rig.blobs.stat(digest));
});

Deno.test("assembleImage() keeps layers in Zstandard out of Docker's manifests", async () => {
  const { zstdCompressSync } = await import("node:zlib");
  await using registry = new FaultyRegistry();
  const tar = tarOf("a", noise(5000));
  const blob = new Uint8Array(zstdCompressSync(tar));
  const base = buildImage({
    layers: [{ tar }],
    architecture: "amd64",
    alterManifest: (manifest) => ({
      ...manifest,
      layers: [{ mediaType: MEDIA_TYPE.ociLayerZstd, digest: sha256(blob), size: blob.length }],
    }),
  });
  base.blobs.set(sha256(blob), blob);
  const rig = await openImages({ registries: registry.registries });
  const id = await pullID(rig.images, registry.add("base:1", base));
  const image = await rig.images.assemble(optionsOf([], { base: id, format: "docker" }));
  assertEquals([image.layers[0].mediaType, image.layers[0].diffID], [MEDIA_TYPE.dockerLayerGzip, sha256(tar)]);
  assertEquals(new Uint8Array(gunzipSync(await read(await rig.blobs.open(image.layers[0].digest)))), tar);
});

Deno.test("assembleImage() unpacks layers on a host, and refuses those that are unsafe", async () => {
  await using rig = await openOnHost();
  const tars = [tarOf("a", "one"), tarOf("b", "two")];
  const image = await rig.images.assemble(optionsOf(tars, { action: "import", names: ["made"] }));
  assertEquals((await rig.layers.list()).sort(), tars.map(sha256).sort());
  assertEquals(image.size, tars[0].length + tars[1].length);
  const [event] = await Array.fromAsync(rig.core.events.list({ follow: false }));
  assertEquals([event.type, event.action, event.id, event.name], ["image", "import", image.id, "made"]);
  await rig.images.remove(image.id, { force: true });

  const climbing = optionsOf([tars[0], tarOf("../out", "")]);
  assertEquals(await refused(rig.images.assemble(climbing)), "corrupt");
  assertEquals(await refused(rig.images.assemble(optionsOf([noise(4000)]))), "corrupt");
  await assertNothing(rig, [sha256(tars[0])]);
});

Deno.test("assembleImage() leaves nothing of what fails, and cancels what it did not read", async () => {
  const rig = await openImages({ limits: { layerBytes: 5000 } });
  const cancelled: number[] = [];
  const endless = (n: number) =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024)),
      cancel: () => void cancelled.push(n),
    });
  const tar = tarOf("a", "one");
  const layers = [streamOf(tar), endless(1), endless(2)].map((tar) => ({ tar }));
  const history = layers.map(() => ({}));
  assertEquals(await refused(rig.images.assemble(optionsOf([], { layers, history }))), "limit");
  assertEquals(cancelled.sort(), [1, 2]);
  for (const compression of ["none", "gzip"] as const) {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut off")) });
    const options = optionsOf([], { layers: [{ tar: broken }], history: [{}], compression });
    const error = await assertRejects(() => rig.images.assemble(options), EngineError);
    assert(error.message.includes("cut off"), error.message);
    assertEquals(error.code, "internal");
  }
  assertEquals(await refused(rig.images.assemble(optionsOf([tar], { base: "nowhere" }))), "no_such_image");
  assertEquals(await refused(rig.images.assemble(optionsOf([tar], { names: ["NO"] }))), "invalid");
  assertEquals(await refused(rig.images.assemble(optionsOf([tar], { signal: AbortSignal.abort() }))), "cancelled");
  await assertNothing(rig, []);
});

Deno.test("Images.close() stops an assembly", async () => {
  const rig = await openImages();
  const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const assembly = rig.images.assemble(optionsOf([], { layers: [{ tar: never }], history: [{}] }));
  const failed = refused(assembly);
  await rig.images.close();
  assertEquals(await failed, "cancelled");
  await assertNothing(rig, []);
});

Deno.test("Images.recover() takes away what a killed assembly left", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--no-config", CHILD.pathname, folder],
    stdout: "piped",
  }).spawn();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) if (text.includes("second")) break;
  child.kill("SIGKILL");
  await child.status;
  await using rig = await openOnHost({ folder });
  assertEquals([rig.images.list(), await blobsOf(rig.blobs), await rig.layers.list()], [[], [], []]);
});
