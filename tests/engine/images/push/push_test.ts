import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { PushOptions, PushProgress } from "../../../../lib/engine/images/types.ts";
import { parseManifest } from "../../../../lib/oci/manifest.ts";
import { MEDIA_TYPE } from "../../../../lib/oci/media_type.ts";
import { normaliseReference } from "../../../../lib/oci/reference.ts";
import { buildImage, pushImage } from "../../../fixtures/images/image_builder.ts";
import { REGISTRY_USER, startRegistry, type TestRegistry } from "../../../fixtures/images/registry.ts";
import { startUploadRegistry } from "../../../fixtures/images/upload_registry.ts";
import { bytesOf, client } from "../../../fixtures/images/client_setup.ts";
import { noise, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, openImages, pullID, type Rig } from "../../../fixtures/images/rig.ts";

/** An image with one compressed and one plain layer. */
const MIXED = buildImage({
  layers: [
    { entries: [{ type: "file", path: "a", content: noise(300_000, 1) }] },
    { gzip: false, entries: [{ type: "file", path: "b", content: noise(300_000, 2) }] },
  ],
});

async function push(rig: Rig, name: string, options?: PushOptions) {
  const told: PushProgress[] = await Array.fromAsync(rig.images.push(name, options));
  const last = told.at(-1);
  assert(last?.kind === "done");
  const states = told.flatMap((value) => value.kind === "layer" ? [value.state] : []);
  return { digest: last.digest, size: last.size, states: new Set(states) };
}

async function read(registry: TestRegistry, name: string, options = {}) {
  const reader = client(registry.ca === undefined ? registry.registriesConf : "", options);
  const found = await reader.manifest(normaliseReference(`${registry.host}/${name}`));
  const manifest = parseManifest(found.bytes, found.mediaType);
  assert(manifest.kind === "manifest");
  const layers = await Promise.all(
    manifest.layers.map(async (layer) =>
      await bytesOf(await reader.blob(normaliseReference(`${registry.host}/${name}`), layer))
    ),
  );
  return { ...found, manifest, layers };
}

Deno.test("Images.push() sends what it pulled byte for byte, mounts it elsewhere, and remembers the digest by name", async () => {
  const registry = await startRegistry();
  try {
    const image = sampleImage();
    await pushImage(registry.url, "team/app:1", image);
    const rig = await openImages({ registries: registry.registriesConf });
    await pullID(rig.images, `${registry.host}/team/app:1`);
    await rig.images.tag("team/app:1", `${registry.host}/other/app`, "2");
    const first = await push(rig, `${registry.host}/other/app:2`);
    assertEquals([first.digest, first.size], [image.digest, image.manifest.length]);
    assert(first.states.has("mounted") && !first.states.has("pushing"), [...first.states].join());
    assertEquals((await read(registry, "other/app:2")).bytes, image.manifest);
    assertEquals(rig.images.resolve("team/app:1").repoDigests, [
      `${registry.host}/team/app@${image.digest}`,
      `${registry.host}/other/app@${image.digest}`,
    ]);
    const again = await push(rig, "team/app:1", { destination: `docker://${registry.host}/other/app:3` });
    assertEquals([...again.states], ["waiting", "exists"]);
    const events = await Array.fromAsync(rig.core.events.list({ follow: false }));
    assertEquals(events.filter(({ action }) => action === "push").map(({ name }) => name), [
      `${registry.host}/other/app:2`,
      `${registry.host}/other/app:3`,
    ]);
  } finally {
    await registry.close();
  }
});

for (const setup of [{ auth: true }, { auth: true, tls: true }]) {
  Deno.test(`Images.push() compresses and converts as asked, to a registry with ${Object.keys(setup).join(" and ")}`, async () => {
    const registry = await startRegistry(setup);
    const source = await startRegistry();
    try {
      await pushImage(source.url, "mixed:1", MIXED);
      const registries = source.registriesConf +
        (setup.tls ? "" : `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
      const rig = await openImages({ registries, ca: registry.ca });
      await pullID(rig.images, `${source.host}/mixed:1`);
      const before = await blobsOf(rig.blobs);
      const credentials = () => REGISTRY_USER;
      const access = { credentials, tls: () => ({ ca: registry.ca }) };
      const to = async (tag: string, options: PushOptions = {}) => {
        const destination = `${registry.host}/out:${tag}`;
        const { digest } = await push(rig, "mixed:1", { ...options, destination, credentials });
        const found = await read(registry, `out:${tag}`, access);
        assertEquals(found.digest, digest);
        return found;
      };
      const types = ({ manifest }: Awaited<ReturnType<typeof read>>) => [
        manifest.mediaType,
        manifest.config.mediaType,
        ...manifest.layers.map(({ mediaType }) => mediaType),
      ];
      const { ociManifest, ociConfig, ociLayerGzip, ociLayerZstd } = MEDIA_TYPE;
      const { dockerManifest, dockerConfig, dockerLayerGzip } = MEDIA_TYPE;
      // Nobody sends plain tars; what is compressed goes as it is.
      const plain = await to("plain");
      assertEquals(types(plain), [ociManifest, ociConfig, ociLayerGzip, ociLayerGzip]);
      assertEquals(plain.manifest.layers[0].digest, MIXED.layers[0].digest);
      const docker = await to("docker", { format: "docker" });
      assertEquals(types(docker), [dockerManifest, dockerConfig, dockerLayerGzip, dockerLayerGzip]);
      assertEquals(docker.manifest.config.digest, `sha256:${MIXED.id}`);
      const zstd = await to("zstd", { compression: "zstd", compressionLevel: 3 });
      assertEquals(types(zstd), [ociManifest, ociConfig, ociLayerZstd, ociLayerZstd]);
      const gentle = await to("gentle", { compression: "zstd", forceCompression: false });
      assertEquals(types(gentle), [ociManifest, ociConfig, ociLayerGzip, ociLayerZstd]);
      // What was compressed for the way is not kept.
      assertEquals(await blobsOf(rig.blobs), before);
      // And another engine reads all of it as the same image.
      const other = await openImages({ registries, ca: registry.ca });
      for (const tag of ["plain", "docker", "zstd", "gentle"]) {
        assertEquals(await pullID(other.images, `${registry.host}/out:${tag}`, { credentials }), MIXED.id);
      }
      const wrong = {
        credentials: () => ({ ...REGISTRY_USER, password: "no" }),
        destination: `${registry.host}/out:x`,
      };
      const error = await assertRejects(() => push(rig, "mixed:1", wrong), EngineError);
      assertEquals([error.code, error.status], ["registry", 401]);
    } finally {
      await registry.close();
      await source.close();
    }
  });
}

Deno.test("Images.push() and pull() show a client certificate where the registry wants one", async () => {
  const [registry, source] = [await startRegistry({ tls: "mutual" }), await startRegistry()];
  try {
    await pushImage(source.url, "mixed:1", MIXED);
    const { ca, client: own } = registry;
    const destination = `${registry.host}/out:1`;
    for (const [tls, isIn] of [[{ ca, ...own }, true], [{ ca }, false]] as const) {
      const asked: string[] = [];
      const rig = await openImages({
        registries: source.registriesConf,
        tls: (host) => {
          asked.push(host);
          return host === registry.host ? tls : undefined;
        },
      });
      await pullID(rig.images, `${source.host}/mixed:1`);
      const pushing = push(rig, "mixed:1", { destination, retries: 0 });
      if (isIn) await pushing;
      else assertEquals((await assertRejects(() => pushing, EngineError)).code, "registry");
      if (isIn) assertEquals(await pullID(rig.images, destination), MIXED.id);
      // Looked up once for each pull and push, not for each request.
      assertEquals(asked.length, isIn ? 3 : 2);
    }
  } finally {
    await registry.close();
    await source.close();
  }
});

Deno.test("Images.push() ends well though its image is removed meanwhile, and then nothing is left", async () => {
  const registry = await startRegistry();
  try {
    const image = sampleImage();
    await pushImage(registry.url, "app:1", image);
    const target = await startRegistry();
    try {
      const registries = `${registry.registriesConf}[[registry]]\nlocation = "${target.host}"\ninsecure = true\n`;
      const rig = await openImages({ registries });
      await pullID(rig.images, `${registry.host}/app:1`);
      for await (const value of rig.images.push("app:1", { destination: `${target.host}/app:1` })) {
        if (value.kind === "status" && rig.images.exists("app:1")) await rig.images.remove("app:1");
      }
      assertEquals((await read(target, "app:1")).digest, image.digest);
      assertEquals([rig.images.list(), await blobsOf(rig.blobs)], [[], []]);
    } finally {
      await target.close();
    }
  } finally {
    await registry.close();
  }
});

Deno.test("Images.push() refuses what makes no sense before it asks a registry", async () => {
  const registry = await startRegistry();
  try {
    await pushImage(registry.url, "mixed:1", MIXED);
    const rig = await openImages({ registries: registry.registriesConf });
    await pullID(rig.images, `${registry.host}/mixed:1`);
    const refused = async (name: string, options: PushOptions) => {
      const { code, message } = await assertRejects(() => push(rig, name, options), EngineError);
      return `${code}: ${message}`;
    };
    assertStringIncludes(await refused("mixed:1", { format: "docker", compression: "zstd" }), "invalid: ");
    assertStringIncludes(await refused("mixed:1", { compressionLevel: 12 }), "invalid compression level 12");
    assertStringIncludes(await refused(MIXED.id, {}), "give a destination");
    assertStringIncludes(await refused("mixed:1", { destination: "dir:/tmp/x" }), "only docker transport is supported");
    assertStringIncludes(await refused("mixed:1", { destination: "x y" }), "invalid: ");
    assertStringIncludes(await refused("nothing", {}), "no_such_image: ");
  } finally {
    await registry.close();
  }
});

Deno.test("Images.push() that is stopped or cut for good leaves the store as it was", async () => {
  const source = await startRegistry();
  const target = await startUploadRegistry({ cut: { after: 1000, times: 1e6 } });
  try {
    await pushImage(source.url, "mixed:1", MIXED);
    const registries = `${source.registriesConf}[[registry]]\nlocation = "${target.host}"\ninsecure = true\n`;
    const rig = await openImages({ registries });
    await pullID(rig.images, `${source.host}/mixed:1`);
    const before = await blobsOf(rig.blobs);
    const big = buildImage({ layers: [{ entries: [{ type: "file", path: "a", content: noise(3_000_000, 1) }] }] });
    await pushImage(source.url, "big:1", big);
    await pullID(rig.images, `${source.host}/big:1`);
    const options = { destination: `${target.host}/x`, retries: 1, retryDelay: 1 };
    const error = await assertRejects(() => push(rig, "big:1", options), EngineError);
    assertEquals(error.code, "registry");
    await rig.images.remove("big:1");
    assertEquals(await blobsOf(rig.blobs), before);
    const stop = new AbortController();
    stop.abort();
    const stopped = await assertRejects(() => push(rig, "mixed:1", { ...options, signal: stop.signal }), EngineError);
    assertEquals([stopped.code, target.manifests.size], ["cancelled", 0]);
  } finally {
    await source.close();
    await target.close();
  }
});
