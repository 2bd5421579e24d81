/** A pull and a load refuse the same broken image with the same words: what an image must be does not depend on its source. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { assertNothing } from "../../../fixtures/images/assert_nothing.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { buildImage, type BuiltImage, type ManifestDocument, sha256 } from "../../../fixtures/images/image_builder.ts";
import { pullID } from "../../../fixtures/images/rig.ts";
import { buildTar, type Entry } from "../../../fixtures/images/tar_builder.ts";

const LIMITS = { layerBytes: 5 << 20, layerEntries: 200, manifestBytes: 20_000, layers: 127 };
const FILE: Entry = { type: "file", path: "x", content: "x" };

function altered(alterManifest: (manifest: ManifestDocument) => unknown): BuiltImage {
  return buildImage({ layers: [{ entries: [FILE] }], architecture: "amd64", alterManifest });
}

/** An image whose blob of a layer is not what its digest says. */
function swapped(bytes: (blob: Uint8Array) => Uint8Array): BuiltImage {
  const image = sampleImage([3000]);
  const [{ digest }] = image.layers;
  image.blobs.set(digest, bytes(image.blobs.get(digest)!));
  return image;
}

const BROKEN: Record<string, { image: BuiltImage; code: string; text?: RegExp }> = {
  "a config that is none": {
    image: buildImage({ layers: [], alterConfig: () => [1] }),
    code: "corrupt",
    text: /^Parse image config: /,
  },
  "a config with a field of another shape": {
    image: buildImage({ layers: [{ entries: [FILE] }], alterConfig: (config) => ({ ...config, config: { Env: 1 } }) }),
    code: "corrupt",
    text: /^Parse image config: "Env" has the wrong shape$/,
  },
  "fewer diff IDs than layers": {
    image: buildImage({
      layers: [{ entries: [FILE] }],
      alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: [] } }),
    }),
    code: "corrupt",
    text: /^Store image: 1 layers in the manifest, 0 in the config$/,
  },
  "another diff ID": {
    image: buildImage({
      layers: [{ entries: [FILE] }],
      alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: [sha256(new Uint8Array(3))] } }),
    }),
    code: "corrupt",
    text: /^Unpack sha256:\w+: the layer's diff ID is sha256:\w+, the config says sha256:\w+$/,
  },
  "an artifact": {
    image: altered((m) => ({ ...m, config: { ...m.config, mediaType: "application/vnd.oci.empty.v1+json" } })),
    code: "unsupported",
    text: /^Store image: it is an artifact of type /,
  },
  "a layer of a foreign type": {
    image: altered((m) => ({ ...m, layers: [{ ...m.layers[0], mediaType: "application/x-wasm" }] })),
    code: "unsupported",
    text: /^Store image: "application\/x-wasm" is no layer's media type$/,
  },
  "more layers than can be mounted": {
    image: sampleImage(Array(128).fill(1)),
    code: "limit",
    text: /^Store image: 128 layers, at most 127 can be mounted$/,
  },
  "a layer of other content": {
    image: swapped((blob) => noise(blob.length, 9)),
    code: "corrupt",
    text: /^Store sha256:\w+: the content's digest is sha256:\w+$/,
  },
  "a layer that is no archive": {
    image: buildImage({ layers: [{ tar: noise(5000) }] }),
    code: "corrupt",
  },
  "a path out of the tree": {
    image: buildImage({ layers: [{ entries: [{ type: "file", path: "../../out", content: "x" }] }] }),
    code: "corrupt",
    text: /out/,
  },
  "more entries than allowed": {
    image: buildImage({
      layers: [{ entries: Array.from({ length: 201 }, (_, i): Entry => ({ type: "dir", path: `d${i}` })) }],
    }),
    code: "limit",
  },
};

/** The image as an OCI archive. */
function archiveOf(image: BuiltImage): Uint8Array<ArrayBuffer> {
  const file = (path: string, content: string | Uint8Array): Entry => ({ type: "file", path, content });
  const manifests = [{ mediaType: image.mediaType, digest: image.digest, size: image.manifest.length }];
  const blobs = [...image.blobs, [image.digest, image.manifest] as const];
  return new Uint8Array(buildTar([
    ...blobs.map(([digest, bytes]) => file(`blobs/sha256/${digest.slice(7)}`, bytes)),
    file("index.json", JSON.stringify({ schemaVersion: 2, manifests })),
    file("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
  ]));
}

for (const [what, { image, code, text }] of Object.entries(BROKEN)) {
  Deno.test(`pull() and load() refuse ${what} with the same words, and nothing of it stays`, async () => {
    await using registry = new FaultyRegistry();
    await using rig = await openOnHost({ registries: registry.registries, limits: LIMITS });
    const name = registry.add("bad:1", image);
    const pulled = await assertRejects(() => pullID(rig.images, name), EngineError);
    await assertNothing(rig, [...image.blobs.keys()]);
    const archive = new Blob([archiveOf(image)]).stream();
    const loaded = await assertRejects(() => rig.images.archives.load(archive), EngineError);
    await assertNothing(rig, [...image.blobs.keys()]);
    assertEquals([pulled.code, pulled.message], [code, loaded.message]);
    assertEquals(loaded.code, pulled.code);
    if (text) assertMatch(pulled.message, text);
  });
}
