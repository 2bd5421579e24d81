/** The programs of docs/examples run as their first lines say. `tests/host/host_example_test.ts` runs the one that needs a kernel. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { bundled } from "../fixtures/platform/test_cache.ts";
import { startWorkerd } from "../conformance/workerd.ts";
import { buildImage, pushImage } from "../fixtures/images/image_builder.ts";
import { freePort, startRegistry } from "../fixtures/images/registry.ts";
import { ok, run } from "../fixtures/run.ts";
import { startProgram } from "../fixtures/start_program.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Runs an example to its end and returns the lines that it wrote. */
async function runExample(flags: string[], name: string, ...args: string[]): Promise<string[]> {
  const command = [Deno.execPath(), "run", "--quiet", ...flags, `docs/examples/${name}`, ...args];
  return ok(await run(command, { cwd: root }), name).trimEnd().split("\n");
}

Deno.test("docs/README.md names every example", async () => {
  const page = await Deno.readTextFile(`${root}docs/README.md`);
  for await (const { name } of Deno.readDir(`${root}docs/examples`)) assertStringIncludes(page, `(examples/${name})`);
});

Deno.test("notes_api.ts is served by deno serve, and notes_client.ts calls it", async () => {
  const port = String(await freePort());
  const command = [Deno.execPath(), "serve", "--quiet", "--port", port, "docs/examples/notes_api.ts"];
  await using server = await startProgram(command, root, `http://localhost:${port}/notes`);
  assertEquals(server.answer, "[]");
  assertEquals(await runExample(["--allow-net"], "notes_client.ts", `http://localhost:${port}`), [
    '{ id: 1, text: "buy milk" }',
    "1 found",
    "404 Find note 1: there is none",
  ]);
});

Deno.test("clock_channel.ts reads a channel as lines and over a WebSocket, and its source ends with its caller", async () => {
  const ticks = (options: string) => [1, 2, 3].map((tick) => `${options} ${tick} true`);
  const left = "the caller has left";
  const lines = await runExample(["-A"], "clock_channel.ts");
  assertEquals(lines.filter((line) => line !== left), [
    "line: tick and at",
    ...ticks("{}"),
    ...ticks('{"websocket":true}'),
  ]);
  assertEquals(lines.filter((line) => line === left).length, 3);
});

Deno.test("members_only.ts answers members, by version, and refuses strangers", async () => {
  assertEquals(await runExample(["-A"], "members_only.ts"), [
    "/v1/me Ann",
    '/v2/me {"name":"Ann","since":2024}',
    '/me {"name":"Ann","since":2024}',
    "2024",
    "401 Authenticate: a bearer token is required",
  ]);
});

Deno.test("edge_links.ts runs in workerd, with its links in a bucket", async () => {
  const script = await bundled("docs/examples/edge_links.ts", "workers");
  await using workerd = await startWorkerd({ script, buckets: ["LINKS"] });
  const follow = async () => {
    const response = await fetch(`${workerd.url}/docs`, { redirect: "manual" });
    await response.body?.cancel();
    return [response.status, response.headers.get("location")];
  };
  assertEquals(await follow(), [404, null]);
  const url = "https://docs.example.com/";
  const headers = { "content-type": "application/json" };
  const put = await fetch(`${workerd.url}/docs`, { method: "PUT", headers, body: JSON.stringify({ url }) });
  assertEquals([put.status, await put.text()], [204, ""]);
  assertEquals(await follow(), [302, url]);
});

Deno.test("unix_socket.ts serves on a Unix socket, for its own client and for curl", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-example-" });
  try {
    const lines = await runExample(["-A"], "unix_socket.ts", `${folder}/hello.sock`);
    assertEquals(lines, ["Hello Ann", "Hello curl"]);
    assertEquals([...Deno.readDirSync(folder)], [], "the socket is removed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("memory_engine.ts mirrors an image", async () => {
  const registry = await startRegistry();
  try {
    const image = buildImage({ layers: [{ entries: [{ type: "file", path: "a", content: "a" }] }] });
    await pushImage(registry.url, "from/tiny:1", image);
    const [from, to] = ["from/tiny:1", "to/tiny:2"].map((name) => `${registry.host}/${name}`);
    assertEquals(await runExample(["-A"], "memory_engine.ts", from, to), [
      "linux amd64 1 layers",
      `pushed to ${to}`,
    ]);
    const copied = await fetch(`${registry.url}/v2/to/tiny/tags/list`);
    assertEquals((await copied.json()).tags, ["2"]);
  } finally {
    await registry.close();
  }
});
