import { assert, assertEquals } from "@std/assert";
import { EventIndex } from "../../../lib/engine/store/event_index.ts";
import { type EngineEvent, EventLog } from "../../../lib/engine/store/events.ts";
import type { StreamEntry } from "../../../lib/engine/ports/ports.ts";
import { hostClock } from "../../../lib/platform/clock.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { SQLiteStore } from "../../../lib/platform/storage/sqlite_store.ts";

/** The events that a plain look at all of them finds, as filters test them. */
const fits = (about: readonly string[]) => ({ id, name }: Pick<EngineEvent, "id" | "name">) =>
  about.some((text) => name === text || id.startsWith(text));

/** Forty objects, whose names change now and then. */
function makeEvent(number: number): { id: string; name: string } {
  const object = (number * 7) % 40;
  const id = `${(object * 2654435761 % 0xffff_ffff).toString(16).padStart(8, "0")}${"0".repeat(56)}`;
  return { id, name: number % 90 > 45 ? `object-${object}` : `renamed-${object}` };
}

/** Names, IDs, beginnings of them, what is nobody's, and what is anybody's. */
const QUESTIONS: readonly (readonly string[])[] = [
  ...Array.from({ length: 8 }, (_, i) => [makeEvent(i).id]),
  ...Array.from({ length: 8 }, (_, i) => [makeEvent(i).id.slice(0, i)]),
  ["object-7"],
  ["renamed-7"],
  ["object-7", "renamed-12", makeEvent(3).id.slice(0, 12)],
  ["object"],
  ["nobody"],
  ["é€"],
  [],
];

class CountingStore extends MemoryStore {
  reads = 0;

  override async *read(...args: Parameters<MemoryStore["read"]>): AsyncIterable<StreamEntry> {
    for await (const entry of super.read(...args)) {
      this.reads++;
      yield entry;
    }
  }
}

Deno.test("EventIndex.find() passes over no event that fits, whatever was forgotten, and asks for all where most may", () => {
  const index = new EventIndex();
  const events = Array.from({ length: 5000 }, (_, i) => ({ seq: 11 + i, ...makeEvent(i) }));
  let firstKept = 1;
  for (const event of events) {
    index.add(event.seq, event);
    if (event.seq % 1000 === 0) index.forget(firstKept = event.seq - 1500);
  }
  assertEquals(index.last, 5010);
  for (const about of QUESTIONS) {
    for (const after of [0, firstKept + 700, 5010]) {
      const found = index.find(after, about);
      const wanted = events.filter(({ seq }) => seq > after && seq >= firstKept).filter(fits(about));
      if (found === undefined) assert(wanted.length > 100, about.join());
      const missed = wanted.filter(({ seq }) => found !== undefined && !found.includes(seq));
      assertEquals(missed, [], about.join());
    }
  }
  assertEquals(index.find(0, [""]), undefined);
  assertEquals(index.find(0, ["nobody"]), []);
});

for (const kind of ["memory", "SQLite"]) {
  Deno.test(`EventLog.list() about an object gives what a look at all gives, in a store of ${kind}, while events come and go`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const store = kind === "memory" ? new MemoryStore() : await SQLiteStore.open(`${folder}/store.db`);
    try {
      let number = 0;
      const more = async (log: EventLog, count: number) => {
        for (let i = 0; i < count; i++, number++) {
          log.emit({ type: "container", action: "start", time: number, ...makeEvent(number) }, number % 50 === 0);
          if (number % 20 === 0) await log.flush();
        }
        await log.flush();
      };
      const compare = async (log: EventLog) => {
        for (const about of QUESTIONS) {
          for (const since of [undefined, number - 500]) {
            const query = { follow: false, since, filter: fits(about) };
            const [found, all] = await Promise.all([
              Array.fromAsync(log.list({ ...query, about })),
              Array.fromAsync(log.list(query)),
            ]);
            assertEquals(found, all, about.join());
          }
        }
      };
      const options = { store, clock: hostClock(), limit: 1500, memory: 20_000 };
      let log = await EventLog.open(options);
      await compare(log);
      for (const count of [1000, 40, 1200]) {
        await more(log, count);
        await compare(log);
      }
      await log.close();
      // After a restart, and when all that the index was made of is gone.
      log = await EventLog.open(options);
      await compare(log);
      await more(log, 4000);
      await compare(log);
      await log.close();
    } finally {
      await store.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("EventLog.list() about an object reads the history once for all that ask, and then its own events and what is new", async () => {
  const store = new CountingStore();
  const log = await EventLog.open({ store, clock: hostClock(), limit: 100_000, memory: 20_000 });
  const emit = async (count: number) => {
    for (let i = 0; i < count; i++) {
      log.emit({ type: "container", action: "start", ...makeEvent(i) });
      if (i % 20 === 0) await log.flush();
    }
    await log.flush();
  };
  await emit(3000);
  const about = [makeEvent(3).id];
  const ask = () => Array.fromAsync(log.list({ follow: false, filter: fits(about), about }));
  assertEquals(store.reads, 0);
  // Two at once share the work.
  const [first, second] = await Promise.all([ask(), ask()]);
  assertEquals([first.length, second], [75, first]);
  assert(store.reads < 3200, `${store.reads} events read`);
  store.reads = 0;
  await ask();
  assert(store.reads <= 75, `${store.reads} events read again`);
  store.reads = 0;
  await emit(200);
  assertEquals((await ask()).length, 80);
  assert(store.reads <= 280, `${store.reads} events read for 200 new ones`);
  await log.close();
});
