import { assert } from "@std/assert";
import { getHeapStatistics } from "node:v8";
import { findCollector, giveBackWhenIdle } from "../../../../lib/platform/entries/service/idle_memory.ts";

/** Bytes that V8 has of the machine. */
const taken = () => getHeapStatistics().total_physical_size;

/** Fills the heap with what nobody needs once it returns. */
function fillHeap(): void {
  const held: number[][] = [];
  for (let i = 0; i < 10_000; i++) held.push(Array.from({ length: 100 }, (_, j) => i * j + 0.5));
  assert(held.length === 10_000);
}

Deno.test("findCollector() gives the heap's free memory back", () => {
  const collect = findCollector();
  assert(collect !== undefined);
  collect();
  fillHeap();
  const full = taken();
  collect();
  assert(taken() < full, `${full} bytes, ${taken()} after a collection`);
});

Deno.test("giveBackWhenIdle() collects once the process is idle", async () => {
  findCollector()?.();
  const before = taken();
  using _memory = giveBackWhenIdle(20);
  for (let i = 0; i < 3; i++) fillHeap();
  const full = taken();
  assert(full > before);
  // The test ends when it has happened, however long the machine takes.
  while (taken() > before + (full - before) / 2) await new Promise((resolve) => setTimeout(resolve, 50));
});
