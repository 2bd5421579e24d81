import { assert, assertEquals, assertRejects } from "@std/assert";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { SaveFormat } from "../../../../lib/engine/images/archive/save.ts";
import { concatBytes } from "../../../../lib/oci/bytes/bytes.ts";
import { run } from "../../../fixtures/run.ts";
import { buildImage, type BuiltImage, sha256 } from "../../../fixtures/images/image_builder.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { noise, openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, neededBlobs, openImages, pullID, type Rig } from "../../../fixtures/images/rig.ts";

/** The bytes of a saved archive. */
async function save(rig: Rig, names: string[], format: SaveFormat, more = {}): Promise<Uint8Array> {
  const stream = await rig.images.archives.save(names, { format, ...more });
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function load(rig: Rig, bytes: Uint8Array): Promise<{ names: string[] }> {
  return rig.images.archives.load(new Blob([bytes.slice()]).stream());
}

async function program(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command);
  assertEquals(code, 0, `${command.join(" ")}: ${stderr}`);
  return stdout;
}

/** A rig without a host that has pulled these images. */
async function pulled(images: Record<string, BuiltImage>): Promise<Rig & AsyncDisposable & { names: string[] }> {
  const registry = new FaultyRegistry();
  const rig = await openImages({ registries: registry.registries });
  const names: string[] = [];
  for (const [name, image] of Object.entries(images)) {
    names.push(registry.add(name, image));
    await pullID(rig.images, names.at(-1)!);
  }
  return { ...rig, names, [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose]() };
}

for (const format of ["oci", "docker"] as const) {
  for (const archive of ["oci-archive", "oci-dir", "docker-dir", "docker-archive"] as const) {
    Deno.test(`saveImages() and loadImages() keep an image of ${format} in ${archive}`, async () => {
      const image = buildImage({
        format,
        architecture: "amd64",
        layers: [{ entries: [{ type: "file", path: "a", content: noise(100_000) }] }, { entries: [] }],
        annotations: format === "oci" ? { note: "x" } : undefined,
      });
      await using source = await pulled({ "app:1": image });
      const bytes = await save(source, [source.names[0]], archive);
      const target = await openImages();
      const { names } = await load(target, bytes);
      assertEquals(names, archive === "docker-dir" ? [`sha256:${image.id}`] : [source.names[0]]);
      const loaded = target.images.resolve(names[0]);
      assertEquals(loaded.id, image.id);
      assertEquals(loaded.layers.map(({ diffID }) => diffID), image.layers.map(({ diffID }) => diffID));
      const isSameFormat = archive.startsWith("oci")
        ? format === "oci"
        : archive === "docker-dir" && format === "docker";
      if (isSameFormat) assertEquals([loaded.digest, loaded.mediaType], [image.digest, image.mediaType]);
      if (archive !== "docker-archive") {
        assertEquals(loaded.layers.map(({ digest }) => digest), image.layers.map(({ digest }) => digest));
      }
      assertEquals(await blobsOf(target.blobs), await neededBlobs(target));
      // And once more, byte for byte.
      assertEquals(sha256(await save(target, [names[0]], archive)), sha256(bytes));
      assertEquals(await blobsOf(target.blobs), await neededBlobs(target));
    });
  }
}

Deno.test("loadImages() takes several images, in archives of both kinds, packed or not", async () => {
  const [one, two] = [sampleImage([3000]), sampleImage([3000, 50], { seed: 9 })];
  await using source = await pulled({ "app:1": one, "other:2": two });
  await source.images.tag(source.names[0], "again");
  const bytes = await save(source, [...source.names, "again", source.names[0]], "docker-archive");
  for (const packed of [bytes, gzipSync(bytes), zstdCompressSync(bytes)]) {
    const target = await openImages();
    const { names } = await load(target, new Uint8Array(packed));
    assertEquals(names, [source.names[0], "localhost/again:latest", source.names[1]]);
    assertEquals(target.images.resolve("again").id, one.id);
    assertEquals(target.images.resolve(source.names[1]).id, two.id);
  }
  const error = await assertRejects(() => save(source, source.names, "oci-archive"), EngineError);
  assertEquals(error.message, 'unsupported format "oci-archive" for saving multiple images (only docker-archive)');
  const event = (await Array.fromAsync(source.core.events.list({ follow: false }))).at(-1);
  assertEquals([event?.action, event?.id, event?.name], ["save", two.id, source.names[1]]);
});

Deno.test("saveImages() counts the bytes of layers that nobody has unpacked once", async () => {
  const image = buildImage({ architecture: "amd64", layers: [{ entries: [] }, { entries: [], gzip: false }] });
  await using rig = await pulled({ "app:1": image });
  const { codec } = rig.core.ports;
  const gunzip = codec.gunzip;
  let unpacked = 0;
  codec.gunzip = () => {
    unpacked++;
    return gunzip();
  };
  const first = await save(rig, rig.names, "docker-archive");
  assertEquals(unpacked, 2);
  assertEquals(sha256(await save(rig, rig.names, "docker-archive")), sha256(first));
  assertEquals(unpacked, 3);
});

Deno.test("loadImages() keeps an image that is here already, and gives it the names", async () => {
  const image = sampleImage();
  await using rig = await pulled({ "app:1": image });
  const bytes = await save(rig, [rig.names[0]], "docker-archive");
  await rig.images.untag(rig.names[0]);
  assertEquals((await load(rig, bytes)).names, [rig.names[0]]);
  assertEquals(rig.images.resolve(rig.names[0]).digest, image.digest);
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
});

Deno.test("loadImages() unpacks layers while the archive still comes, and keeps those that an image names", async () => {
  const [image, other] = [sampleImage([300_000, 200_000]), sampleImage([400_000], { seed: 7 })];
  await using source = await pulled({ "app:1": image });
  const [layer] = other.layers;
  const stranger = buildTar([
    { type: "file", path: `blobs/sha256/${layer.digest.slice(7)}`, content: other.blobs.get(layer.digest)! },
    { type: "file", path: "blobs/noise", content: noise(100_000) },
  ]).subarray(0, -1024);
  for (const format of ["oci-archive", "docker-archive"] as const) {
    await using target = await openOnHost();
    const bytes = concatBytes([stranger, await save(source, source.names, format)]);
    let early: string[] = [];
    const archive = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, -2048)),
      // The end does not come before all layers are there.
      async pull(controller) {
        for (let i = 0; i < 1000 && early.length < 3; i++) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          early = await target.layers.list();
        }
        controller.enqueue(bytes.slice(-2048));
        controller.close();
      },
    }, { highWaterMark: 0 });
    assertEquals((await target.images.archives.load(archive)).names, source.names);
    assertEquals(early.sort(), [...image.layers, layer].map(({ diffID }) => diffID).sort());
    assertEquals((await target.layers.list()).sort(), image.layers.map(({ diffID }) => diffID).sort());
    assertEquals(await blobsOf(target.blobs), await neededBlobs(target));
    assertEquals(target.images.layerSize(image.layers[0].diffID), image.layers[0].tar.length);
  }
});

Deno.test("saveImages() packs plain layers where it is asked to, and keeps content while it is read", async () => {
  const tar = buildTar([{ type: "file", path: "a", content: "text ".repeat(50_000) }]);
  const image = buildImage({ format: "docker", architecture: "amd64", layers: [{ tar, gzip: false }] });
  await using rig = await pulled({ "app:1": image });
  const sizes = {
    plain: (await save(rig, rig.names, "docker-dir")).length,
    packed: (await save(rig, rig.names, "docker-dir", { compress: true })).length,
    oci: (await save(rig, rig.names, "oci-archive")).length,
    ociPlain: (await save(rig, rig.names, "oci-archive", { plain: true })).length,
  };
  assert(sizes.plain > tar.length && sizes.ociPlain > tar.length, `${JSON.stringify(sizes)}`);
  assert(sizes.packed < tar.length / 10 && sizes.oci < tar.length / 10, `${JSON.stringify(sizes)}`);
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));

  const stream = await rig.images.archives.save(rig.names, { format: "docker-archive" });
  await rig.images.remove(rig.names[0]);
  assertEquals(
    (await load(await openImages(), new Uint8Array(await new Response(stream).arrayBuffer()))).names,
    rig.names,
  );
  assertEquals(await blobsOf(rig.blobs), []);
});

Deno.test("saveImages() lets go of its content when its reader goes", async () => {
  await using rig = await pulled({ "app:1": sampleImage([2_000_000]) });
  const stream = await rig.images.archives.save(rig.names, { format: "oci-archive" });
  const reader = stream.getReader();
  await reader.read();
  await rig.images.remove(rig.names[0]);
  await reader.cancel();
  assertEquals(await blobsOf(rig.blobs), []);
});

Deno.test("skopeo reads what saveImages() wrote, and loadImages() reads what skopeo wrote", async () => {
  const image = sampleImage([3000, 200_000]);
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const name = registry.add("app:1", image);
  await pullID(rig.images, name);
  const { folder } = rig;
  for (const format of ["docker-archive", "oci-archive", "oci-dir", "docker-dir"] as const) {
    await Deno.mkdir(`${folder}/${format}`);
    await Deno.writeFile(`${folder}/${format}.tar`, await save(rig, [name], format));
    await program("tar", "-xf", `${folder}/${format}.tar`, "-C", `${folder}/${format}`);
    const place = {
      "docker-archive": `docker-archive:${folder}/${format}.tar`,
      "oci-archive": `oci-archive:${folder}/${format}.tar`,
      "oci-dir": `oci:${folder}/${format}`,
      "docker-dir": `dir:${folder}/${format}`,
    }[format];
    const config = new TextEncoder().encode(await program("skopeo", "inspect", "--raw", "--config", place));
    assertEquals(sha256(config), `sha256:${image.id}`, format);
  }
  const copies = { "docker-archive": ":app:2", "oci-archive": ":app:2", dir: "", oci: ":app:2" };
  for (const [transport, suffix] of Object.entries(copies)) {
    const path = `${folder}/from-skopeo-${transport}`;
    const target = `${transport}:${path}${suffix}`;
    await program("skopeo", "--insecure-policy", "copy", `oci-archive:${folder}/oci-archive.tar`, target);
    await rig.images.remove(image.id, { force: true });
    const { names } = await rig.images.archives.loadPath(path);
    const expected = { "docker-archive": "docker.io/library/app:2", dir: `sha256:${image.id}` }[transport];
    assertEquals(names, [expected ?? "localhost/app:2"]);
    assertEquals(rig.images.resolve(names[0]).id, image.id);
    assertEquals((await rig.layers.list()).sort(), image.layers.map(({ diffID }) => diffID).sort());
    assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  }
});

Deno.test("importImage() makes an image of a root tar, with changes", async () => {
  const rig = await openImages();
  const tar = buildTar([{ type: "file", path: "bin/a", content: "x" }]);
  const source = () => new Blob([new Uint8Array(gzipSync(tar))]).stream();
  const image = await rig.images.archives.import(source(), {
    changes: ["CMD /bin/a", "ENV A=1"],
    message: "a note",
    reference: "made:2",
    architecture: "arm64",
    variant: "v8",
  });
  assertEquals(image.names, ["localhost/made:2"]);
  assertEquals(image.layers.map(({ digest, diffID }) => [digest, diffID]), [[sha256(tar), sha256(tar)]]);
  const { config } = image;
  assertEquals([config.os, config.architecture, config.variant], ["linux", "arm64", "v8"]);
  assertEquals(config.config, { Cmd: ["/bin/sh", "-c", "/bin/a"], Env: ["A=1"] });
  assertEquals(config.history?.map(({ comment }) => comment), ["a note"]);
  const refused = async (options: Record<string, unknown>, code: string) => {
    const error = await assertRejects(() => rig.images.archives.import(source(), options), EngineError);
    assertEquals(error.code, code);
  };
  await refused({ changes: ["RUN x"] }, "invalid");
  await refused({ reference: "NO" }, "invalid");
  await refused({ signal: AbortSignal.abort() }, "cancelled");
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => url.endsWith("/root.tar") ? new Response(tar.slice()) : new Response("no", { status: 404 }),
  );
  const base = `http://127.0.0.1:${server.addr.port}`;
  const fetched = await rig.images.archives.import(new URL(`${base}/root.tar`));
  assertEquals(fetched.config.rootfs.diff_ids, [sha256(tar)]);
  await assertRejects(() => rig.images.archives.import(new URL(`${base}/none.tar`)), EngineError, "HTTP status 404");
  await assertRejects(() => rig.images.archives.import(new URL("file:///etc/passwd")), EngineError, "neither http");
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
});
