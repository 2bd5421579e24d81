import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { contentType } from "../../../lib/engine/artifacts/content_type.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { run } from "../../fixtures/run.ts";
import { registriesConf, startRegistry } from "../../fixtures/images/registry.ts";
import { noise, openOnHost } from "../../fixtures/images/host_rig.ts";
import { blobsOf, openImages, type Rig } from "../../fixtures/images/rig.ts";

const NAME = "localhost/team/model:1";
const TITLE = "org.opencontainers.image.title";

function add(rig: Rig, file: string, content: Uint8Array | string, options = {}, name = NAME) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return rig.images.artifacts.add(name, { name: file, content: new Blob([bytes.slice()]).stream() }, options);
}

async function refused(promise: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => promise, EngineError)).code;
}

/** Names and sizes of what a tar holds. */
async function listed(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const { stdout } = await run(["tar", "-tvf", "-"], {
    stdin: new Uint8Array(await new Response(stream).arrayBuffer()),
  });
  return stdout.trim().split("\n").map((line) => line.replace(/^(\S+) \S+ +(\d+) .* (\S*)$/, "$1 $2 $3"));
}

Deno.test("Artifacts.add() makes artifacts of files, one after the other", async () => {
  const rig = await openImages();
  const { artifacts } = rig.images;
  const one = await add(rig, "a.txt", "hello", { type: "application/x-model", annotations: { k: "v" } });
  assertEquals([one.manifest.artifactType, one.manifest.config.mediaType], [
    "application/x-model",
    "application/vnd.oci.empty.v1+json",
  ]);
  assertEquals(one.manifest.annotations.k, "v");
  const [layer] = one.manifest.layers;
  assertEquals([layer.size, layer.mediaType, layer.annotations], [
    5,
    "text/plain; charset=utf-8",
    { [TITLE]: "a.txt", k: "v" },
  ]);
  const two = await add(rig, "b.bin", noise(200_000), { append: true, fileType: "fake/type" });
  assertEquals(two.manifest.layers.map(({ mediaType }) => mediaType), ["text/plain; charset=utf-8", "fake/type"]);
  assertEquals([two.manifest.artifactType, artifacts.list().length], ["application/x-model", 1]);
  assertEquals(await refused(add(rig, "a.txt", "x")), "name_in_use");
  assertEquals(await refused(add(rig, "a.txt", "x", { append: true })), "name_in_use");
  assertEquals(await refused(add(rig, "x", "x", { append: true, annotations: { [TITLE]: "b.bin" } })), "name_in_use");
  assertEquals(await refused(add(rig, "x", "x", { append: true, type: "t" })), "invalid");
  assertEquals(await refused(add(rig, "x", "x", { append: true, replace: true })), "invalid");
  assertEquals(await refused(add(rig, "x", "x", { append: true }, "localhost/none:1")), "no_such_artifact");
  assertEquals(await refused(add(rig, "x", "x", {}, "short")), "invalid");
  assertEquals(await refused(add(rig, "x", "x", {}, `${NAME}@sha256:${"a".repeat(64)}`)), "invalid");
  assertEquals((await blobsOf(rig.blobs)).length, 4, "manifest, config and two files");
  const three = await add(rig, "c", "", { replace: true });
  assertEquals([three.manifest.layers.length, (await blobsOf(rig.blobs)).length], [1, 3]);
  const found = [NAME, three.digest, three.digest.slice(7, 17), `localhost/team/model@${three.digest}`];
  for (const text of found) assertEquals(artifacts.resolve(text).digest, three.digest, text);
  for (const text of ["none", "localhost/none:1", "ffff", ""]) {
    assertEquals(assertThrows(() => artifacts.resolve(text), EngineError).sentinel, "artifact does not exist", text);
  }
  assertEquals(await artifacts.remove([three.digest]), [three.digest]);
  assertEquals([artifacts.list(), await blobsOf(rig.blobs)], [[], []]);
  const events = await Array.fromAsync(rig.core.events.list({ follow: false }));
  assertEquals(events.map(({ type, action }) => `${type} ${action}`), [
    "artifact add",
    "artifact add",
    "artifact add",
    "artifact remove",
  ]);
});

Deno.test("Artifacts.add() leaves nothing of what fails", async () => {
  const rig = await openImages({ limits: { layerBytes: 1000 } });
  assertEquals(await refused(add(rig, "a", noise(2000))), "limit");
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut off")) });
  assertEquals(await refused(rig.images.artifacts.add(NAME, { name: "a", content: broken })), "internal");
  assertEquals(await refused(add(rig, "a", "x", { signal: AbortSignal.abort() })), "cancelled");
  assertEquals([rig.images.artifacts.list(), await blobsOf(rig.blobs)], [[], []]);
});

Deno.test("Artifacts.extract() gives all files or one, and keeps them while they are read", async () => {
  const rig = await openImages();
  const { artifacts } = rig.images;
  await add(rig, "a.txt", "hello");
  const { manifest } = await add(rig, "b.bin", noise(700), { append: true });
  assertEquals(await listed(artifacts.extract(NAME)), ["-rw------- 5 a.txt", "-rw------- 700 b.bin"]);
  assertEquals(await listed(artifacts.extract(NAME, { title: "b.bin" })), ["-rw------- 700 b.bin"]);
  const { digest } = manifest.layers[1];
  assertEquals(await listed(artifacts.extract(NAME, { digest })), [`-rw------- 700 ${digest.replace(":", "-")}`]);
  const cases: [options: Record<string, string>, message: string][] = [
    [{ title: "none" }, 'no blob with the title "none"'],
    [{ digest: "none" }, 'no blob with the digest "none"'],
    [{ digest, title: "a.txt" }, "cannot specify both digest and title"],
  ];
  for (const [options, message] of cases) {
    assertThrows(() => artifacts.extract(NAME, options), EngineError, message);
  }
  for (const title of ["../up", "a/b", ".."]) {
    await add(rig, "x", "x", { replace: true, annotations: { [TITLE]: title } }, "localhost/bad:1");
    assertThrows(() => artifacts.extract("localhost/bad:1"), EngineError, "artifact blob title invalid");
  }
  await artifacts.remove(["localhost/bad:1"]);
  const stream = artifacts.extract(NAME);
  await artifacts.removeAll();
  assertEquals((await listed(stream)).length, 2);
  assertEquals(await blobsOf(rig.blobs), []);
});

Deno.test("Artifacts.addPath() takes files of the host that callers may read", async () => {
  await using rig = await openOnHost();
  const { artifacts } = rig.images;
  await Deno.writeTextFile(`${rig.folder}/file`, "hello");
  const { manifest } = await artifacts.addPath(NAME, { name: "f", path: `${rig.folder}/file` });
  assertEquals(manifest.layers[0].size, 5);
  const cases = {
    "relative": "invalid",
    "/none": "no_such_file",
    [rig.folder]: "invalid",
    "/proc/1/environ": "forbidden",
  };
  for (const [path, code] of Object.entries(cases)) {
    assertEquals(await refused(artifacts.addPath("localhost/b:1", { name: "f", path })), code, path);
  }
  const next = await rig.reopen();
  assertEquals(next.images.artifacts.resolve(NAME).manifest, manifest);
  assertEquals((await blobsOf(next.blobs)).length, 3);
});

Deno.test("Artifacts.push() and pull() carry artifacts byte for byte over a registry", async () => {
  const registry = await startRegistry();
  try {
    const rig = await openImages({ registries: registriesConf(registry.host) });
    const name = `${registry.host}/team/model:1`;
    await add(rig, "a.txt", "hello", {}, name);
    const made = await add(rig, "b.bin", noise(300_000), { append: true }, name);
    assertEquals(await rig.images.artifacts.push(name), made.digest);
    const other = await openImages({ registries: registriesConf(registry.host) });
    const pulled = await other.images.artifacts.pull(name);
    assertEquals([pulled.digest, pulled.manifest], [made.digest, made.manifest]);
    assertEquals(await blobsOf(other.blobs), await blobsOf(rig.blobs));
    assertEquals((await other.images.artifacts.pull(name)).digest, made.digest);
    assertEquals(await refused(other.images.artifacts.pull(`${registry.host}/team/model:none`)), "registry");
    assertThrows(() => other.images.artifacts.push(`${registry.host}/none:1`), EngineError, "artifact does not exist");
    assertEquals(await other.images.artifacts.remove([name]), [made.digest]);
    assertEquals(await blobsOf(other.blobs), []);
  } finally {
    await registry.close();
  }
});

Deno.test("contentType() tells files by what they begin with", () => {
  const of = (text: string) => contentType(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  assertEquals(
    [
      "",
      "plain text\n",
      "\x89PNG\r\n\x1a\n",
      "\x1f\x8b\x08\x00",
      "PK\x03\x04",
      "%PDF-1.7",
      " <!DOCTYPE html>",
      "<?xml v",
      "\x00\x01",
    ]
      .map(of),
    [
      "text/plain; charset=utf-8",
      "text/plain; charset=utf-8",
      "image/png",
      "application/x-gzip",
      "application/zip",
      "application/pdf",
      "text/html; charset=utf-8",
      "text/xml; charset=utf-8",
      "application/octet-stream",
    ],
  );
  assert(of("\xff\xfeh\x00").includes("utf-16le"));
});
