import { assertEquals } from "@std/assert";
import { type CachedStep, type CachePruneOptions, chooseSteps } from "../../../lib/engine/build/cache_usage.ts";

const step = (image: string, size: number, usedAt: number, more: Partial<CachedStep> = {}): CachedStep => ({
  ...{ image, size, usedAt, text: "", isShared: false, isUsed: false, createdAt: 0, uses: 0 },
  ...more,
});

Deno.test("a prune of the build cache takes what its options say, the longest unused first", () => {
  const steps = [
    step("new", 10, 50),
    step("old", 20, 10),
    step("empty", 0, 20),
    step("shared", 40, 5, { isShared: true }),
    step("used", 80, 1, { isUsed: true }),
  ];
  const rows: [options: CachePruneOptions, chosen: string][] = [
    [{}, "new old empty"],
    [{ all: true }, "new old empty shared"],
    [{ unusedSince: 20 }, "old"],
    [{ images: ["new", "used", "shared"] }, "new"],
    [{ keep: 90 }, "old"],
    [{ keep: 85 }, "old empty new"],
    [{ keep: 200 }, ""],
    [{ keep: 90, all: true }, "shared old"],
  ];
  for (const [options, chosen] of rows) {
    assertEquals(chooseSteps(steps, options).map(({ image }) => image).join(" "), chosen, JSON.stringify(options));
  }
});
