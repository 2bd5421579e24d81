import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../lib/engine/errors.ts";
import { EventLog } from "../../lib/engine/events.ts";
import type { Clock, Store } from "../../lib/engine/ports.ts";
import { hostClock } from "../../lib/platform/clock.ts";
import { MemoryStore } from "../../lib/platform/memory_store.ts";

const openLog = (store: Store = new MemoryStore(), limit = 1000, clock: Clock = hostClock()) =>
  EventLog.open({ store, clock, limit });
const emit = (log: EventLog, id: string, time?: number) =>
  log.emit({ type: "container", action: "start", id, ...time === undefined ? {} : { time } });
const turn = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Reads in the background into the array it gives. */
function collect(log: EventLog, query: Parameters<EventLog["list"]>[0]): { ids: string[]; done: Promise<void> } {
  const ids: string[] = [];
  const done = (async () => {
    for await (const event of log.list(query)) ids.push(event.id);
  })();
  return { ids, done };
}

Deno.test("EventLog.list() gives history within since and until, and filters", async () => {
  const log = await openLog();
  for (let i = 1; i <= 6; i++) emit(log, String(i), i * 1000);
  const ids = async (query: { since?: number; until?: number; filter?: (event: { id: string }) => boolean }) =>
    (await Array.fromAsync(log.list({ follow: false, ...query }))).map(({ id }) => id).join("");
  assertEquals(await ids({}), "123456");
  assertEquals(await ids({ since: 3000 }), "3456");
  assertEquals(await ids({ since: 2500, until: 5000 }), "345");
  assertEquals(await ids({ filter: ({ id }) => Number(id) % 2 === 0 }), "246");
});

Deno.test("EventLog.list() that follows has no gap and no double between history and live", async () => {
  const log = await openLog();
  let next = 0;
  const expected: string[] = [];
  for (; next < 50; next++) emit(log, String(next));
  const readers = Array.from({ length: 5 }, () => collect(log, { follow: true, since: 0 }));
  for (; next < 500; next++) {
    emit(log, String(next));
    if (next % 7 === 0) await turn();
    if (next === 200) readers.push(collect(log, { follow: true, since: 0 }));
  }
  for (let i = 0; i < next; i++) expected.push(String(i));
  await log.close();
  for (const { ids, done } of readers) {
    await done;
    assertEquals(ids, expected);
  }
});

Deno.test("EventLog.list() that follows without since begins now", async () => {
  const log = await openLog();
  emit(log, "old");
  const abort = new AbortController();
  const { ids, done } = collect(log, { follow: true, signal: abort.signal });
  emit(log, "new");
  await turn();
  abort.abort();
  await done;
  assertEquals(ids, ["new"]);
});

Deno.test("EventLog.list() ends while it waits, by return, by signal and by until", async () => {
  const log = await openLog();
  const reader = log.list({ follow: true })[Symbol.asyncIterator]();
  const waiting = reader.next();
  await reader.return?.();
  assertEquals((await waiting).done, true);
  const now = Date.now();
  const { ids, done } = collect(log, { follow: true, since: 0, until: now + 60 });
  emit(log, "in time");
  emit(log, "later", now + 100_000);
  await done;
  assertEquals(ids, ["in time"]);
  assertEquals(await Array.fromAsync(log.list({ follow: true, until: now - 1 })), []);
  await log.close();
});

Deno.test("EventLog keeps the newest, in memory and in the store", async () => {
  const store = new MemoryStore();
  const log = await openLog(store, 100);
  for (let i = 0; i < 1000; i++) emit(log, String(i));
  await log.close();
  const kept = await openLog(store, 100);
  const ids = (await Array.fromAsync(kept.list({ follow: false }))).map(({ id }) => id);
  assertEquals(ids, Array.from({ length: 100 }, (_, i) => String(900 + i)));
  assertEquals((await Array.fromAsync(store.read("events"))).length, 100);
});

Deno.test("EventLog.emit() gives rising times when the clock stands or goes back", async () => {
  let now = 1_700_000_000_000;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const log = await openLog(new MemoryStore(), 100, clock);
  const times = [emit(log, "1"), emit(log, "2")].map(({ time }) => time);
  now -= 5000;
  times.push(emit(log, "3").time);
  assertEquals(times.every((time, i) => i === 0 || time > times[i - 1]), true);
  const [, second] = times;
  assertEquals((await Array.fromAsync(log.list({ follow: false, since: second + 0.0005 }))).map(({ id }) => id), ["3"]);
});

Deno.test("EventLog.list() fails for a reader that falls a whole ring behind", async () => {
  const log = await openLog(new MemoryStore(), 50);
  const reader = log.list({ follow: true })[Symbol.asyncIterator]();
  for (let i = 0; i < 500; i++) emit(log, String(i));
  const error = await assertRejects(() => reader.next(), EngineError);
  assertEquals(error.code, "limit");
});

Deno.test("EventLog.emit() goes on when the store fails", async () => {
  class Broken extends MemoryStore {
    override append(): Promise<void> {
      return Promise.reject(new Error("Disk full"));
    }
  }
  const errors: unknown[] = [];
  const log = await EventLog.open({
    store: new Broken(),
    clock: hostClock(),
    limit: 10,
    onError: (error) => errors.push(error),
  });
  emit(log, "1");
  await log.flush();
  assertEquals(errors.length, 1);
  assertEquals((await Array.fromAsync(log.list({ follow: false }))).length, 1);
});
