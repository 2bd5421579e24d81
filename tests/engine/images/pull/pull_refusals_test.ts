import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { EngineError, type ErrorCode } from "../../../../lib/engine/errors.ts";
import { concatBytes } from "../../../../lib/oci/bytes/bytes.ts";
import { buildTar, type Entry } from "../../../fixtures/images/tar_builder.ts";
import {
  buildImage,
  buildIndex,
  type BuiltImage,
  type ManifestDocument,
  sha256,
} from "../../../fixtures/images/image_builder.ts";
import { assertNothing } from "../../../fixtures/images/assert_nothing.ts";
import { cut, type Fault, FaultyRegistry, reply } from "../../../fixtures/images/faulty_registry.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { openImages, pullID } from "../../../fixtures/images/rig.ts";

/** A pull that must fail. */
interface Refusal {
  what: string;
  image: BuiltImage;
  fault?: Fault;
  code: ErrorCode;
  /** The registry's status, for code `registry`. */
  status?: number;
  text?: string;
  /** How many blobs stay staged for the next try. */
  staged?: number;
}

const LIMITS = { layerBytes: 5 << 20, layerEntries: 2000, manifestBytes: 100_000, layers: 127 };

function layered(...entries: Entry[]): BuiltImage {
  const first: Entry = { type: "file", path: "first", content: "fine" };
  return buildImage({ layers: [{ entries: [first] }, { entries }], architecture: "amd64" });
}

function altered(alter: (manifest: ManifestDocument) => unknown): BuiltImage {
  const layers = [{ entries: [{ type: "file" as const, path: "x", content: "x" }] }];
  return buildImage({ layers, architecture: "amd64", alterManifest: alter });
}

const plain = sampleImage([3000, 100_000]);
const [small, large] = plain.layers;
const onLarge = (answer: (body: Uint8Array, range: string | null) => Response): Fault => ({ what, range }, body) =>
  body && what === large.digest ? answer(body, range) : undefined;
const always = (status: number, body: string | null = null, headers: Record<string, string> = {}): Fault => () =>
  new Response(body, { status, headers });
const denied = JSON.stringify({ errors: [{ code: "DENIED", message: "requested access is denied" }] });
const empty = { rootfs: { type: "layers", diff_ids: [] } };

/** An image whose second layer's blob is these bytes, rightly named by their digest. */
function packed(bytes: Uint8Array, compression: "gzip" | "zstd"): BuiltImage {
  const digest = sha256(bytes);
  const mediaType = `application/vnd.oci.image.layer.v1.tar+${compression}`;
  const image = buildImage({
    layers: [{ entries: [{ type: "file", path: "first", content: "fine" }] }, { entries: [] }],
    architecture: "amd64",
    alterManifest: (m) => ({ ...m, layers: [m.layers[0], { mediaType, digest, size: bytes.length }] }),
  });
  image.blobs.set(digest, bytes);
  return image;
}

const tar = buildTar([{ type: "file", path: "x", content: noise(300_000) }]);
/** A frame of Zstandard that wants 2 TiB of memory (RFC 8878, section 3.1.1.1.2), and then holds one empty block. */
const WIDE_FRAME = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 31 << 3, 0x01, 0x00, 0x00);
const onConfig = (answer: (body: Uint8Array) => Response): Fault => ({ what }, body) =>
  body && what === `sha256:${plain.id}` ? answer(body) : undefined;
const endless = () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65536).fill(32)) }));
const elsewhere = (location: string): Fault =>
  onLarge(() => new Response(null, { status: 307, headers: { location } }));

const REFUSALS: Refusal[] = [
  {
    what: "a manifest without end",
    image: plain,
    fault: ({ kind }) => kind === "manifest" ? endless() : undefined,
    code: "limit",
  },
  {
    what: "a config of other content",
    image: plain,
    fault: onConfig((body) => reply(noise(body.length), "", null)),
    code: "corrupt",
  },
  { what: "a config without end", image: plain, fault: onConfig(endless), code: "corrupt" },
  {
    what: "a layer that is a file of the host",
    image: plain,
    fault: elsewhere("file:///etc/passwd"),
    code: "registry",
    staged: 2,
  },
  {
    what: "a layer that is elsewhere and there not",
    image: plain,
    fault: elsewhere("/v2/other/blobs/x"),
    code: "registry",
    status: 404,
    staged: 2,
  },
  {
    what: "gzip that breaks off",
    image: packed(new Uint8Array(gzipSync(tar)).subarray(0, -5000), "gzip"),
    code: "corrupt",
    text: "gunzip",
  },
  {
    what: "gzip with another thing behind it",
    image: packed(concatBytes([new Uint8Array(gzipSync(tar)), noise(5000)]), "gzip"),
    code: "corrupt",
  },
  {
    what: "Zstandard that breaks off",
    image: packed(new Uint8Array(zstdCompressSync(tar)).subarray(0, -5000), "zstd"),
    code: "corrupt",
  },
  { what: "Zstandard with a window of terabytes", image: packed(WIDE_FRAME, "zstd"), code: "limit", text: "unzstd" },
  { what: "a registry without the image", image: plain, fault: always(404, "{}"), code: "registry", status: 404 },
  { what: "a registry that wants a login", image: plain, fault: always(401), code: "registry", status: 401 },
  {
    what: "a registry that denies",
    image: plain,
    fault: always(403, denied),
    code: "registry",
    status: 403,
    text: "denied",
  },
  { what: "a manifest that is no JSON", image: plain, fault: always(200, "<html>"), code: "corrupt" },
  {
    what: "a manifest past the limit",
    image: altered((manifest) => ({ ...manifest, annotations: { a: "x".repeat(200_000) } })),
    code: "limit",
  },
  { what: "a Docker schema 1 manifest", image: altered(() => ({ schemaVersion: 1, fsLayers: [] })), code: "corrupt" },
  {
    what: "an artifact",
    image: altered((m) => ({ ...m, config: { ...m.config, mediaType: "application/vnd.oci.empty.v1+json" } })),
    code: "unsupported",
  },
  {
    what: "a layer of a foreign type",
    image: altered((m) => ({ ...m, layers: [{ ...m.layers[0], mediaType: "application/x-wasm" }] })),
    code: "unsupported",
  },
  {
    what: "a layer that is not distributed",
    image: altered((m) => {
      const mediaType = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip";
      return { ...m, layers: [{ ...m.layers[0], mediaType, urls: ["https://elsewhere.example/layer"] }] };
    }),
    code: "unsupported",
  },
  {
    what: "an index within an index",
    image: buildIndex([Object.assign(buildIndex([plain]), { platform: plain.platform })]),
    code: "unsupported",
  },
  { what: "more layers than can be mounted", image: sampleImage(Array(128).fill(1)), code: "limit" },
  {
    what: "fewer diff IDs than layers",
    image: buildImage({ layers: [{ entries: [] }], alterConfig: (config) => ({ ...config, ...empty }) }),
    code: "corrupt",
    text: "1 layers in the manifest, 0 in the config",
  },
  { what: "a config that is none", image: buildImage({ layers: [], alterConfig: () => [1] }), code: "corrupt" },
  {
    what: "a layer of other content",
    image: plain,
    fault: onLarge((body) => reply(noise(body.length, 9), "application/octet-stream", null)),
    code: "corrupt",
  },
  {
    what: "a layer that is too short",
    image: plain,
    fault: onLarge((body) => reply(body.slice(0, -10), "application/octet-stream", null)),
    code: "corrupt",
  },
  {
    what: "a layer without end",
    image: plain,
    fault: onLarge(() => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65536)) }))),
    code: "corrupt",
  },
  {
    what: "a layer that breaks off each time",
    image: plain,
    fault: onLarge((body, range) => range === null ? cut(body, 50_000) : new Response(null, { status: 404 })),
    code: "registry",
    staged: 3,
  },
  {
    what: "a layer that is gone",
    image: plain,
    fault: onLarge(() => new Response("{}", { status: 404 })),
    code: "registry",
    status: 404,
    staged: 2,
  },
  {
    what: "a layer with another diff ID",
    image: buildImage({
      layers: [{ entries: [{ type: "file", path: "x", content: "x" }] }],
      alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: [sha256(new Uint8Array(3))] } }),
    }),
    code: "corrupt",
    text: "diff ID",
  },
  { what: "a layer that is no archive", image: buildImage({ layers: [{ tar: noise(5000) }] }), code: "corrupt" },
  {
    what: "a layer that is no archive, plain",
    image: buildImage({ layers: [{ tar: noise(5000), gzip: false }] }),
    code: "corrupt",
  },
  {
    what: "a path out of the tree",
    image: layered({ type: "file", path: "../../out", content: "x" }),
    code: "corrupt",
  },
  {
    what: "a link out of the tree, and a file through it",
    image: layered({ type: "symlink", path: "l", target: "/tmp" }, {
      type: "file",
      path: "l/gantry-out",
      content: "x",
    }),
    code: "corrupt",
  },
  {
    what: "a hard link out of the tree",
    image: layered({ type: "hardlink", path: "l", target: "../../../etc/passwd" }),
    code: "corrupt",
  },
  {
    what: "a flood of devices",
    image: layered(
      ...Array.from({ length: 1900 }, (_, i): Entry => ({ type: "char", path: `d${i}`, major: 1, minor: 3 })),
    ),
    code: "limit",
  },
  {
    what: "more entries than allowed",
    image: layered(...Array.from({ length: 2001 }, (_, i): Entry => ({ type: "dir", path: `d${i}` }))),
    code: "limit",
  },
  { what: "a bomb", image: layered({ type: "file", path: "zeros", content: new Uint8Array(20 << 20) }), code: "limit" },
];

for (const { what, image, fault, code, status, text, staged = 0 } of REFUSALS) {
  Deno.test(`Images.pull() refuses ${what}, and nothing of it stays`, async () => {
    await using registry = new FaultyRegistry();
    await using rig = await openOnHost({ registries: registry.registries, limits: LIMITS });
    const name = registry.add("bad:1", image);
    if (fault) registry.fault = fault;
    const error = await assertRejects(() => pullID(rig.images, name), EngineError);
    assertEquals([error.code, error.status], [code, status ?? error.status], error.message);
    if (text) assertStringIncludes(error.message, text);
    await assertNothing(rig, [...image.blobs.keys(), image.digest], staged);
    const left = await Array.fromAsync(Deno.readDir(`${rig.folder}/root/layers`));
    const files = left.map(({ name }) => name).filter((name) => name !== "partial" && name !== "links");
    assertEquals(files, []);
    assertEquals((await Array.fromAsync(Deno.readDir(`${rig.folder}/root/layers/partial`))).length, 0);
  });
}

Deno.test("Images.pull() refuses names that do not parse", async () => {
  const { images, core } = await openImages();
  for (const name of ["", "UPPER", "a b", "x:y:z", "oci:/tmp/x", "http://x/y", "a@sha256:12", "http://me:secret@x/y"]) {
    const error = await assertRejects(() => pullID(images, name), EngineError, undefined, name);
    assertEquals(error.code, "invalid", name);
  }
  // What somebody took for a name may hold a password, and events last.
  assertEquals(await Array.fromAsync(core.events.list({ follow: false })), []);
});

Deno.test("Images.pull() keeps what a bad image shares with a good one", async () => {
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const good = registry.add("good:1", sampleImage([3000]));
  await pullID(rig.images, good);
  const bad = registry.add("bad:1", plain);
  registry.fault = onLarge((body) => reply(noise(body.length, 9), "application/octet-stream", null));
  await assertRejects(() => pullID(rig.images, bad), EngineError);
  assertEquals(await rig.blobs.stat(small.digest) !== undefined, true);
  assertEquals(await rig.layers.list(), [small.diffID]);
});

Deno.test("Images.pull() tells of every registry a short name was looked for in", async () => {
  await using one = new FaultyRegistry();
  await using two = new FaultyRegistry();
  const insecure = [one, two].map(({ host }) => `[[registry]]\nlocation = "${host}"\ninsecure = true\n`).join("");
  const search = `unqualified-search-registries = ["${one.host}", "${two.host}"]\n`;
  const { images } = await openImages({ registries: search + insecure });
  const error = await assertRejects(() => pullID(images, "nothing"), EngineError, "2 errors occurred while pulling:");
  for (const { host } of [one, two]) assertStringIncludes(error.message, `${host}/nothing:latest`);
  assertEquals([error.code, error.status], ["registry", 404]);
  two.add("nothing:latest", plain);
  assertEquals(await pullID(images, "nothing"), plain.id);
});
