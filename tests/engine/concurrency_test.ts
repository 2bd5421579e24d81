import { assertEquals, assertRejects } from "@std/assert";
import { inParallel, Slots } from "../../lib/engine/concurrency.ts";

Deno.test("inParallel() keeps order and number, and begins nothing after a failure", async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5 - item % 5));
    running--;
    return item * 2;
  };
  assertEquals(await inParallel([5, 4, 3, 2, 1, 0], 3, work), [10, 8, 6, 4, 2, 0]);
  assertEquals([most, await inParallel([], 3, work)], [3, []]);
  const begun: number[] = [];
  await assertRejects(
    () =>
      inParallel([0, 1, 2, 3, 4], 2, async (item) => {
        begun.push(item);
        await Promise.resolve();
        if (item === 1) throw new Error("no");
      }),
    Error,
    "no",
  );
  assertEquals(begun.length < 5, true);
});

Deno.test("Slots let so many works run at once, in order, and no longer wait for one that takes too long", async () => {
  const slots = new Slots(2, 50);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const works = ends.map(({ promise }, i) =>
    slots.use(() => {
      begun.push(i);
      return promise;
    })
  );
  ends[1].resolve(1);
  assertEquals(await works[1], 1);
  await Promise.resolve();
  assertEquals(begun, [0, 1, 2]);
  ends[2].reject(new Error("it failed"));
  await assertRejects(() => works[2], Error, "it failed");
  assertEquals(begun, [0, 1, 2, 3]);
  // Neither the first nor the fourth ends: the last gets the turn of one of them all the same.
  ends[4].resolve(4);
  assertEquals(await works[4], 4);
  for (const { resolve } of ends) resolve(0);
  await Promise.all([works[0], works[3]]);
  const gone = AbortSignal.abort(new Error("nobody waits"));
  await assertRejects(() => slots.use(() => Promise.resolve(), gone), Error, "nobody waits");
  assertEquals(await slots.use(() => Promise.resolve("free")), "free");
});
