import { assert, assertEquals } from "@std/assert";
import type { Row, Store, StreamRange } from "../../lib/engine/ports.ts";

/** A store under test: `open` gives it empty, `reopen` closes it and opens what lasted (absent where nothing lasts). */
export interface StoreCase {
  name: string;
  open(): Promise<{ store: Store; reopen?: () => Promise<Store>; [Symbol.asyncDispose](): Promise<void> }>;
}

/** What every {@linkcode Store} has to do. */
export function testStore({ name, open }: StoreCase): void {
  Deno.test(`${name}.commit() puts, replaces and deletes`, async () => {
    await using opened = await open();
    const { store, reopen } = opened;
    assertEquals(await store.load(), []);
    await store.commit([
      { table: "a", key: "1", value: "one" },
      { table: "a", key: "2", value: "two" },
      { table: "b", key: "1", value: "other" },
    ]);
    await store.commit([
      { table: "a", key: "1", value: null },
      { table: "a", key: "2", value: "zwei" },
      { table: "a", key: "missing", value: null },
    ]);
    const expected = [{ table: "a", key: "2", value: "zwei" }, { table: "b", key: "1", value: "other" }];
    assertEquals(sorted(await store.load()), expected);
    if (reopen) assertEquals(sorted(await (await reopen()).load()), expected);
  });

  Deno.test(`${name}.commit() keeps the order within a batch and any text`, async () => {
    await using opened = await open();
    const text = `quotes ' " \\ newline \n null-ish \u0001 emoji 🦀 ${"x".repeat(100_000)}`;
    await opened.store.commit([
      { table: "t", key: "k", value: "first" },
      { table: "t", key: "k", value: null },
      { table: "t", key: "k", value: text },
    ]);
    const store = await opened.reopen?.() ?? opened.store;
    assertEquals(await store.load(), [{ table: "t", key: "k", value: text }]);
  });

  Deno.test(`${name}.commit() takes calls at once`, async () => {
    await using opened = await open();
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => opened.store.commit([{ table: "t", key: String(i), value: String(i) }])),
    );
    assertEquals((await opened.store.load()).length, 50);
  });

  Deno.test(`${name}.append() keeps order and rising numbers`, async () => {
    await using opened = await open();
    await opened.store.append("s", [{ time: 10.25, value: "a" }, { time: 10.25, value: "b" }]);
    await opened.store.append("other", [{ time: 1, value: "x" }]);
    await opened.store.append("s", [{ time: 12, value: "c" }]);
    const store = await opened.reopen?.() ?? opened.store;
    await store.append("s", [{ time: 11, value: "d" }]);
    const entries = await Array.fromAsync(store.read("s"));
    assertEquals(entries.map(({ time, value }) => [time, value]), [[10.25, "a"], [10.25, "b"], [12, "c"], [11, "d"]]);
    assertEquals(entries.every(({ seq }, i) => i === 0 || seq > entries[i - 1].seq), true);
    assertEquals((await Array.fromAsync(store.read("s", { since: 11 }))).map(({ value }) => value), ["c", "d"]);
  });

  Deno.test(`${name}.append() drops what retention no longer keeps`, async () => {
    await using opened = await open();
    for (let i = 0; i < 30; i++) {
      await opened.store.append("s", [{ time: i, value: `${i}` }, { time: i, value: `${i}b` }], { records: 5 });
    }
    await opened.store.append("kept", [{ time: 0, value: "stays" }]);
    const store = await opened.reopen?.() ?? opened.store;
    const values = (await Array.fromAsync(store.read("s"))).map(({ value }) => value);
    assertEquals(values, ["27b", "28", "28b", "29", "29b"]);
    assertEquals((await Array.fromAsync(store.read("kept"))).length, 1);
  });

  Deno.test(`${name}.append() drops what has more bytes than retention keeps, whatever the number of records`, async () => {
    await using opened = await open();
    const { store } = opened;
    const values = async () => (await Array.fromAsync(store.read("s"))).map(({ value }) => value);
    await store.append("s", [{ time: 1, value: "x".repeat(50) }, { time: 2, value: "ä" }], { bytes: 51 });
    assertEquals(await values(), ["ä"]);
    const extent = await store.append("s", [{ time: 3, value: "aa" }, { time: 4, value: "bb" }], { bytes: 6 });
    assertEquals(extent, { first: 2, last: 4, time: 4 });
    assertEquals(await values(), ["ä", "aa", "bb"]);
    await store.append("s", [{ time: 5, value: "c" }], { bytes: 6, records: 4 });
    assertEquals(await values(), ["aa", "bb", "c"]);
    await store.append("s", [{ time: 6, value: "too large" }], { bytes: 6 });
    assertEquals(await values(), []);
    assertEquals(await store.extent("s"), { first: 7, last: 6, time: undefined });
    await store.append("s", [{ time: 7, value: "next" }], { bytes: 6 });
    assertEquals((await Array.fromAsync(store.read("s"))).map(({ seq, value }) => [seq, value]), [[7, "next"]]);
  });

  Deno.test(`${name}.trim() drops what an earlier retention has kept, in pieces, and the rest counts on`, async () => {
    await using opened = await open();
    for (let i = 0; i < 30; i++) {
      await opened.store.append("s", [{ time: i, value: `${i}`.padEnd(900_000, ".") }]);
    }
    const store = await opened.reopen?.() ?? opened.store;
    assertEquals(await store.extent("s"), { first: 1, last: 30, time: 29 });
    let pieces = 1;
    while (await store.trim("s", { bytes: 2_000_000 })) assert(++pieces < 30);
    const kept = async () => (await Array.fromAsync(store.read("s"))).map(({ value }) => value.slice(0, 2));
    assertEquals(await kept(), ["28", "29"]);
    await store.append("s", [{ time: 30, value: "30".padEnd(900_000, ".") }], { bytes: 2_000_000 });
    assertEquals(await kept(), ["29", "30"]);
    assertEquals(await store.extent("s"), { first: 30, last: 31, time: 30 });
  });

  Deno.test(`${name}.read() goes on after a number, and passes over what is too large`, async () => {
    await using opened = await open();
    const { store } = opened;
    await store.append("s", [1, 2, 3, 4].map((time) => ({ time, value: String(time) })));
    const values = async (range: StreamRange) =>
      (await Array.fromAsync(store.read("s", range))).map(({ value }) => value);
    assertEquals(await values({ after: 2 }), ["3", "4"]);
    assertEquals(await values({ after: 1, since: 3 }), ["3", "4"]);
    assertEquals(await values({ after: 4 }), []);
    await store.append("s", [{ time: 5, value: "ää" }, { time: 6, value: "end" }]);
    assertEquals(await values({ most: 3 }), ["1", "2", "3", "4", "end"]);
    assertEquals(await values({ most: 4, after: 4 }), ["ää", "end"]);
    assertEquals(await store.extent("other"), { first: 1, last: 0, time: undefined });
  });

  Deno.test(`${name}.read() gives long streams whole, while others append`, async () => {
    await using opened = await open();
    const entries = Array.from({ length: 2000 }, (_, i) => ({ time: i, value: String(i) }));
    await opened.store.append("s", entries);
    let count = 0;
    for await (const entry of opened.store.read("s")) {
      if (entry.value === String(count)) count++;
      if (count === 700) await opened.store.commit([{ table: "t", key: "k", value: "v" }]);
    }
    assertEquals(count, 2000);
  });

  Deno.test(`${name}.drop() forgets a whole stream`, async () => {
    await using opened = await open();
    await opened.store.append("s", [{ time: 1, value: "a" }]);
    await opened.store.append("t", [{ time: 1, value: "b" }]);
    await opened.store.drop("s");
    assertEquals(await Array.fromAsync(opened.store.read("s")), []);
    assertEquals((await Array.fromAsync(opened.store.read("t"))).length, 1);
    await opened.store.append("s", [{ time: 2, value: "again" }]);
    assertEquals((await Array.fromAsync(opened.store.read("s"))).map(({ value }) => value), ["again"]);
  });
}

function sorted(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.table < b.table || (a.table === b.table && a.key < b.key) ? -1 : 1);
}
