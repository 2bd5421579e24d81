import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { EventLog } from "../../../lib/engine/store/events.ts";
import type { Clock, Store, StreamEntry, StreamExtent } from "../../../lib/engine/ports/ports.ts";
import { hostClock } from "../../../lib/platform/clock.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";

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
    override append(): Promise<never> {
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

/** A store whose answers wait until they are let go, and that counts what is read of it. */
class WatchedStore extends MemoryStore {
  reads = 0;
  gate: Promise<void> = Promise.resolve();

  override async append(...args: Parameters<MemoryStore["append"]>): Promise<StreamExtent> {
    const extent = await super.append(...args);
    await this.gate;
    return extent;
  }

  override async *read(...args: Parameters<MemoryStore["read"]>): AsyncIterable<StreamEntry> {
    for await (const entry of super.read(...args)) {
      this.reads++;
      yield entry;
    }
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

Deno.test("EventLog.open() reads nothing of the history, and live readers need none of it", async () => {
  const store = new WatchedStore();
  const log = await openLog(store);
  for (let i = 0; i < 500; i++) emit(log, String(i));
  await log.close();
  const next = await openLog(store);
  const { ids, done } = collect(next, { follow: true });
  emit(next, "live");
  await next.flush();
  assertEquals(store.reads, 0);
  const all = await Array.fromAsync(next.list({ follow: false }));
  assertEquals(all.map(({ id }) => id), [...numbers(0, 500), "live"]);
  await next.close();
  await done;
  assertEquals(ids, ["live"]);
});

Deno.test("EventLog keeps a bounded number of bytes in memory and in the store", async () => {
  const store = new WatchedStore();
  const log = await EventLog.open({ store, clock: hostClock(), limit: 10_000, bytes: 400_000, memory: 50_000 });
  const large = { label: "x".repeat(3000) };
  for (let i = 0; i < 1000; i++) {
    log.emit({ type: "container", action: "start", id: String(i), attributes: large });
    if (i % 10 === 0) await log.flush();
  }
  await log.flush();
  assert((log.end - log.start) * 3000 < 60_000, `${log.end - log.start} events in memory`);
  const kept = await Array.fromAsync(store.read("events"));
  const bytes = kept.reduce((sum, { value }) => sum + value.length, 0);
  assert(bytes < 407_000 && bytes > 390_000, `${bytes} bytes in the store`);
  const ids = (await Array.fromAsync(log.list({ follow: false }))).map(({ id }) => id);
  assertEquals(ids, numbers(1000 - kept.length, 1000));
  await log.close();
});

Deno.test("EventLog.list() reads across store and memory, whoever is slow, without a gap and in order", async () => {
  const store = new WatchedStore();
  const log = await EventLog.open({ store, clock: hostClock(), limit: 10_000, memory: 2000 });
  let next = 0;
  const more = (count: number) => {
    for (let i = 0; i < count; i++) emit(log, String(next++));
  };
  for (let i = 0; i < 30; i++) {
    more(10);
    await log.flush();
  }
  const history = log.list({ follow: true, since: 0 })[Symbol.asyncIterator]();
  const live = log.list({ follow: true })[Symbol.asyncIterator]();
  const [fromHistory, fromLive]: [string[], string[]] = [[], []];
  const take = async (reader: typeof live, ids: string[]) => ids.push((await reader.next()).value!.id);
  for (let i = 0; i < 200; i++) {
    more(i % 5);
    if (i % 3 === 0) await log.flush();
    await take(history, fromHistory);
    // It takes less than comes in: soon what it wants is in the store only.
    if (i % 10 === 0 && i > 0) await take(live, fromLive);
  }
  const end = next;
  while (fromHistory.length < end) await take(history, fromHistory);
  while (fromLive.length < end - 300) await take(live, fromLive);
  assertEquals(fromHistory, numbers(0, end));
  assertEquals(fromLive, numbers(300, end));
  assert(store.reads > 300, "the store was read");
  const whole = await Array.fromAsync(log.list({ follow: false, filter: ({ id }) => Number(id) % 2 === 0 }));
  assertEquals(whole.map(({ id }) => id), numbers(0, end).filter((id) => Number(id) % 2 === 0));
  await log.close();
});

Deno.test("EventLog.list() that does not follow ends where the log ended when it was asked for", async () => {
  const store = new WatchedStore();
  const log = await EventLog.open({ store, clock: hostClock(), limit: 10_000, memory: 2000 });
  const gate = Promise.withResolvers<void>();
  for (let i = 0; i < 200; i++) {
    emit(log, String(i));
    if (i % 10 === 0) await log.flush();
  }
  await log.flush();
  store.gate = gate.promise;
  // These are not in the store yet.
  for (let i = 200; i < 210; i++) emit(log, String(i));
  const reader = log.list({ follow: false })[Symbol.asyncIterator]();
  const ids = [(await reader.next()).value!.id];
  gate.resolve();
  for (let i = 210; i < 900; i++) {
    emit(log, String(i));
    if (i % 20 === 0) await log.flush();
  }
  await log.flush();
  for (let next = await reader.next(); !next.done; next = await reader.next()) ids.push(next.value.id);
  assertEquals(ids, numbers(0, 210));
  await log.close();
});

Deno.test("EventLog.list() fails for a slow reader of history whose next events the store has dropped", async () => {
  const log = await EventLog.open({ store: new MemoryStore(), clock: hostClock(), limit: 100, memory: 1000 });
  for (let i = 0; i < 100; i++) emit(log, String(i));
  await log.flush();
  const reader = log.list({ follow: true, since: 0 })[Symbol.asyncIterator]();
  assertEquals((await reader.next()).value!.id, "0");
  for (let i = 0; i < 400; i++) {
    emit(log, String(100 + i));
    if (i % 10 === 0) await log.flush();
  }
  await log.flush();
  const error = await assertRejects(() => reader.next(), EngineError);
  assertEquals(error.code, "limit");
  await log.close();
});

Deno.test("EventLog.list() lets others have their turn while it filters a long history", async () => {
  let turns = 0;
  const clock: Clock = { now: () => Date.now(), sleep: () => (turns++, turn()).then(() => {}) };
  const log = await EventLog.open({ store: new MemoryStore(), clock, limit: 100_000, memory: 20_000 });
  const attributes = { label: "x".repeat(10_000) };
  for (let i = 0; i < 300; i++) {
    log.emit({ type: "container", action: "start", id: String(i), attributes });
    await log.flush();
  }
  assertEquals(await Array.fromAsync(log.list({ follow: false, filter: () => false })), []);
  assert(turns >= 5, `${turns} turns for 3 MB`);
  await log.close();
});

Deno.test("EventLog holds no more than a few times its share while the store does not answer", async () => {
  const store = new WatchedStore();
  store.gate = new Promise(() => {});
  const errors: unknown[] = [];
  const options = { store, clock: hostClock(), limit: 10_000, memory: 50_000 };
  const log = await EventLog.open({ ...options, onError: (error) => errors.push(error) });
  const attributes = { label: "x".repeat(1000) };
  for (let i = 0; i < 1000; i++) log.emit({ type: "container", action: "start", id: String(i), attributes });
  assert((log.end - log.start) * 1000 < 250_000, `${log.end - log.start} events in memory`);
  assert(errors.length > 0, "the loss is told of");
});

Deno.test("EventLog.emit() cuts attributes that are too large and keeps name, image and ID", async () => {
  const log = await openLog();
  const labels = { small: "kept", large: "x".repeat(3 << 20), other: "y".repeat(1 << 20) };
  const id = "f".repeat(64);
  log.emit({ type: "container", action: "start", id, name: "box", image: "i", attributes: { ...labels, name: "box" } });
  const [event] = await Array.fromAsync(log.list({ follow: false }));
  assertEquals([event.id, event.name, event.image, event.attributes.small], [id, "box", "i", "kept"]);
  assertEquals([event.attributes.large, event.attributes["io.gantry.omitted"]], [undefined, "1"]);
  assert(event.attributes.other.endsWith("… (cut)"));
  assert(JSON.stringify(event).length < 50_000);
});
