import { assertEquals } from "@std/assert";
import { toNanoseconds, wireSeconds, wireTime } from "../../../handlers/wire/time.ts";

Deno.test("wireTime() keeps fractions of a millisecond", () => {
  assertEquals(wireTime(0), "0001-01-01T00:00:00Z");
  assertEquals(wireTime(undefined), "0001-01-01T00:00:00Z");
  assertEquals(wireTime(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
  assertEquals(wireTime(1_700_000_000_000.5), "2023-11-14T22:13:20.000500000Z");
  assertEquals(wireSeconds(1_700_000_000_999), 1_700_000_000);
  assertEquals(wireSeconds(0), -62135596800);
  assertEquals(toNanoseconds(1_700_000_000_000.25), 1_700_000_000_000_250_000n);
});
