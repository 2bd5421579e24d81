import { assertEquals, assertMatch } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function talking(test: TestEngine, spec: Record<string, unknown> = {}): Promise<string> {
  const reply = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, ...spec });
  const { Id } = await reply.json();
  await test.engine.containers.start(Id);
  test.kernel.write(Id, "one\ntwo\n");
  test.kernel.write(Id, "three\n", "stderr");
  return Id;
}

/** Takes frames apart: `1:text`. */
function frames(bytes: Uint8Array): string[] {
  const found: string[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint32(at + 4);
    found.push(`${bytes[at]}:${new TextDecoder().decode(bytes.subarray(at + 8, at + 8 + length))}`);
    at += 8 + length;
  }
  return found;
}

async function read(test: TestEngine, path: string): Promise<string[]> {
  const reply = await test.send("GET", path);
  assertEquals(reply.status, 200, path);
  return frames(new Uint8Array(await reply.arrayBuffer()));
}

Deno.test("LogsFromContainer() frames each stream, chosen by the query", async () => {
  await using test = await openTestEngine();
  const id = await talking(test);
  const logs = `/libpod/containers/${id}/logs`;
  assertEquals(await read(test, `${logs}?stdout=true&stderr=true`), ["1:one\n", "1:two\n", "2:three\n"]);
  assertEquals(await read(test, `${logs}?stderr=true`), ["2:three\n"]);
  assertEquals(await read(test, `${logs}?stdout=true&stderr=true&tail=1`), ["2:three\n"]);
  assertEquals((await read(test, `${logs}?stdout=true&tail=-1&until=0001-01-01T00%3A00%3A00Z`)).length, 2);
  const [stamped] = await read(test, `${logs}?stdout=true&timestamps=true`);
  assertMatch(stamped, /^1:\d{4}-\d\d-\d\dT[\d:.]+Z one\n$/);
});

Deno.test("LogsFromContainer() of a terminal is raw in Docker's tree and framed in the native one", async () => {
  await using test = await openTestEngine();
  const id = await talking(test, { terminal: true });
  const raw = await test.send("GET", `/containers/${id}/logs?stdout=1&stderr=1`);
  assertEquals(await raw.text(), "one\ntwo\nthree\n");
  assertEquals(raw.headers.get("content-type"), "application/vnd.docker.raw-stream");
  assertEquals((await read(test, `/libpod/containers/${id}/logs?stdout=1`)).length, 2);
});

Deno.test("LogsFromContainer() follows until the container ends", async () => {
  await using test = await openTestEngine();
  const id = await talking(test);
  const reply = await test.send("GET", `/libpod/containers/${id}/logs?stdout=true&follow=true&tail=0`);
  setTimeout(() => {
    test.kernel.write(id, "later\n");
    test.kernel.end(id, 0);
  }, 5);
  assertEquals(frames(new Uint8Array(await reply.arrayBuffer())), ["1:later\n"]);
});

for (const tree of ["", "/libpod"]) {
  // Podman waits for the exit of the run it found; Docker closes a container's log driver with its process.
  Deno.test(`LogsFromContainer() in ${tree || "Docker's tree"} ends with the run it follows, though a restart begins another`, async () => {
    await using test = await openTestEngine();
    const id = await talking(test);
    const reply = await test.send("GET", `${tree}/containers/${id}/logs?stdout=true&follow=true`);
    const whole = reply.arrayBuffer();
    test.kernel.write(id, "later\n");
    assertEquals((await test.send("POST", `${tree}/containers/${id}/restart?t=0`)).status, 204);
    assertEquals(frames(new Uint8Array(await whole)), ["1:one\n", "1:two\n", "1:later\n"]);
    assertEquals(test.engine.containers.resolve(id).state.status, "running");
    test.kernel.write(id, "of the second run\n");
    const again = await test.send("GET", `${tree}/containers/${id}/logs?stdout=true&follow=true&tail=1`);
    test.kernel.end(id, 0);
    assertEquals(frames(new Uint8Array(await again.arrayBuffer())), ["1:of the second run\n"]);
  });
}

Deno.test("LogsFromContainer() refuses what makes no sense", async () => {
  await using test = await openTestEngine();
  const id = await talking(test);
  const rows: [query: string, status: number][] = [
    ["", 400],
    ["?stdout=true&tail=few", 400],
    ["?stdout=true&since=yesterday", 400],
    ["?stdout=true&until=never", 400],
    ["?stdout=true&follow=perhaps", 400],
  ];
  for (const [query, status] of rows) {
    const reply = await test.send("GET", `/libpod/containers/${id}/logs${query}`);
    assertEquals(reply.status, status, query);
    await reply.body?.cancel();
  }
  assertEquals((await test.send("GET", "/libpod/containers/none/logs?stdout=true")).status, 404);
});
