import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { everySoOften } from "../../../lib/engine/containers/ticks.ts";
import { openFake, spec } from "../../fixtures/engine/fake_engine.ts";

Deno.test("Containers.stats() gives shares of a processor: since the start, and since the look before", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  const { record } = await containers.create(spec({ name: "box" }));
  assertEquals((await containers.stats("box")).usage, undefined);
  await containers.start("box");
  const first = await containers.stats("box");
  const { startedAt } = containers.resolve("box").state;
  const before = { ...first, usage: { ...first.usage!, time: startedAt, cpu: { ...first.usage!.cpu, total: 0 } } };
  const second = await containers.stats("box", before);
  assertEquals(second.record.id, record.id);
  assert(Math.abs(second.averageCPU - 50) < 1);
  assert(Math.abs(second.cpuPercent - 50) < 1);
  // More time than there is now was counted in a life before this one.
  const earlier = { ...first, usage: { ...first.usage!, cpu: { ...first.usage!.cpu, total: 1e18 } } };
  const restarted = await containers.stats("box", earlier);
  assertEquals(restarted.cpuPercent, restarted.averageCPU);
});

Deno.test("Containers.stats() tells a limit as it was set, not as the kernel rounds it", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  // The fake kernel has a limit of 8000.
  await containers.create(spec({ name: "box", resources: { memory: { limit: 8005 } } }));
  await containers.create(spec({ name: "huge", resources: { memory: { limit: 2 ** 40 } } }));
  for (const name of ["box", "huge"]) await containers.start(name);
  const limit = async (name: string) => (await containers.stats(name)).usage?.memory.limit;
  assertEquals([await limit("box"), await limit("huge")], [8005, 8000]);
});

Deno.test("Containers.watchStats() follows those that run, or all, or those that are named", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  for (const name of ["one", "two", "still"]) await containers.create(spec({ name }));
  await containers.start("one");
  await containers.start("two");
  const names = async (options: { names?: string[]; all?: boolean }) => {
    const [stats] = await Array.fromAsync(containers.watchStats({ interval: 1, ...options }));
    return stats.map(({ record, usage }) => `${record.name}${usage ? "" : "-"}`);
  };
  assertEquals(await names({}), ["one", "two"]);
  assertEquals(await names({ all: true }), ["one", "two", "still-"]);
  assertEquals(await names({ names: ["still", "one"] }), ["still-", "one"]);
  await assertRejects(() => names({ names: ["nope"] }), EngineError, "no such container");
  assertThrows(() => containers.watchStats({ interval: 0 }), EngineError, "invalid interval");
  const stop = new AbortController();
  const counts: number[] = [];
  for await (const stats of containers.watchStats({ interval: 1, stream: true, signal: stop.signal })) {
    counts.push(stats.length);
    if (counts.length === 1) await containers.stop("two");
    if (counts.length === 3) stop.abort();
  }
  assertEquals(counts, [2, 1, 1]);
});

Deno.test("everySoOften() keeps its times: what its reader takes does not add up, what was missed is left out", async () => {
  let now = 1000;
  const clock = { now: () => now, sleep: (ms: number) => Promise.resolve(void (now += ms)) };
  const seen: number[] = [];
  for await (const _ of everySoOften(clock, 100)) {
    seen.push(now);
    if (seen.length === 5) break;
    now += seen.length === 3 ? 250 : 30;
  }
  assertEquals(seen, [1100, 1200, 1300, 1600, 1700]);
  const stop = new AbortController();
  stop.abort();
  const real = { now: () => 0, sleep: (_: number, signal?: AbortSignal) => Promise.reject(signal?.reason) };
  for await (const _ of everySoOften(real, 1, stop.signal)) assert(false, "nothing comes after the end");
});
