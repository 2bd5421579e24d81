import { assert, assertEquals } from "@std/assert";
import { Counter, DurationHistogram } from "../../../lib/engine/metrics/counts.ts";

Deno.test("DurationHistogram counts each duration in its range and in all above", () => {
  const histogram = new DurationHistogram();
  for (const seconds of [0.0005, 0.02, 0.02, 3600]) histogram.add({ of: "x" }, seconds);
  const [{ labels, ranges, sum }] = histogram.read();
  const at = (seconds: number) => ranges.find(({ bound }) => bound === seconds)?.count;
  assertEquals([at(0.001), at(0.01), at(0.025), at(60), at(Infinity)], [1, 1, 3, 3, 4]);
  assertEquals([labels, sum], [{ of: "x" }, 3600.0405]);
});

Deno.test("a counter of labels without end stays bounded and loses no count", () => {
  const counter = new Counter();
  for (let index = 0; index < 6000; index++) counter.add({ name: `n${index}` });
  const counts = counter.read();
  assert(counts.length <= 5001, String(counts.length));
  assertEquals(counts.reduce((sum, { count }) => sum + count, 0), 6000);
  assertEquals(counts.find(({ labels }) => labels.name === "other")?.count, 1000);
});
