import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { CommitWatch } from "../../../lib/engine/metrics/commit_watch.ts";
import { DurationHistogram } from "../../../lib/engine/metrics/counts.ts";

Deno.test("CommitWatch says why a store is not well, until a commit goes well", async () => {
  let now = 1000;
  const durations = new DurationHistogram();
  const watch = new CommitWatch({ now: () => now }, durations);
  watch.check();
  await assertRejects(() => watch.around(() => Promise.reject(new Error("disk full"))), Error, "disk full");
  assertThrows(() => watch.check(), EngineError, "disk full");
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = watch.around(() => promise);
  now += 60_000;
  resolve();
  await slow;
  watch.check();
  const counts = durations.read().map(({ labels, ranges }) => [labels.outcome, ranges.at(-1)?.count]);
  assertEquals(counts, [["failed", 1], ["done", 1]]);
});

Deno.test("CommitWatch says that a store does not answer", async () => {
  let now = 0;
  const watch = new CommitWatch({ now: () => now }, new DurationHistogram());
  const { promise, resolve } = Promise.withResolvers<void>();
  const stuck = watch.around(() => promise);
  now = 4000;
  watch.check();
  now = 7000;
  assertThrows(() => watch.check(), EngineError, "has not answered for 7 seconds");
  resolve();
  await stuck;
  watch.check();
});
