import { assert, assertEquals } from "@std/assert";
import { HTTPError } from "../../../lib/rest/mod.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function bytesOf(reply: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await reply.arrayBuffer());
}

function post(test: TestEngine, path: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  return Promise.resolve(test.serve(new Request(`http://d${path}`, { method: "POST", body })));
}

Deno.test("ExportImage, ExportImages and ImagesLoad are a round trip, in both trees", async () => {
  await using test = await openTestEngine();
  const name = encodeURIComponent(TINY_NAME);
  const paths = [
    `/libpod/images/${TINY_NAME}/get`,
    `/libpod/images/${name}/get?format=docker-archive`,
    `/engine/images/export?references=${name}&format=docker-archive&references=${name}`,
    `/libpod/images/export?references=${name}&format=oci-dir`,
    `/libpod/images/export?references=${name}&format=oci-archive&ociAcceptUncompressedLayers=true`,
    `/images/${TINY_NAME}/get`,
    `/images/get?names=${name}`,
  ];
  for (const path of paths) {
    const saved = await test.send("GET", path);
    assertEquals(saved.status, 200, path);
    const isDir = path.includes("-dir");
    assertEquals(
      saved.headers.get("content-type"),
      isDir ? "application/x-tar" : "application/octet; charset=us-ascii",
    );
    const archive = await bytesOf(saved);
    await test.engine.images.remove(TINY_NAME, { force: true });
    const compat = path.startsWith("/images");
    const loaded = await post(test, compat ? "/images/load" : "/libpod/images/load", archive);
    assertEquals(
      await loaded.json(),
      compat ? { stream: `Loaded image: ${TINY_NAME}\n` } : { Names: [TINY_NAME] },
      path,
    );
    assertEquals(test.engine.images.resolve(TINY_NAME).id, TINY.id);
  }
});

Deno.test("ExportImage and ExportImages answer as Podman does when they cannot", async () => {
  await using test = await openTestEngine();
  await test.engine.images.tag(TINY_NAME, "other");
  const cases: [path: string, status: number, message: string][] = [
    ["/libpod/images/nonesuch/get", 404, "nonesuch: image not known"],
    [`/libpod/images/${TINY_NAME}/get?format=foo`, 500, 'unknown format "foo"'],
    [`/libpod/images/${TINY_NAME}/get?compress=bar`, 400, '"bar" is not a boolean'],
    ["/libpod/images/export", 400, "no references"],
    ["/libpod/images/export?references=a&references=b", 500, "multi-image archives must use format of docker-archive"],
    [`/libpod/images/export?references=${TINY_NAME}&format=foo`, 500, 'unsupported format "foo"'],
    ["/images/get", 400, "no images to download"],
    ["/images/nonesuch/get", 404, "No such image"],
  ];
  for (const [path, status, message] of cases) {
    const reply = await test.send("GET", path);
    const body = await reply.json();
    assertEquals([reply.status, body.message.includes(message) ? message : body.message], [status, message], path);
  }
});

Deno.test("ImagesLocalLoad wants a path, and ImagesLoad an archive", async () => {
  await using test = await openTestEngine();
  const none = new Uint8Array(new ArrayBuffer(0));
  for (const query of ["", "?path=", "?invalid=arg"]) {
    const reply = await post(test, `/libpod/local/images/load${query}`, none);
    assertEquals([reply.status, (await reply.json()).message], [400, "path query parameter is required"]);
  }
  const reply = await post(test, "/images/load", new TextEncoder().encode("no archive ".repeat(100)));
  const { message } = await reply.json();
  assertEquals(reply.status, 500);
  assert(message.startsWith("payload does not match any of the supported image formats"), message);
});

Deno.test("ImagesImport and CompatCreateImageFromSrc make images of a root tar", async () => {
  await using test = await openTestEngine();
  const tar = new Uint8Array(buildTar([{ type: "file", path: "bin/a", content: "x" }]));
  const changes = ["CMD=/bin/a", "ENV A=1"].map((change) => `changes=${encodeURIComponent(change)}`).join("&");
  const native = await post(
    test,
    `/libpod/images/import?${changes}&message=note&reference=made:2&Architecture=arm64`,
    tar,
  );
  const { Id } = await native.json();
  const made = test.engine.images.resolve("localhost/made:2");
  assertEquals([Id, made.config.architecture], [`sha256:${made.id}`, "arm64"]);
  assertEquals(made.config.config, { Cmd: ["/bin/sh", "-c", "/bin/a"], Env: ["A=1"] });
  const query = `fromSrc=-&repo=mine&tag=3&platform=linux/arm64&message=hi&${changes}`;
  const compat = await post(test, `/images/create?${query}`, tar);
  const image = test.engine.images.resolve("docker.io/library/mine:3");
  const id = `sha256:${image.id}`;
  // dockerode reads lines: one without its end is none.
  const told = await compat.text();
  assertEquals([told.endsWith("\n"), compat.headers.get("content-type")], [true, "application/json"]);
  assertEquals(JSON.parse(told), { status: id, progress: "", progressDetail: {}, id: "" });
  assertEquals([image.config.architecture, image.config.history?.[0].comment], ["arm64", "hi"]);
  const empty = await post(test, "/images/create?fromSrc=-&repo=empty", new Uint8Array(new ArrayBuffer(0)));
  assertEquals([empty.status, test.engine.images.resolve("docker.io/library/empty:latest").layers.length], [200, 1]);
  assertEquals((await post(test, "/libpod/images/import?URL=nonsense", tar)).status, 400);
  assertEquals((await post(test, "/libpod/images/import?changes=RUN%20x", tar)).status, 400);
});

Deno.test("an upload that stops coming is answered 408 by each operation that reads it, and nothing of it stays", async () => {
  await using test = await openTestEngine();
  const paths = ["/libpod/images/load", "/libpod/images/import", "/libpod/artifacts/add?name=localhost/a&fileName=b"];
  const start = new Uint8Array(buildTar([{ type: "file", path: "index.json", content: "x".repeat(70_000) }])).subarray(
    0,
    65_536,
  );
  for (const path of paths) {
    const body = ReadableStream.from(async function* () {
      yield start;
      await Promise.resolve();
      throw new HTTPError(408, "Read the body: nothing came for too long", { kind: "body" });
    }());
    const answer = await test.serve(new Request(`http://d${path}`, { method: "POST", body }));
    const { message } = await answer.json();
    assertEquals([answer.status, message], [408, "Read the body: nothing came for too long"], path);
  }
  assertEquals((await (await test.send("GET", "/libpod/artifacts/json")).json()).length, 0);
});
