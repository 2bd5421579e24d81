import { assertEquals, assertThrows } from "@std/assert";
import { autoMaps, checkMaps } from "../../../../lib/engine/containers/create/user_maps.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";

const ranges = (...pairs: [number, number][]) => {
  const list = pairs.map(([host, size]) => ({ host, size }));
  return { uids: list, gids: list };
};
const maps = (...triples: [number, number, number][]) => {
  const list = triples.map(([container, host, size]) => ({ container, host, size }));
  return { uids: list, gids: list };
};

Deno.test("autoMaps() gives IDs that no other container has", () => {
  const available = ranges([100_000, 200_000]);
  const first = autoMaps({ uids: [], gids: [] }, { available, taken: [] });
  assertEquals(first, maps([0, 100_000, 65_536]));
  const second = autoMaps({ uids: [], gids: [] }, { available, taken: [first] });
  assertEquals(second, maps([0, 165_536, 65_536]));
  assertEquals(
    autoMaps({ size: 10, ...maps([3, 7, 2]) }, { available, taken: [first, second] }),
    maps([0, 231_072, 3], [3, 7, 2], [5, 231_075, 5]),
  );
});

Deno.test("autoMaps() puts ranges together, and says when there are too few", () => {
  const available = ranges([1000, 600], [5000, 600]);
  assertEquals(autoMaps({ uids: [], gids: [] }, { available, taken: [] }), maps([0, 1000, 600], [600, 5000, 600]));
  const text = "not enough unused IDs in user namespace";
  assertThrows(() => autoMaps({ size: 1201, uids: [], gids: [] }, { available, taken: [] }), EngineError, text);
  const none = { available: ranges(), taken: [] };
  assertThrows(
    () => autoMaps({ uids: [], gids: [] }, none),
    EngineError,
    'no subuid ranges found for user "containers"',
  );
});

Deno.test("checkMaps() refuses mappings the kernel would not take", () => {
  checkMaps(maps([0, 1, 1], [1, 5, 3]));
  const rows: [ReturnType<typeof maps>, string][] = [
    [maps([0, 1, 0]), "out of range"],
    [maps([0, 2 ** 32 - 1, 2]), "out of range"],
    [maps([0, 1, 5], [4, 10, 1]), "overlap"],
    [maps([0, 1, 5], [5, 5, 1]), "overlap"],
    [maps([1, 1, 5]), "have no root"],
  ];
  for (const [bad, text] of rows) assertThrows(() => checkMaps(bad), EngineError, text);
});
