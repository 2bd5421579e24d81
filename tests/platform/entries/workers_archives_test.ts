/** Archives, imports and artifacts on the edge: nothing of them needs a kernel. */
import { assertEquals } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { startWorkerd } from "../../conformance/workerd.ts";
import { buildImage, sha256 } from "../../fixtures/images/image_builder.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";

const TOKEN = "a-token-of-a-test";

Deno.test("GantryEngine loads, saves and imports images, and keeps artifacts", async () => {
  await using workerd = await startWorkerd({
    script: await bundled("lib/platform/entries/workers.ts", "workers"),
    bindings: { GANTRY_TOKEN: TOKEN },
    objects: { ENGINE: "GantryEngine" },
  });
  const send = async (method: string, path: string, body?: Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(`${workerd.url}${path}`, { method, headers, body });
    return { status: reply.status, bytes: new Uint8Array(await reply.arrayBuffer()) };
  };
  const json = ({ bytes }: { bytes: Uint8Array }) => JSON.parse(new TextDecoder().decode(bytes));
  const noise = new Uint8Array(3_000_000);
  for (let at = 0; at < noise.length; at += 50_000) crypto.getRandomValues(noise.subarray(at, at + 50_000));
  const image = buildImage({
    architecture: "amd64",
    layers: [{ entries: [{ type: "file", path: "a", content: noise }] }],
  });
  const [{ tar, diffID }] = image.layers;
  const archive = new Uint8Array(buildTar([
    { type: "file", path: "l.tar", content: tar },
    { type: "file", path: "c.json", content: image.blobs.get(`sha256:${image.id}`)! },
    {
      type: "file",
      path: "manifest.json",
      content: JSON.stringify([{ Config: "c.json", RepoTags: ["app:1"], Layers: ["l.tar"] }]),
    },
  ]));
  assertEquals(json(await send("POST", "/libpod/images/load", archive)), { Names: ["localhost/app:1"] });
  const query = "/libpod/images/export?references=localhost/app:1&format=";
  const saved: Record<string, string> = {};
  for (const format of ["docker-archive", "oci-archive"]) {
    const { status, bytes } = await send("GET", query + format);
    assertEquals(status, 200, format);
    saved[format] = sha256(bytes);
    await send("DELETE", "/libpod/images/localhost/app:1");
    assertEquals(json(await send("POST", "/images/load", bytes)), { stream: "Loaded image: localhost/app:1\n" });
    assertEquals(json(await send("GET", "/libpod/images/app:1/json")).RootFS.Layers, [diffID]);
    assertEquals(sha256((await send("GET", query + format)).bytes), saved[format], `${format}, once more`);
  }
  const made = json(await send("POST", "/libpod/images/import?reference=made&changes=CMD%20/a", new Uint8Array(tar)));
  assertEquals(json(await send("GET", "/libpod/images/made/json")).Id, made.Id.slice("sha256:".length));
  const bad = await send("POST", "/libpod/images/load", archive.slice(0, 2_000_000));
  assertEquals([bad.status, json(await send("GET", "/libpod/images/json")).length], [500, 2]);

  const name = "localhost/team/model:1";
  assertEquals((await send("POST", `/libpod/artifacts/add?name=${name}&fileName=n`, noise)).status, 201);
  const extracted = (await send("GET", `/libpod/artifacts/${name}/extract`)).bytes;
  assertEquals(sha256(extracted.subarray(512, 512 + noise.length)), sha256(noise));
  assertEquals((await send("POST", "/libpod/local/images/load?path=/x")).status, 501);
});
