import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseDuration, parseRFC3339, parseTimestamp } from "../../lib/engine/timestamp.ts";

const NOW = Date.parse("2024-05-06T07:08:09Z");

Deno.test("parseTimestamp() reads every form clients send", () => {
  const rows: [string, number][] = [
    ["1700000000", 1_700_000_000_000],
    ["1700000000.25", 1_700_000_000_250],
    ["2024-01-02T03:04:05Z", Date.UTC(2024, 0, 2, 3, 4, 5)],
    ["2024-01-02T03:04:05.5+01:00", Date.UTC(2024, 0, 2, 2, 4, 5, 500)],
    ["2024-01-02T03:04:05", Date.UTC(2024, 0, 2, 3, 4, 5)],
    ["2024-01-02T03:04", Date.UTC(2024, 0, 2, 3, 4)],
    ["2024-01-02", Date.UTC(2024, 0, 2)],
    ["1h30m", NOW - 5_400_000],
    ["-10s", NOW + 10_000],
    ["1.5ms", NOW - 1.5],
  ];
  for (const [text, time] of rows) assertEquals(parseTimestamp(text, NOW), time, text);
  for (const bad of ["", "soon", "1d", "2024-13-45", "h", "1h 2m", "0x10"]) {
    assertThrows(() => parseTimestamp(bad, NOW), Error, "failed to parse");
  }
});

Deno.test("parseDuration() adds up its parts", () => {
  assertEquals(parseDuration("1h2m3.5s4ms5us6ns"), 3_723_504.005006);
  assertEquals(parseDuration("0"), undefined);
});

Deno.test("parseRFC3339() keeps the order of nanoseconds a millisecond hides", () => {
  const [a, b] = ["2024-01-01T00:00:00.000001000Z", "2024-01-01T00:00:00.000002000Z"].map(parseRFC3339);
  assert(a < b);
  assert(Number.isNaN(parseRFC3339("yesterday")));
});
