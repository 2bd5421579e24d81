import { assert, assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

type Report = Record<string, unknown>;

async function pull(test: TestEngine, query: string, headers?: HeadersInit): Promise<[number, Report[]]> {
  const reply = await test.send("POST", `/v4.3.1/libpod/images/pull?${query}`, undefined, headers);
  const text = await reply.text();
  return [reply.status, text.trim().split("\n").map((line) => JSON.parse(line))];
}

Deno.test("ImagesPull() tells how it goes, line by line, and ends with the images", async () => {
  await using test = await openTestEngine({ pulled: false });
  // As podman 4.3.1 asks, empty values and all.
  const query =
    `alltags=false&arch=&authfile=&os=&password=&policy=missing&quiet=false&reference=${TINY_NAME}&username=`;
  const [status, reports] = await pull(test, query, { "X-Registry-Auth": "e30=" });
  assertEquals(status, 200);
  assert(reports.length > 2);
  assertEquals(reports.slice(0, -1).every(({ stream }) => typeof stream === "string" && stream.endsWith("\n")), true);
  assertEquals(reports.at(-1), { status: "success", images: [TINY.id], id: TINY.id });
  const before = test.requests.length;
  assertEquals((await pull(test, query))[0], 200);
  assertEquals(test.requests.length, before, "the policy asks nobody for what is here");
});

Deno.test("ImagesPull() has a form for quiet, detailed and Docker's clients", async () => {
  await using test = await openTestEngine({ pulled: false });
  const [, detailed] = await pull(test, `reference=${TINY_NAME}&pullProgress=true`);
  assert(detailed.some(({ pullProgress }) => (pullProgress as Report)?.progressComponentID === TINY.layers[0].digest));
  assertEquals(await pull(test, `reference=${TINY_NAME}&quiet=true`), [200, [
    { status: "success", images: [TINY.id], id: TINY.id },
  ]]);
  const [, docker] = await pull(test, `reference=${TINY_NAME}&compatMode=true`);
  assertEquals(docker[0], { status: "Pulling from localhost:5000/team/tiny", id: "1" });
});

Deno.test("ImagesPull() answers what fails at once with a status of its own", async () => {
  await using test = await openTestEngine({ pulled: false });
  const rows: [query: string, status: number][] = [
    ["", 400],
    ["reference=A:::", 400],
    [`reference=${TINY_NAME}&policy=sometimes`, 400],
    [`reference=${TINY_NAME}&quiet=true&compatMode=true`, 400],
    [`reference=${TINY_NAME}&tlsVerify=perhaps`, 400],
    ["reference=localhost:5000/team/other:2", 404],
    ["reference=localhost:5000/x/broken/a:1", 500],
    ["reference=localhost:5000/x/secret/a:1", 401],
    ["reference=localhost:5000/x/secret/a:1&quiet=true", 401],
  ];
  for (const [query, status] of rows) {
    const [found, [model]] = await pull(test, query);
    assertEquals([found, model.response], [status, status], query);
  }
  assertEquals(await (await test.send("GET", "/libpod/images/json")).json(), [], "nothing of it stays");
});

Deno.test("ImagesPull() and its twin sign in with the request's credentials", async () => {
  await using test = await openTestEngine({ pulled: false });
  const headers = { "X-Registry-Auth": btoa(JSON.stringify({ username: "ann", password: "pw" })) };
  assertEquals((await pull(test, "reference=localhost:5000/x/secret/a:1", headers))[0], 200);
  const twin = await test.send("POST", "/images/create?fromImage=localhost:5000/x/secret/b&tag=1", undefined, headers);
  assertEquals(twin.status, 200);
  const lines = (await twin.text()).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.some(({ error }) => error !== undefined), false);
  const name = "localhost:5000/x/secret/b:1";
  assertEquals(lines.slice(-3), [
    { status: "Download complete", id: TINY.id.slice(0, 12) },
    { status: `Digest: ${test.engine.images.resolve(name).digest}` },
    { status: `Status: Downloaded newer image for ${name}` },
  ]);
  const again = await test.send("POST", `/images/create?fromImage=${name}`, undefined, headers);
  assertEquals((await again.text()).includes(`"Status: Image is up to date for ${name}"`), true);
});

Deno.test("ImagesBatchRemove() reports errors beside what went", async () => {
  await using test = await openTestEngine();
  const reply = await test.send("DELETE", `/libpod/images/remove?images=${TINY_NAME}&images=nope`);
  assertEquals([reply.status, await reply.json()], [200, {
    Deleted: [TINY.id],
    Untagged: [TINY_NAME],
    ExitCode: 1,
    Errors: ["nope: image not known"],
  }]);
});

Deno.test("ImagesRemove() answers 404 for what is not there and 409 for what is in use", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/libpod/containers/create", { image: TINY_NAME });
  assertEquals((await test.send("DELETE", "/libpod/images/nope")).status, 404);
  assertEquals((await test.send("DELETE", `/libpod/images/${TINY_NAME}`)).status, 409);
  assertEquals((await test.send("DELETE", `/images/${TINY_NAME}`)).status, 409);
  assertEquals((await test.send("DELETE", `/libpod/images/${TINY_NAME}?force=true`)).status, 200);
});

Deno.test("TagImage() and UntagImage() change an image's names", async () => {
  await using test = await openTestEngine();
  const names = async () => (await (await test.send("GET", `/libpod/images/${TINY.id}/json`)).json()).RepoTags.sort();
  const rows: [path: string, status: number][] = [
    ["tag?repo=quay.io/team/other&tag=2", 201],
    ["tag?repo=quay.io/team/third:3&tag=", 201],
    ["tag?repo=", 400],
    ["untag?repo=quay.io/team/other&tag=2", 201],
    ["untag?tag=2", 400],
  ];
  for (const [path, status] of rows) {
    assertEquals((await test.send("POST", `/libpod/images/${TINY.id}/${path}`)).status, status, path);
  }
  assertEquals(await names(), [TINY_NAME, "quay.io/team/third:3"]);
  assertEquals((await test.send("POST", `/libpod/images/${TINY.id}/untag?repo=&tag=`)).status, 201);
  assertEquals(await names(), []);
});

Deno.test("GetImage() of Docker's tree says what docker-py looks for", async () => {
  await using test = await openTestEngine();
  const reply = await test.send("GET", "/images/nope/json");
  const { message } = await reply.json();
  assertEquals(reply.status, 404);
  assert(message.includes("No such image"), message);
});
