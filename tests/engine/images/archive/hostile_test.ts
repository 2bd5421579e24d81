/** Archives that are broken, lie, or mean harm. Whatever they are, nothing of them stays. */
import { assertEquals, assertRejects } from "@std/assert";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { type BuiltImage, sha256 } from "../../../fixtures/images/image_builder.ts";
import { buildTar, type Entry, tarHeader } from "../../../fixtures/images/tar_builder.ts";
import { assertNothing } from "../../../fixtures/images/assert_nothing.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { openImages } from "../../../fixtures/images/rig.ts";

const IMAGE = sampleImage([3000, 200_000]);
const utf8 = new TextEncoder();

function file(path: string, content: unknown): Entry {
  const bytes = content instanceof Uint8Array || typeof content === "string" ? content : JSON.stringify(content);
  return { type: "file", path, content: bytes };
}

/** The files of a good OCI archive. */
function layout(image: BuiltImage = IMAGE, descriptor: Record<string, unknown> = {}): Entry[] {
  const manifests = [{ mediaType: image.mediaType, digest: image.digest, size: image.manifest.length, ...descriptor }];
  const blobs = [...image.blobs, [image.digest, image.manifest] as const];
  return [
    ...blobs.map(([digest, bytes]) => file(`blobs/sha256/${digest.slice(7)}`, bytes)),
    file("index.json", { schemaVersion: 2, manifests }),
    file("oci-layout", { imageLayoutVersion: "1.0.0" }),
  ];
}

/** The files of a good archive of `docker save`. */
function docker(item: Record<string, unknown> = {}): Entry[] {
  const names = IMAGE.layers.map(({ diffID }) => `${diffID.slice(7)}.tar`);
  return [
    ...IMAGE.layers.map(({ tar }, i) => file(names[i], tar)),
    file("config.json", IMAGE.blobs.get(`sha256:${IMAGE.id}`)!),
    file("manifest.json", [{ Config: "config.json", RepoTags: ["app:1"], Layers: names, ...item }]),
  ];
}

const [first] = IMAGE.layers;
const firstPath = `blobs/sha256/${first.digest.slice(7)}`;

/** An index within an index within…, each right by its digest. */
function nested(depth: number): Entry[] {
  const entries: Entry[] = [];
  let inner = { mediaType: IMAGE.mediaType, digest: IMAGE.digest, size: IMAGE.manifest.length };
  for (let i = 0; i < depth; i++) {
    const bytes = utf8.encode(JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: [{ ...inner, platform: { os: "linux", architecture: "amd64" } }],
    }));
    inner = { mediaType: "application/vnd.oci.image.index.v1+json", digest: sha256(bytes), size: bytes.length };
    entries.push(file(`blobs/sha256/${inner.digest.slice(7)}`, bytes));
  }
  return [...entries, ...layout(IMAGE, inner)];
}

function replaced(entries: Entry[], path: string, content: Uint8Array | string): Entry[] {
  return entries.map((entry) => "path" in entry && entry.path === path ? file(path, content) : entry);
}

/** What is in the folders of a host's layers and of blobs on their way. */
async function filesIn(folder: string) {
  const names = async (path: string) => (await readdir(join(folder, path))).sort();
  return {
    layers: await names("root/layers"),
    links: await names("root/layers/links"),
    partial: await names("root/layers/partial"),
    staged: await names("blobs/staged"),
  };
}

const CASES: Record<string, { archive: Uint8Array; code: string; message: string }> = {
  "an empty body": { archive: new Uint8Array(), code: "corrupt", message: "no end" },
  "no archive": { archive: noise(5000), code: "corrupt", message: "checksum" },
  "an archive of nothing": { archive: buildTar([]), code: "corrupt", message: "does not match any" },
  "an archive of other things": { archive: buildTar([file("a", "x")]), code: "corrupt", message: "does not match any" },
  "xz": { archive: Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 1, 2), code: "unsupported", message: "xz" },
  "bzip2": { archive: utf8.encode("BZh91AY&SY"), code: "unsupported", message: "bzip2" },
  "broken gzip": { archive: gzipSync(buildTar(layout())).subarray(0, 5000), code: "corrupt", message: "gunzip" },
  "a cut within a layer": {
    archive: buildTar(layout()).subarray(0, 150_000),
    code: "corrupt",
    message: "ends within an entry",
  },
  "no end marker": { archive: buildTar(layout()).subarray(0, -1024), code: "corrupt", message: "no end" },
  "an absolute path": { archive: buildTar([file("/etc/x", "y"), ...layout()]), code: "corrupt", message: "absolute" },
  "a path out of it": { archive: buildTar([file("a/../../x", "y"), ...layout()]), code: "corrupt", message: "leaves" },
  "a size past the end": {
    archive: tarHeader({ name: "index.json", flag: "0", size: 2 ** 40 }),
    code: "limit",
    message: "larger than",
  },
  "a layer that is not its digest": {
    archive: buildTar(replaced(layout(), firstPath, noise(100_000, 77))),
    code: "corrupt",
    message: "the content's digest is",
  },
  "a small layer that is not its digest": {
    archive: buildTar(replaced(layout(), firstPath, "x")),
    code: "corrupt",
    message: "bytes, expected",
  },
  "a manifest that is not its digest": {
    archive: buildTar(replaced(layout(), `blobs/sha256/${IMAGE.digest.slice(7)}`, IMAGE.manifest.with(20, 0x20))),
    code: "corrupt",
    message: "the content's digest is",
  },
  "a manifest of another size": {
    archive: buildTar(layout(IMAGE, { size: 10 })),
    code: "corrupt",
    message: "bytes, expected 10",
  },
  "a layer that is missing": {
    archive: buildTar(layout().filter((entry) => !("path" in entry) || entry.path !== firstPath)),
    code: "corrupt",
    message: "there is no file",
  },
  "an index that is no JSON": {
    archive: buildTar(replaced(layout(), "index.json", "{")),
    code: "corrupt",
    message: "not JSON",
  },
  "an index of nothing": {
    archive: buildTar(replaced(layout(), "index.json", '{"schemaVersion":2,"manifests":[]}')),
    code: "corrupt",
    message: "lists no image",
  },
  "a digest of another kind": {
    archive: buildTar(layout(IMAGE, { digest: `sha512:${"a".repeat(128)}` })),
    code: "unsupported",
    message: "sha512",
  },
  "indexes without end": { archive: buildTar(nested(8)), code: "limit", message: "indexes within indexes" },
  "a name that is none": {
    archive: buildTar(layout(IMAGE, { annotations: { "org.opencontainers.image.ref.name": "NO NAME" } })),
    code: "invalid",
    message: "invalid reference format",
  },
  "no list of images": {
    archive: buildTar(replaced(docker(), "manifest.json", "[]")),
    code: "corrupt",
    message: "lists no image",
  },
  "an image without a config": {
    archive: buildTar(docker({ Config: 1 })),
    code: "corrupt",
    message: "without a config",
  },
  "a config out of the archive": {
    archive: buildTar(docker({ Config: "../../etc/passwd" })),
    code: "corrupt",
    message: "there is no config",
  },
  "names that are no list": { archive: buildTar(docker({ RepoTags: "app" })), code: "corrupt", message: "RepoTags" },
  "a name that is none, as docker": {
    archive: buildTar(docker({ RepoTags: ["A B"] })),
    code: "invalid",
    message: "A B",
  },
  "fewer layers than the config says": {
    archive: buildTar(docker({ Layers: [`${first.diffID.slice(7)}.tar`] })),
    code: "corrupt",
    message: "layers in the manifest",
  },
  "layers in the wrong order": {
    archive: buildTar(docker({ Layers: IMAGE.layers.map(({ diffID }) => `${diffID.slice(7)}.tar`).reverse() })),
    code: "corrupt",
    message: "diff ID",
  },
  "links that lead to each other": {
    archive: buildTar([
      { type: "symlink", path: "a", target: "b" },
      { type: "symlink", path: "b", target: "a" },
      ...docker({ Config: "a" }),
    ]),
    code: "corrupt",
    message: "there is no config",
  },
  "a link out of the archive": {
    archive: buildTar([{ type: "symlink", path: "a", target: "/etc/passwd" }, ...docker({ Config: "a" })]),
    code: "corrupt",
    message: "there is no config",
  },
  "a bomb": {
    archive: gzipSync(buildTar([file("a", new Uint8Array(8 << 20))])),
    code: "limit",
    message: "larger than",
  },
  "a config past the limit": {
    archive: buildTar(replaced(docker(), "config.json", new Uint8Array(300_000))),
    code: "limit",
    message: "config.json",
  },
};

for (const [what, { archive, code, message }] of Object.entries(CASES)) {
  Deno.test(`loadImages() refuses ${what}, and nothing of it stays`, async () => {
    const limits = { layerBytes: 3 << 20, manifestBytes: 200_000 };
    // On a host layers are unpacked before anything says that they are needed.
    await using host = await openOnHost({ limits });
    for (const rig of [await openImages({ limits }), host]) {
      const stream = new Blob([new Uint8Array(archive)]).stream();
      const error = await assertRejects(() => rig.images.archives.load(stream), EngineError);
      assertEquals([error.code, error.message.includes(message) ? message : error.message], [code, message]);
      await assertNothing(rig, [...IMAGE.blobs.keys()]);
    }
    assertEquals(await filesIn(host.folder), { layers: ["links", "partial"], links: [], partial: [], staged: [] });
  });
}

Deno.test("loadImages() refuses layers that are unsafe on a host, and nothing of them stays", async () => {
  await using rig = await openOnHost();
  for (
    const entries of [[file("../x", "y")], [{ type: "symlink", path: "a", target: "/etc" } as const, file("a/b", "c")]]
  ) {
    const tar = buildTar(entries);
    const config = { os: "linux", architecture: "amd64", rootfs: { type: "layers", diff_ids: [sha256(tar)] } };
    const manifest = [{ Config: "c.json", RepoTags: ["bad:1"], Layers: ["l.tar"] }];
    const archive = buildTar([file("l.tar", tar), file("c.json", config), file("manifest.json", manifest)]);
    const error = await assertRejects(
      () => rig.images.archives.load(new Blob([archive.slice()]).stream()),
      EngineError,
    );
    assertEquals(error.code, "corrupt");
    await assertNothing(rig, []);
  }
});

Deno.test("loadImages() follows links within the archive", async () => {
  const rig = await openImages();
  const archive = buildTar([
    { type: "symlink", path: "sub/link", target: "../config.json" },
    { type: "hardlink", path: "hard", target: "sub/link" },
    ...docker({ Config: "hard" }),
  ]);
  assertEquals((await rig.images.archives.load(new Blob([archive.slice()]).stream())).names, ["localhost/app:1"]);
});

Deno.test("loadImages() cancels the archive when it is told to stop", async () => {
  const rig = await openImages();
  const stop = new AbortController();
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(tarHeader({ name: "a", flag: "0", size: 2 ** 30 })),
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.enqueue(new Uint8Array(1024));
      stop.abort();
    },
    cancel: () => void (cancelled = true),
  });
  const error = await assertRejects(() => rig.images.archives.load(endless, { signal: stop.signal }), EngineError);
  assertEquals([error.code, cancelled], ["cancelled", true]);
  await assertNothing(rig, []);
});
