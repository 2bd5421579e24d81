import { assertEquals, assertRejects } from "@std/assert";
import { inParallel } from "../../lib/engine/concurrency.ts";

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
