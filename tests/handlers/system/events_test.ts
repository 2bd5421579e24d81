import { assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

interface Wire {
  Type: string;
  Action: string;
  Actor: { ID: string; Attributes: Record<string, string> };
  from?: string;
  status?: string;
  HealthStatus?: string;
}

/** The life of one container, told. */
async function live(test: TestEngine): Promise<string> {
  const reply = await test.send("POST", "/libpod/containers/create", {
    image: TINY_NAME,
    name: "one",
    command: ["exit", "3"],
    labels: { which: "this" },
  });
  const { Id } = await reply.json();
  await test.engine.containers.start(Id);
  await test.engine.containers.wait(Id);
  return Id;
}

async function events(test: TestEngine, path: string): Promise<Wire[]> {
  const reply = await test.send("GET", path);
  assertEquals(reply.status, 200, path);
  const text = await reply.text();
  return text.trim() === "" ? [] : text.trim().split("\n").map((line) => JSON.parse(line));
}

const filters = (value: unknown) => `&filters=${encodeURIComponent(JSON.stringify(value))}`;

Deno.test("GetEvents() tells what happened, filtered", async () => {
  await using test = await openTestEngine();
  const id = await live(test);
  const past = "/libpod/events?stream=false&since=1h";
  const actions = async (query: string) => (await events(test, past + query)).map(({ Action }) => Action);
  assertEquals((await actions("")).slice(0, 2), ["pull", "create"]);
  assertEquals(await actions(filters({ event: ["died", "create"] })), ["create", "died"]);
  assertEquals(await actions(filters({ type: ["image"] })), ["pull"]);
  assertEquals((await actions(filters({ container: ["one"], event: ["start"] }))).length, 1);
  assertEquals((await actions(filters({ container: [id.slice(0, 12)], event: ["start"] }))).length, 1);
  assertEquals(await actions(filters({ container: ["two"] })), []);
  assertEquals(await actions(filters({ label: ["which=that"] })), []);
  assertEquals((await actions(filters({ label: ["which=this"], event: ["died"] }))).length, 1);
  assertEquals((await actions(filters({ image: ["tiny"], type: ["container"], event: ["create"] }))).length, 1);
  assertEquals((await test.send("GET", `${past}${filters({ odd: ["x"] })}`)).status, 400);
  assertEquals((await test.send("GET", "/libpod/events?stream=false&since=whenever")).status, 400);
});

Deno.test("GetEvents() gives every client older than 5.0 an exit code, by the one rule for versions", async () => {
  await using test = await openTestEngine();
  await live(test);
  const query = `stream=false&since=1h${filters({ event: ["create"], type: ["container"] })}`;
  const codes = async (version: string) =>
    (await events(test, `${version}/libpod/events?${query}`)).map((event) => event.Actor.Attributes.containerExitCode);
  assertEquals(await Promise.all(["/v4.9.3", "/v3.4.0", "/v5.0.0", ""].map(codes)), [["0"], ["0"], [undefined], [
    undefined,
  ]]);
});

Deno.test("GetEvents() speaks the words of each tree", async () => {
  await using test = await openTestEngine();
  await live(test);
  const query = `stream=false&since=1h${filters({ event: ["died"], type: ["container"] })}`;
  const [native] = await events(test, `/libpod/events?${query}`);
  assertEquals([native.Action, native.Actor.Attributes.containerExitCode, native.from], ["died", "3", TINY_NAME]);
  for (const action of ["died", "die"]) {
    const [docker] = await events(test, `/events?stream=0&since=1h${filters({ event: [action] })}`);
    assertEquals([docker.Action, docker.Actor.Attributes.exitCode], ["die", "3"]);
  }
});

Deno.test("GetEvents() tells of health, in a field of its own and in Docker's word", async () => {
  await using test = await openTestEngine();
  const healthconfig = { Test: ["CMD", "exit", "0"] };
  const made = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "well", healthconfig });
  assertEquals(made.status, 201);
  await test.engine.containers.start("well");
  assertEquals(await test.engine.containers.checkHealth("well"), "healthy");
  const [native] = await events(test, `/libpod/events?stream=false&since=1h${filters({ event: ["health_status"] })}`);
  assertEquals([native.Action, native.HealthStatus], ["health_status", "healthy"]);
  for (const event of ["health_status", "health_status: healthy"]) {
    const [docker] = await events(test, `/events?stream=0&since=1h${filters({ event: [event] })}`);
    assertEquals([docker.Action, docker.status], ["health_status: healthy", "health_status: healthy"]);
  }
  assertEquals(await events(test, `/events?stream=0&since=1h${filters({ event: ["health_status: unhealthy"] })}`), []);
  // A further check that finds the same is one of Podman's events only.
  assertEquals(await test.engine.containers.checkHealth("well"), "healthy");
  const told = async (path: string) => {
    return (await events(test, `${path}?stream=false&since=1h${filters({ event: ["health_status"] })}`)).length;
  };
  assertEquals([await told("/libpod/events"), await told("/events")], [2, 1]);
});

Deno.test("GetEvents() of Docker's tree says nothing twice from version 1.52 on", async () => {
  await using test = await openTestEngine();
  await live(test);
  for (const [version, twice] of [["/v1.44", true], ["/v1.52", false], ["", true]]) {
    const [first] = await events(test, `${version}/events?stream=0&since=1h`);
    assertEquals(["status", "id"].map((key) => key in first), [twice, twice], String(version));
  }
});

Deno.test("GetEvents() gives podman 4 an exit code with everything", async () => {
  await using test = await openTestEngine();
  await live(test);
  const old = await events(test, "/v4.3.1/libpod/events?stream=false&since=1h");
  assertEquals(old.filter(({ Actor }) => Actor.Attributes.containerExitCode === undefined), []);
});

Deno.test("GetEvents() tells podman 4 nothing that it does not know, which would be its end", async () => {
  await using test = await openTestEngine();
  await live(test);
  await test.engine.secrets.create("key", new TextEncoder().encode("secret"));
  const told = async (version: string) =>
    (await events(test, `${version}events?stream=false&since=1h`)).filter(({ Type }) => Type === "secret").length;
  assertEquals(await Promise.all(["/v4.3.1/libpod/", "/v5.4.0/libpod/", "/v1.44/"].map(told)), [0, 1, 1]);
});

Deno.test("GetEvents() follows, and ends when the client goes away", async () => {
  await using test = await openTestEngine();
  const reply = await test.send("GET", `/libpod/events?x=1${filters({ event: ["create"] })}`);
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = reader.read();
  const id = await live(test);
  assertEquals(JSON.parse((await next).value!).Actor.ID, id);
  await reader.cancel();
});
