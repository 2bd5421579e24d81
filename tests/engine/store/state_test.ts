import { assertEquals, assertRejects } from "@std/assert";
import type { Change } from "../../../lib/engine/ports/ports.ts";
import { Intents } from "../../../lib/engine/store/intents.ts";
import { State } from "../../../lib/engine/store/state.ts";
import { untilTrue } from "../../fixtures/until_true.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";

interface Thing {
  name: string;
  size: bigint;
}

/** A memory store whose commits wait for leave, and fail when told to: a fault no real store can be made to have. */
class SlowStore extends MemoryStore {
  readonly batches: number[] = [];
  fails: (changes: readonly Change[]) => boolean = () => false;
  #gate = Promise.withResolvers<void>();

  /** Lets the commit that waits, and later ones, go on. */
  release(): void {
    this.#gate.resolve();
  }

  override async commit(changes: readonly Change[]): Promise<void> {
    // The version that `State.open()` writes into a new store.
    if (changes[0].table === "store") return await super.commit(changes);
    this.batches.push(changes.length);
    await this.#gate.promise;
    if (this.fails(changes)) throw new Error("Disk full");
    await super.commit(changes);
  }
}

Deno.test("State.commit() lasts and shows in the table", async () => {
  const store = new MemoryStore();
  const state = await State.open(store);
  const things = state.table<Thing>("things");
  await state.commit([
    things.put("1", { name: "one", size: 2n ** 64n - 1n }),
    things.put("2", { name: "two", size: 0n }),
  ]);
  await state.commit([things.drop("2"), state.table<Thing>("others").put("x", { name: "x", size: 1n })]);
  assertEquals(things.values(), [{ name: "one", size: 18446744073709551615n }]);

  const again = await State.open(store);
  assertEquals(again.table<Thing>("things").get("1"), { name: "one", size: 18446744073709551615n });
  assertEquals(again.table<Thing>("others").keys(), ["x"]);
  assertEquals(again.table("things") === again.table("things"), true);
});

Deno.test("State.commit() shows nothing before it lasts", async () => {
  const store = new SlowStore();
  const state = await State.open(store);
  const things = state.table<Thing>("things");
  const done = state.commit([things.put("1", { name: "one", size: 1n })]);
  await untilTrue(() => store.batches.length > 0);
  assertEquals([store.batches, things.has("1")], [[1], false]);
  store.release();
  await done;
  assertEquals(things.has("1"), true);
});

Deno.test("State.commit() sends out what gathered while another commit ran as one batch", async () => {
  const store = new SlowStore();
  const state = await State.open(store);
  const things = state.table<Thing>("things");
  const put = (key: string) => state.commit([things.put(key, { name: key, size: 1n })]);
  const first = put("a");
  await untilTrue(() => store.batches.length > 0);
  const rest = ["b", "c", "d"].map(put);
  store.release();
  await Promise.all([first, ...rest]);
  assertEquals(store.batches, [1, 3]);
  assertEquals(things.keys(), ["a", "b", "c", "d"]);
});

Deno.test("State.commit() leaves no trace of a batch that fails, and its neighbours go through", async () => {
  const store = new SlowStore();
  store.fails = (changes) => changes.some(({ key }) => key === "bad");
  store.release();
  const state = await State.open(store);
  const things = state.table<Thing>("things");
  const thing = { name: "x", size: 1n };
  const results = await Promise.allSettled([
    state.commit([things.put("a", thing)]),
    state.commit([things.put("b", thing), things.put("bad", thing)]),
    state.commit([things.put("c", thing)]),
  ]);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assertEquals(things.keys(), ["a", "c"]);
  assertEquals((await store.load()).map(({ table, key }) => [table, key]), [
    ["store", "version"],
    ["things", "a"],
    ["things", "c"],
  ]);
  await assertRejects(() => state.commit([things.put("bad", thing)]), Error, "Disk full");
  await state.settled();
});

Deno.test("State.commitLater() goes out with the next commit, or when the state settles", async () => {
  const store = new SlowStore();
  store.release();
  const state = await State.open(store);
  const things = state.table<Thing>("things");
  const put = (key: string) => things.put(key, { name: key, size: 1n });
  state.commitLater([put("a")]);
  state.commitLater([put("b")]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([store.batches, things.keys()], [[], []]);
  await state.commit([put("c")]);
  assertEquals([store.batches, things.keys()], [[3], ["a", "b", "c"]]);
  state.commitLater([things.drop("a")]);
  await state.settled();
  assertEquals([store.batches, things.keys()], [[3, 1], ["b", "c"]]);
  store.fails = (changes) => changes.some(({ key }) => key === "bad");
  state.commitLater([put("bad")]);
  await state.commit([put("d")]);
  assertEquals(things.keys(), ["b", "c", "d"]);
});

Deno.test("Table.index() follows every change", async () => {
  const state = await State.open(new MemoryStore());
  const things = state.table<Thing>("things");
  await state.commit([things.put("1", { name: "one", size: 1n })]);
  const byName = things.index(({ name }) => [name, name.toUpperCase()]);
  assertEquals(byName.get("ONE")?.size, 1n);
  await state.commit([things.put("1", { name: "uno", size: 2n }), things.put("2", { name: "uno", size: 3n })]);
  assertEquals([byName.get("one"), byName.all("UNO").map(({ size }) => size)], [undefined, [2n, 3n]]);
  await state.commit([things.drop("1"), things.drop("missing")]);
  assertEquals(byName.get("uno")?.size, 3n);
});

Deno.test("Table.withPrefix() finds by the first digits", async () => {
  const state = await State.open(new MemoryStore());
  const things = state.table<string>("things");
  await state.commit(["abc", "abd", "b"].map((key) => things.put(key, key)));
  assertEquals(things.withPrefix("ab"), ["abc", "abd"]);
  assertEquals(things.withPrefix("abd"), ["abd"]);
  assertEquals(things.withPrefix("x"), []);
});

Deno.test("Intents.open() gives what was begun and not ended, also to the next run", async () => {
  const store = new MemoryStore();
  const state = await State.open(store);
  const intents = new Intents(state, () => 1000);
  const one = intents.begin("container.create", "c1", { layer: "x" });
  const two = intents.begin("container.remove", "c2");
  await state.commit([one.operation, two.operation]);
  await state.commit([intents.end(one.intent)]);
  const next = new Intents(await State.open(store), () => 2000);
  assertEquals(next.open("container.remove").map(({ subject }) => subject), ["c2"]);
  assertEquals(next.open("container.create"), []);
  assertEquals(next.begin("k", "s").intent.id !== two.intent.id, true);
});
