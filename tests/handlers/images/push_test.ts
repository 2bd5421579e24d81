import { assertEquals, assertStringIncludes } from "@std/assert";
import { openTestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const lines = async (response: Response) => (await response.text()).trim().split("\n").map((line) => JSON.parse(line));

Deno.test("PushImage is quiet unless told otherwise, and then ends with the digest where the client knows it", async () => {
  await using test = await openTestEngine();
  const path = `/images/${TINY_NAME}/push`;
  assertEquals(await (await test.send("POST", `/v5.0.0/libpod${path}`)).text(), "");
  const told = await lines(await test.send("POST", `/v5.0.0/libpod${path}?quiet=false`));
  assertEquals(told[0], { stream: "Getting image source signatures\n" });
  assertEquals(told.at(-1), { manifestdigest: TINY.digest });
  const older = await lines(await test.send("POST", `/v4.3.1/libpod${path}?quiet=false`));
  assertEquals(older.at(-1), { stream: "Writing manifest to image destination\n" });
});

Deno.test("PushImage refuses by name, and words failures as clients know them", async () => {
  await using test = await openTestEngine();
  const rows: [name: string, query: string, status: number, text: string][] = [
    [TINY_NAME, "format=v2s1", 400, "schema 1 is not written"],
    [TINY_NAME, "format=zip", 400, 'unknown format "zip"'],
    [TINY_NAME, "compressionFormat=zstd:chunked", 400, '"zstd:chunked" is not written'],
    [TINY_NAME, "compressionFormat=lzma", 400, 'cannot find compressor for "lzma"'],
    [TINY_NAME, "compressionFormat=zstd&format=v2s2", 400, "use format oci"],
    [TINY_NAME, "compressionLevel=77", 400, "invalid compression level 77"],
    [TINY_NAME, "retryDelay=soon", 400, "retryDelay"],
    [TINY_NAME, "destination=dir:/tmp/x", 400, "only docker transport is supported"],
    [TINY_NAME, "destination=localhost:5000/secret/x", 400, 'pushing image "localhost:5000/secret/x": '],
    ["nothing", "", 404, "image not known"],
  ];
  for (const [name, query, status, text] of rows) {
    const response = await test.send("POST", `/libpod/images/${name}/push?${query}`);
    assertEquals(response.status, status, query);
    assertStringIncludes((await response.json()).message, text);
  }
});

Deno.test("CompatPushImage tells the digest in words and as aux, and failures in the stream's words too", async () => {
  await using test = await openTestEngine();
  const [name, tag] = ["localhost:5000/team/tiny", "1"];
  const told = await lines(await test.send("POST", `/images/${name}/push?tag=${tag}`));
  assertEquals(told[0].status, `The push refers to repository [${TINY_NAME}]`);
  const size = TINY.manifest.length;
  assertEquals(told.at(-2).status, `1: digest: ${TINY.digest} size: ${size}`);
  assertEquals(told.at(-1), { aux: { Tag: "1", Digest: TINY.digest, Size: size } });
  const denied = await test.send("POST", `/images/${name}/push?tag=${tag}&destination=localhost:5000/secret/x`);
  assertEquals(denied.status, 500);
  const body = await denied.json();
  assertEquals(body.error, body.errorDetail.message);
  assertStringIncludes(body.error, "exists in localhost:5000/secret/x: authentication required");
  await test.engine.images.tag(TINY_NAME, name, "2");
  const both = await lines(await test.send("POST", `/images/${name}/push`));
  assertEquals(both.flatMap(({ aux }) => aux === undefined ? [] : [aux.Tag]), ["1", "2"]);
  await test.engine.images.untag(`${name}:2`, [`${name}:2`]);
  const missing = await test.send("POST", `/images/${name}/push?tag=2`);
  assertEquals(missing.status, 404);
  assertStringIncludes((await missing.json()).message, `An image does not exist locally with the tag: ${name}:2`);
});

Deno.test("ImageResolve gives every candidate, and refuses what is no name", async () => {
  await using test = await openTestEngine();
  const names = async (name: string) => await (await test.send("GET", `/libpod/images/${name}/resolve`)).json();
  assertEquals((await names("tiny:2")).Names, ["docker.io/library/tiny:2"]);
  assertEquals((await names("quay.io/team/tiny")).Names, ["quay.io/team/tiny:latest"]);
  assertEquals((await test.send("GET", "/libpod/images/Wrong/resolve")).status, 400);
});
