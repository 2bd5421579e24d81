/** A large image goes through a server whose memory stays where it was. */
import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { buildImage } from "../../fixtures/images/image_builder.ts";
import { memoryOf, STREAM_ROOM } from "../../fixtures/memory.ts";
import { startRegistry } from "../../fixtures/images/registry.ts";
import { ok } from "../../fixtures/run.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { Session } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

const MEGABYTE = 1024 * 1024;
/** Twice what may be held, at the least. */
const SIZE = (isLongRun ? 2048 : 128) * MEGABYTE;

Deno.test(`pull and push of ${SIZE / MEGABYTE} MB take no more memory than of little`, async () => {
  await using session = await Session.start();
  const { server, registry } = session;
  const other = await startRegistry();
  try {
    await pushLarge(registry.url);
    const name = `${registry.host}/large:1`;
    // Idle is what a server has that has done all of it before.
    ok(await server.podman("pull", "--quiet", session.image));
    // Compressing gigabytes takes its time on a busy machine.
    const podman = (...args: string[]) => server.podmanAt(server.addresses[0], args, { timeout: 600_000 });
    const push = (image: string, to: string) => podman("push", "--tls-verify=false", image, `${other.host}/${to}`);
    ok(await push(session.image, "small:1"));
    const above = await memoryOf(server.pid, async () => {
      ok(await podman("pull", "--quiet", name));
      ok(await push(name, "large:1"));
    });
    assert(above < STREAM_ROOM, `${above} MB above idle`);
    // The plain layer is packed on its way; the image stays the same.
    const [there, here] = await Promise.all([registry.url, other.url].map((url) => configOf(`${url}/v2/large`)));
    assertEquals(here, there);
  } finally {
    await other.close();
  }
});

async function configOf(base: string): Promise<string> {
  const accept = "application/vnd.oci.image.manifest.v1+json";
  const response = await fetch(`${base}/manifests/1`, { headers: { accept } });
  return (await response.json()).config.digest;
}

/** One plain layer with one large file, made while it is sent. */
async function pushLarge(url: string): Promise<void> {
  // The header of an empty file, with another size and the checksum that goes with it.
  const header = buildTar([{ type: "file", path: "large", content: "" }]).slice(0, 512);
  const text = (at: number, value: string) => header.set(new TextEncoder().encode(value), at);
  text(124, `${SIZE.toString(8).padStart(11, "0")}\0`);
  text(148, " ".repeat(8));
  text(148, `${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  const pieces = function* () {
    yield header;
    for (let at = 0; at < SIZE; at += piece.length) yield piece;
    yield new Uint8Array(1024);
  };
  const hash = createHash("sha256");
  for (const bytes of pieces()) hash.update(bytes);
  const digest = `sha256:${hash.digest("hex")}`;
  const image = buildImage({
    layers: [{ entries: [], gzip: false }],
    alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: [digest] } }),
    alterManifest: (manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], digest, size: SIZE + 1536 }],
    }),
  });
  await upload(url, digest, ReadableStream.from(pieces()));
  for (const [name, bytes] of image.blobs) await upload(url, name, new Uint8Array(bytes));
  const response = await fetch(`${url}/v2/large/manifests/1`, {
    method: "PUT",
    headers: { "content-type": image.mediaType },
    body: new Uint8Array(image.manifest),
  });
  assertEquals(response.status, 201, await response.text());
}

async function upload(url: string, digest: string, body: BodyInit): Promise<void> {
  const start = await fetch(`${url}/v2/large/blobs/uploads/`, { method: "POST" });
  await start.body?.cancel();
  const location = new URL(start.headers.get("location") ?? "", url);
  location.searchParams.set("digest", digest);
  const headers = { "content-type": "application/octet-stream" };
  const response = await fetch(location, { method: "PUT", headers, body });
  assertEquals(response.status, 201, await response.text());
}
