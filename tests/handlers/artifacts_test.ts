import { assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine } from "../fixtures/handlers/test_engine.ts";

const NAME = "quay.io/team/model:1";

function add(test: TestEngine, query: string, body = "content"): Promise<Response> {
  const bytes = new TextEncoder().encode(body);
  return Promise.resolve(
    test.serve(new Request(`http://d/libpod/artifacts/add?${query}`, { method: "POST", body: bytes })),
  );
}

Deno.test("AddArtifact, InspectArtifact, ListArtifact, ExtractArtifact and the removals tell what clients expect", async () => {
  await using test = await openTestEngine();
  const added = await add(test, `name=${NAME}&fileName=one&annotations=a=b&annotations=c=d&artifactMIMEType=x/y`);
  const { ArtifactDigest } = await added.json();
  assertEquals([added.status, ArtifactDigest.slice(0, 7)], [201, "sha256:"]);
  await (await add(test, `name=${NAME}&fileName=two&append=true&fileMIMEType=f/t`)).body?.cancel();
  const inspected = await (await test.send("GET", `/libpod/artifacts/${NAME}/json`)).json();
  assertEquals([inspected.Name, inspected.Manifest.artifactType, inspected.Manifest.config.data], [
    NAME,
    "x/y",
    "e30=",
  ]);
  assertEquals(inspected.Manifest.layers[0].annotations, { a: "b", c: "d", "org.opencontainers.image.title": "one" });
  assertEquals(await (await test.send("GET", "/engine/artifacts/json")).json(), [inspected]);
  const extracted = await test.send("GET", `/libpod/artifacts/${NAME}/extract?title=two`);
  assertEquals([extracted.status, extracted.headers.get("content-type")], [200, "application/x-tar"]);
  assertEquals((await extracted.arrayBuffer()).byteLength, 512 * 4);
  const removed = await test.send("DELETE", `/libpod/artifacts/remove?Artifacts=${NAME}&Artifacts=none&ignore=true`);
  assertEquals(await removed.json(), { ArtifactDigests: [inspected.Digest] });
});

Deno.test("operations on artifacts answer as Podman does when they cannot", async () => {
  await using test = await openTestEngine();
  await (await add(test, `name=${NAME}&fileName=one`)).body?.cancel();
  const cases: [method: string, path: string, status: number, cause: string][] = [
    ["GET", "/none/json", 404, "artifact does not exist"],
    ["GET", "/localhost/none:1/extract", 404, "artifact does not exist"],
    ["GET", `/${NAME}/extract?title=none`, 500, 'no blob with the title "none"'],
    ["DELETE", "/localhost/none:1", 404, "artifact does not exist"],
    ["DELETE", "/remove?artifacts=none", 404, "artifact does not exist"],
    ["DELETE", "/remove", 400, "an artifact or all option must be specified"],
    [
      "DELETE",
      "/remove?all=true&artifacts=x",
      400,
      "when setting all to true, you may not pass any artifact names or digests",
    ],
    ["POST", "/pull", 400, "name parameter is required"],
    ["POST", "/add?fileName=x", 400, "name and file parameters are required"],
    ["POST", `/add?name=${NAME}&fileName=x`, 500, "artifact already exists"],
    ["POST", `/add?name=${NAME}&fileName=one&append=true`, 500, "file already exists in artifact"],
    [
      "POST",
      `/add?name=${NAME}&fileName=x&append=true&artifactMIMEType=t`,
      500,
      "append option is not compatible with type option",
    ],
    ["POST", "/add?name=localhost/none:1&fileName=x&append=true", 404, "artifact does not exist"],
    ["POST", `/add?name=localhost/a:1&fileName=x&annotations=x`, 400, 'invalid annotation "x": must be key=value'],
    ["POST", "/local/add?name=localhost/a:1", 400, "name and file parameters are required"],
    ["POST", "/localhost/none:1/push", 404, 'no descriptor found for reference "localhost/none:1"'],
  ];
  for (const [method, path, status, cause] of cases) {
    const reply = await test.send(method, `/libpod/artifacts${path}`);
    assertEquals([reply.status, (await reply.json()).cause], [status, cause], `${method} ${path}`);
  }
});
