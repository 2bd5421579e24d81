/** Layers whose Zstandard frames want much memory, several at once. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { buildImage, type BuiltImage, pushImage, sha256 } from "../../fixtures/images/image_builder.ts";
import { memoryOf, STREAM_ROOM } from "../../fixtures/memory.ts";
import { ok } from "../../fixtures/run.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { zstdFrame } from "../../fixtures/images/zstd_builder.ts";
import { Session } from "../../fixtures/session.ts";

const MEGABYTE = 2 ** 20;
/** More than the window, so that all of it is filled. */
const SIZE = 160 * MEGABYTE;
const LAYERS = 4;

/** An image whose layers are each a file of one letter, in frames that ask for windows of this size. */
function wide(windowLog: number): BuiltImage {
  const built = Array.from({ length: LAYERS }, (_, i) => layer(`${windowLog}-${i}`, 65 + i, windowLog));
  const image = buildImage({
    layers: built.map(() => ({ entries: [] })),
    alterConfig: (config) => ({ ...config, rootfs: { type: "layers", diff_ids: built.map(({ diffID }) => diffID) } }),
    alterManifest: (manifest) => ({
      ...manifest,
      layers: built.map(({ blob }) => ({
        mediaType: "application/vnd.oci.image.layer.v1.tar+zstd",
        digest: sha256(blob),
        size: blob.length,
      })),
    }),
  });
  for (const { blob } of built) image.blobs.set(sha256(blob), blob);
  return image;
}

function layer(name: string, byte: number, windowLog: number): { blob: Uint8Array; diffID: string } {
  // The header of an empty file, with another size and the checksum that goes with it.
  const header = buildTar([{ type: "file", path: name, content: "" }]).slice(0, 512);
  const text = (at: number, value: string) => header.set(new TextEncoder().encode(value), at);
  text(124, `${SIZE.toString(8).padStart(11, "0")}\0`);
  text(148, " ".repeat(8));
  text(148, `${header.reduce((sum, one) => sum + one, 0).toString(8).padStart(6, "0")}\0 `);
  const tar = new Uint8Array(512 + SIZE + 1024);
  tar.set(header);
  tar.fill(byte, 512, 512 + SIZE);
  const blob = zstdFrame(windowLog, [header, { byte, times: SIZE }, { byte: 0, times: 1024 }]);
  return { blob, diffID: sha256(tar) };
}

Deno.test(`${LAYERS} layers at once that want wide windows take no more memory than others`, async (t) => {
  await using session = await Session.start();
  const { server, registry } = session;
  for (const log of [27, 25, 23]) await pushImage(registry.url, `wide/${log}:1`, wide(log));
  // Idle is what a server has that has done all of it before.
  ok(await server.podman("pull", "--quiet", session.image));

  await t.step("windows of 128 MiB are refused", async () => {
    const above = await memoryOf(server.pid, async () => {
      const { code, stderr } = await server.podman("pull", "--quiet", `${registry.host}/wide/27:1`);
      assertEquals(code, 125);
      assertStringIncludes(stderr, `a frame wants a window of ${128 * MEGABYTE} bytes, more than ${32 * MEGABYTE}`);
    });
    assert(above < STREAM_ROOM, `${above} MB above idle`);
    assertEquals((await server.podman("image", "exists", `${registry.host}/wide/27:1`)).code, 1);
  });

  for (const log of [25, 23]) {
    await t.step(`windows of ${2 ** log / MEGABYTE} MiB come in`, async () => {
      const above = await memoryOf(server.pid, async () => {
        ok(await server.podman("pull", "--quiet", `${registry.host}/wide/${log}:1`));
      });
      assert(above < STREAM_ROOM, `${above} MB above idle`);
    });
  }
});
