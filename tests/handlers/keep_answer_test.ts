import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { engineHandler } from "../../handlers/engine_handler.ts";
import { nextStatusChange } from "../../handlers/compat/containers/summary.ts";
import { humanDuration, untilChange } from "../../handlers/compat/containers/state.ts";
import type { ContainerRecord } from "../../lib/engine/records/container_record.ts";
import { listen } from "../../lib/platform/http/listener.ts";
import { openTestEngine, TINY_NAME } from "../fixtures/handlers/test_engine.ts";

Deno.test("answers that are kept tell of every change at once, and are counted", async () => {
  await using test = await openTestEngine();
  const told: string[] = [];
  const handler = engineHandler(test.engine, { onRequest: ({ operation = "" }) => void told.push(operation) });
  await using listener = await listen("tcp://127.0.0.1:0", handler, { keptAnswers: true });
  const base = listener.address.replace("tcp:", "http:");
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      ...body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } },
    });
    return { headers: response.headers, status: response.status, text: await response.text() };
  };
  const get = (path: string) => send("GET", path);
  const { text: made } = await send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "one" });
  const id: string = JSON.parse(made).Id;
  const paths = [
    ...["/_ping", "/libpod/_ping", "/version", "/libpod/version"],
    ...[`/containers/${id}/json`, `/libpod/containers/${id}/json`, "/libpod/containers/json?all=true"],
    ...["/containers/json?all=true", "/images/json", "/libpod/images/json"],
    ...[`/images/${TINY_NAME}/json`, `/v1.41/images/${TINY_NAME}/json`, `/libpod/images/${TINY_NAME}/json`],
  ];
  for (const path of paths) {
    const first = await get(path);
    const again = await get(path);
    assertEquals(again.text, first.text, path);
    assertEquals(again.status, 200, path);
    // Each reply has an identity of its own.
    assertNotEquals(again.headers.get("x-reference-id"), first.headers.get("x-reference-id"));
    const names = (headers: Headers) => [...headers.keys()].sort();
    assertEquals(names(again.headers), names(first.headers), path);
  }
  // Looks from outside only: every one of these has to be seen by the very next answer.
  const states = [];
  for (const change of ["rename?name=two", "start", "pause", "unpause", "kill"]) {
    assert((await send("POST", `/libpod/containers/${id}/${change}`)).status < 300, change);
    const inspected = JSON.parse((await get(`/libpod/containers/${id}/json`)).text);
    const [listed] = JSON.parse((await get("/libpod/containers/json?all=true")).text);
    const [shown] = JSON.parse((await get("/containers/json?all=true")).text);
    assertEquals([inspected.Name, listed.State, shown.State], ["two", inspected.State.Status, inspected.State.Status]);
    states.push(inspected.State.Status);
    if (change !== "start") continue;
    const { text } = await send("POST", `/libpod/containers/${id}/exec`, { Cmd: ["true"] });
    const { ExecIDs } = JSON.parse((await get(`/libpod/containers/${id}/json`)).text);
    assertEquals(ExecIDs, [JSON.parse(text).Id]);
  }
  assertEquals(states.slice(1, 4), ["running", "paused", "running"]);
  assertEquals((await send("POST", `/libpod/images/${TINY_NAME}/tag?repo=other&tag=1`)).status, 201);
  for (const path of ["/images/json", "/libpod/images/json"]) assert((await get(path)).text.includes("other:1"), path);
  assertEquals((await send("DELETE", `/libpod/containers/${id}?force=true`)).status, 200);
  assertEquals((await get(`/libpod/containers/${id}/json`)).status, 404);
  assertEquals(JSON.parse((await get("/libpod/containers/json?all=true")).text), []);
  const pings = told.filter((operation) => operation === "Ping").length;
  await get("/libpod/_ping");
  assertEquals(told.filter((operation) => operation === "Ping").length, pings + 1);
  const count = (await get("/metrics")).text.match(/gantry_requests_total\{operation="Ping",status="200"\} (\d+)/)?.[1];
  assertEquals(Number(count), pings + 1);
});

Deno.test("untilChange() is no longer than a text stays the same", () => {
  for (let ms = -1500; ms < 3 * 86_400_000; ms += ms < 200_000 ? 37 : 123_457) {
    const rest = untilChange(ms);
    assert(rest > 0, `${ms}`);
    assertEquals(humanDuration(ms), humanDuration(ms + rest - 1), `${ms} for ${rest}`);
  }
});

Deno.test("nextStatusChange() is the earliest of all, and never of what has no time in its text", () => {
  const record = (status: string, at: number) =>
    ({ state: { status, startedAt: at, finishedAt: at } }) as unknown as ContainerRecord;
  assertEquals(nextStatusChange([record("created", 0), record("initialized", 0)], 5_300), Infinity);
  assertEquals(nextStatusChange([record("created", 0), record("stopping", 0)], 5_300), 6_000);
  assertEquals(nextStatusChange([record("running", 0), record("exited", 200)], 5_100), 5_200);
  assertEquals(nextStatusChange([record("paused", 0)], 600_000), 660_000);
});
