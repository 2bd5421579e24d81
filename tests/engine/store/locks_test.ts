import { assertEquals, assertRejects } from "@std/assert";
import { Locks } from "../../../lib/engine/store/locks.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("Locks.with() lets one in at a time, in order, and other keys pass", async () => {
  const locks = new Locks();
  const log: string[] = [];
  const work = (key: string, name: string, ms: number) =>
    locks.with(key, async () => {
      log.push(`+${name}`);
      await pause(ms);
      log.push(`-${name}`);
      return name;
    });
  const results = await Promise.all([work("a", "1", 10), work("a", "2", 1), work("a", "3", 0), work("b", "4", 2)]);
  assertEquals(results, ["1", "2", "3", "4"]);
  assertEquals(log.filter((entry) => !entry.endsWith("4")), ["+1", "-1", "+2", "-2", "+3", "-3"]);
  assertEquals(log.indexOf("+4") < log.indexOf("-1"), true);
  await pause(0);
  assertEquals([locks.isHeld("a"), locks.isHeld("b")], [false, false]);
});

Deno.test("Locks.with() lets go when the work throws", async () => {
  const locks = new Locks();
  await assertRejects(() => locks.with("a", () => Promise.reject(new Error("No"))), Error, "No");
  await assertRejects(
    () =>
      locks.with("a", () => {
        throw new Error("Not at all");
      }),
    Error,
    "Not at all",
  );
  assertEquals(await locks.with("a", () => 1), 1);
});

Deno.test("Locks.with() gives up waiting at its signal, and the turn goes on", async () => {
  const locks = new Locks();
  const abort = new AbortController();
  const log: string[] = [];
  const first = locks.with("a", () => pause(20).then(() => log.push("first")));
  const second = locks.with("a", () => log.push("second"), abort.signal);
  const third = locks.with("a", () => log.push("third"));
  abort.abort(new Error("Enough"));
  await assertRejects(() => second, Error, "Enough");
  assertEquals(log, []);
  await Promise.all([first, third]);
  assertEquals(log, ["first", "third"]);
});

Deno.test("Locks.withAll() never deadlocks, whatever the order asked for", async () => {
  const locks = new Locks();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await pause(1);
    inside--;
  };
  const orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "a"], ["c", "a", "c"]];
  await Promise.all(Array.from({ length: 20 }, (_, i) => locks.withAll(orders[i % orders.length], work)));
  assertEquals(most, 1);
  assertEquals(await locks.withAll([], () => "none"), "none");
});
