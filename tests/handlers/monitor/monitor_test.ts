import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { engineHandler } from "../../../handlers/engine_handler.ts";
import type { RequestEntry } from "../../../handlers/monitor/watch_requests.ts";
import type { Change } from "../../../lib/engine/ports/ports.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** A store whose disk is full when told so. */
class FullStore extends MemoryStore {
  full = false;

  override commit(changes: readonly Change[]): Promise<void> {
    return this.full ? Promise.reject(new Error("database or disk is full")) : super.commit(changes);
  }
}

const json = { "content-type": "application/json" };

Deno.test("ReadMetrics tells of requests, containers and their resources, events and commits", async () => {
  await using test = await openTestEngine();
  const container = { image: TINY_NAME, name: "odd-1" };
  assertEquals((await test.send("POST", "/libpod/containers/create", container, json)).status, 201);
  assertEquals((await test.send("POST", "/libpod/containers/odd-1/start")).status, 204);
  assertEquals((await test.send("GET", "/v1.41/containers/none/json")).status, 404);
  assertEquals((await test.send("GET", "/nowhere/at/all")).status, 404);
  const response = await test.send("GET", "/metrics");
  assertEquals(response.status, 200);
  assertStringIncludes(response.headers.get("content-type") ?? "", "application/openmetrics-text; version=1.0.0");
  const lines = (await response.text()).split("\n");
  const value = (start: string) => Number(lines.find((line) => line.startsWith(`${start} `))?.split(" ").at(-1));
  assertEquals(value('gantry_requests_total{operation="CreateContainer",status="201"}'), 1);
  assertEquals(value('gantry_requests_total{operation="CompatGetContainer",status="404"}'), 1);
  assertEquals(value('gantry_requests_total{operation="none",status="404"}'), 1);
  assertEquals(value('gantry_request_seconds_count{operation="StartContainer"}'), 1);
  assertEquals(value('gantry_containers{state="running"}'), 1);
  assertEquals(value("gantry_images"), 1);
  assertEquals(value('gantry_events_total{type="container",action="start"}'), 1);
  assert(value('gantry_store_commit_seconds_count{outcome="done"}') > 2, "commits are counted");
  const memory = lines.filter((line) => line.startsWith("gantry_container_memory_bytes{"));
  assertEquals(memory.length, 1);
  assertStringIncludes(memory[0], 'name="odd-1"');
  assertEquals(lines.slice(-2), ["# EOF", ""]);
});

Deno.test("ReadMetrics works where there is no kernel", async () => {
  await using test = await openTestEngine({ host: false });
  const response = await test.send("GET", "/metrics");
  assertEquals(response.status, 200);
  assertStringIncludes(await response.text(), "\ngantry_images 1\n");
});

Deno.test("CheckHealth answers 503 and why after a commit that failed, and 200 after one that did not", async () => {
  const store = new FullStore();
  await using test = await openTestEngine({ store });
  assertEquals(await (await test.send("GET", "/healthz")).text(), "ok\n");
  store.full = true;
  assertEquals((await test.send("POST", "/volumes/create", { Name: "v" }, json)).status, 500);
  const response = await test.send("GET", "/healthz");
  assertEquals(response.status, 503);
  assertStringIncludes(await response.text(), "disk is full");
  store.full = false;
  assertEquals((await test.send("POST", "/volumes/create", { Name: "v" }, json)).status, 201);
  assertEquals((await test.send("GET", "/healthz")).status, 200);
});

Deno.test("engineHandler() tells onRequest of each request once, with its operation and the reason of a failure", async () => {
  await using test = await openTestEngine({ pulled: false });
  const entries: RequestEntry[] = [];
  const serve = engineHandler(test.engine, { onRequest: (entry) => void entries.push(entry) });
  const began = performance.now();
  await serve(new Request("http://d/libpod/_ping?token=secret"));
  await serve(new Request("http://d/libpod/containers/none/start", { method: "POST" }));
  await serve(new Request("http://d/nowhere"));
  await serve(new Request("http://d/services"));
  assertEquals(
    entries.map(({ method, path, operation, status }) => [method, path, operation, status]),
    [
      ["GET", "/libpod/_ping", "Ping", 200],
      ["POST", "/libpod/containers/none/start", "StartContainer", 404],
      ["GET", "/nowhere", undefined, 404],
      ["GET", "/services", undefined, 503],
    ],
  );
  const taken = entries.reduce((sum, { duration }) => sum + duration, 0);
  assert(entries.every(({ duration }) => duration > 0) && taken <= performance.now() - began, "durations are measured");
  assertEquals(entries[0].error, undefined);
  const [, { error }] = entries;
  assert(error instanceof Error && error.message.includes("no container"), String(error));
  const [swarm] = entries.slice(-1);
  assert(swarm.error instanceof Error && swarm.error.message.includes("there is nothing"), String(swarm.error));
});
