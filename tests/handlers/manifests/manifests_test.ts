import { assertEquals, assertStringIncludes } from "@std/assert";
import { openTestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("manifest operations differ by generation where Podman's do", async () => {
  await using test = await openTestEngine();
  const old = await test.send("POST", "/v3.4.0/libpod/manifests/create?name=abc");
  const made = await test.send("POST", "/v4.0.0/libpod/manifests/team/xyz");
  assertEquals([old.status, made.status], [200, 201]);
  const [{ Id: abc }, { Id: xyz }] = [await old.json(), await made.json()];
  const again = await test.send("POST", "/v4.0.0/libpod/manifests/team/xyz");
  assertEquals([again.status, (await again.json()).cause], [500, "that name is already in use"]);

  const added = await test.send("POST", `/v3.4.0/libpod/manifests/${abc}/add`, { images: [TINY_NAME] });
  assertEquals([added.status, await added.json()], [200, { Id: abc }]);
  const put = await test.send("PUT", `/v4.0.0/libpod/manifests/team/xyz`, { operation: "update", images: [TINY_NAME] });
  assertEquals([put.status, await put.json()], [200, { Id: xyz, images: [TINY_NAME] }]);
  const removed = await test.send("DELETE", `/v3.4.0/libpod/manifests/${abc}?digest=${TINY.digest}`);
  assertEquals([removed.status, await removed.json()], [200, { Id: abc }]);
  assertEquals((await test.send("DELETE", `/v3.4.0/libpod/manifests/${abc}?digest=no`)).status, 400);

  const inspected = await (await test.send("GET", `/v4.0.0/libpod/manifests/${xyz}/json`)).json();
  assertEquals(inspected.manifests, [{
    mediaType: TINY.mediaType,
    size: TINY.manifest.length,
    digest: TINY.digest,
    platform: { architecture: "amd64", os: "linux" },
  }]);
  const target = "localhost%3A5000%2Fteam%2Flist%3A1";
  const quiet = await (await test.send("POST", `/v4.0.0/libpod/manifests/${xyz}/registry/${target}`)).json();
  const v3 = await (await test.send("POST", `/v3.4.0/libpod/manifests/${xyz}/push?all=true&destination=${target}`))
    .json();
  assertEquals(quiet, v3);
  const told = await (await test.send("POST", `/v5.0.0/libpod/manifests/${xyz}/registry/${target}?quiet=false`)).text();
  const lines = told.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals([lines[0], lines.at(-1)], [{ Id: "", stream: "Getting image list signatures\n" }, quiet]);

  const [listed] = (await (await test.send("GET", '/libpod/images/json?filters={"manifest":["true"]}')).json())
    .filter(({ Id }: { Id: string }) => Id === xyz);
  assertEquals([listed.IsManifestList, listed.Names], [true, ["localhost/team/xyz:latest"]]);
  const gone = await test.send("DELETE", `/v4.0.0/libpod/manifests/${xyz}`);
  assertEquals((await gone.json()).Deleted, [xyz]);
  const status = async (method: string, path: string) => (await test.send(method, path)).status;
  assertEquals(await status("GET", `/v4.0.0/libpod/manifests/${xyz}/exists`), 404);
  assertEquals(await status("DELETE", `/v4.0.0/libpod/manifests/${xyz}`), 404);
  assertEquals(await status("DELETE", `/v4.0.0/libpod/manifests/${xyz}?ignore=true`), 200);
  assertEquals(await status("DELETE", `/v4.0.0/libpod/manifests/${TINY_NAME}`), 404);
});

Deno.test("ManifestModify refuses by name, and tells of what it could not do", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/v4.0.0/libpod/manifests/x");
  const modify = async (body: unknown, name = "x") => {
    const response = await test.send("PUT", `/v4.0.0/libpod/manifests/${name}`, body);
    return { status: response.status, body: await response.json() };
  };
  const both = await modify({ operation: "update", annotations: { a: "b" }, annotation: ["c=d"] });
  assertEquals([both.status, both.body.cause], [400, "can not set both Annotation and Annotations"]);
  const rows: [body: unknown, status: number, text: string][] = [
    [{ operation: "paint" }, 400, 'illegal operation "paint"'],
    [{ operation: "remove", images: ["tiny"] }, 400, 'invalid image digest "tiny"'],
    [{ operation: "remove", images: [TINY.digest] }, 400, "no instance matching digest"],
    [{ operation: "annotate", arch: "arm64" }, 400, "requires an instance digest"],
    [{ operation: "annotate", images: [TINY_NAME], index_annotations: { a: "b" } }, 400, "requires no instance digest"],
    [{ operation: "update", images: ["dir:/etc"] }, 400, "only docker transport is supported"],
    [{ operation: "update", annotation: ["a"] }, 400, 'no value given for annotation "a"'],
    ["{", 400, "Decoding request body as JSON"],
  ];
  for (const [body, status, text] of rows) {
    const answer = await modify(body);
    assertEquals(answer.status, status, text);
    assertStringIncludes(answer.body.message, text);
  }
  assertEquals((await modify({ operation: "update" }, "nothing")).status, 404);
  await modify({ operation: "update", images: [TINY_NAME] });
  const half = await modify({ operation: "remove", images: [TINY.digest, TINY.digest] });
  assertEquals([half.status, half.body.images, half.body.errors.length], [409, [TINY.digest], 1]);
  const push = await test.send(
    "POST",
    "/v4.0.0/libpod/manifests/x/registry/localhost:5000%2Fy?addCompression=zstd:chunked",
  );
  assertEquals(push.status, 400);
});

Deno.test("ManifestModify takes files in parts for an artifact", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/v6.0.0/libpod/manifests/files");
  const form = new FormData();
  form.append("request.json", JSON.stringify({ operation: "update", artifact_annotations: { foo: "bar" } }));
  form.append("listed.txt", "oh yeah");
  form.append("zeroes", new File([new Uint8Array(100_000)], "dir/zeroes"));
  const request = new Request("http://d/v6.0.0/libpod/manifests/files", { method: "PUT", body: form });
  const response = await test.serve(request);
  assertEquals(response.status, 200);
  assertEquals((await response.json()).files, ["listed.txt", "zeroes"]);
  const { list } = test.engine.images.lists.find("files");
  const [entry] = list.entries;
  assertEquals(entry.files, ["listed.txt", "zeroes"]);
  const blob = await test.engine.images.lists.inspect("files");
  assertEquals(blob.list.entries[0].artifactType, "application/vnd.unknown.artifact.v1");
  // What is cut short leaves the list as it was.
  const head =
    '--b\r\n\r\n{"operation":"update"}\r\n--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\ncut';
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const cut = await test.serve(new Request(request.url, { method: "PUT", body: head, headers }));
  assertEquals(cut.status, 400);
  assertEquals(test.engine.images.lists.find("files").list.entries.length, 1);
});

Deno.test("ManifestCreate takes annotations as a JSON map, as Podman 5.8's client sends them", async () => {
  await using test = await openTestEngine();
  const create = (name: string, annotations: string) =>
    test.send("POST", `/v5.8.0/libpod/manifests/${name}?annotations=${encodeURIComponent(annotations)}`);
  assertEquals((await create("noted", '{"a":"b","c":"d=e"}')).status, 201);
  const list = await (await test.send("GET", "/v5.8.0/libpod/manifests/noted/json")).json();
  assertEquals(list.annotations, { a: "b", c: "d=e" });
  for (const wrong of ["a=b", '{"a":1}', "[]"]) assertEquals((await create("odd", wrong)).status, 400, wrong);
});

Deno.test("ManifestModify() takes an empty digest for the list itself, as Podman 5.8 means it", async () => {
  await using test = await openTestEngine();
  assertEquals((await test.send("POST", "/v5.8.0/libpod/manifests/whole")).status, 201);
  const body = { operation: "annotate", images: [""], index_annotations: { top: "1" } };
  const reply = await test.send("PUT", "/v5.8.0/libpod/manifests/whole", body);
  assertEquals(reply.status, 200, await reply.text());
  const { annotations } = await (await test.send("GET", "/v5.8.0/libpod/manifests/whole/json")).json();
  assertEquals(annotations, { top: "1" });
});
