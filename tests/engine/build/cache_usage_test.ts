import { assertEquals } from "@std/assert";
import { type CacheItem, type CachePruneOptions, chooseItems } from "../../../lib/engine/build/cache_usage.ts";

const step = (id: string, size: number, usedAt: number, more: Partial<CacheItem> = {}): CacheItem => ({
  ...{ kind: "step" as const, id, size, usedAt, text: "", isShared: false, isUsed: false, createdAt: 0, uses: 0 },
  ...more,
});

Deno.test("a prune of the build cache takes what its options say, the longest unused first", () => {
  const steps = [
    step("new", 10, 50),
    step("old", 20, 10),
    step("empty", 0, 20),
    step("shared", 40, 5, { isShared: true }),
    step("used", 80, 1, { isUsed: true }),
    step("folder", 0, 90, { kind: "mount" }),
  ];
  const rows: [options: CachePruneOptions, chosen: string][] = [
    [{}, "new old empty folder"],
    [{ all: true }, "new old empty shared folder"],
    [{ unusedSince: 20 }, "old"],
    [{ ids: ["new", "used", "shared"] }, "new"],
    [{ keep: 90 }, "old"],
    [{ keep: 85 }, "old empty new"],
    [{ keep: 200 }, ""],
    [{ keep: 90, all: true }, "shared old"],
  ];
  for (const [options, chosen] of rows) {
    assertEquals(chooseItems(steps, options).map(({ id }) => id).join(" "), chosen, JSON.stringify(options));
  }
});
