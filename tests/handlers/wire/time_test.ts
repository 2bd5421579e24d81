import { assertEquals, assertThrows } from "@std/assert";
import { nanoseconds, parseDuration, parseMoment, wireSeconds, wireTime } from "../../../handlers/wire/time.ts";

Deno.test("parseDuration() reads Go durations", () => {
  const rows: [text: string, ms: number][] = [
    ["0", 0],
    ["10s", 10_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["-1.5s", -1500],
    [".5s", 500],
    ["100us", 0.1],
    ["100µs", 0.1],
  ];
  for (const [text, ms] of rows) assertEquals(parseDuration(text), ms, text);
  for (const text of ["", "10", "s", "1d", "1h 30m", "--1s", "1s".repeat(40)]) {
    assertThrows(() => parseDuration(text), SyntaxError, "", text);
  }
});

Deno.test("parseMoment() reads what clients send", () => {
  const now = Date.parse("2026-05-06T07:08:09Z");
  const rows: [text: string | undefined, ms: number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["0001-01-01T00:00:00Z", undefined],
    ["0", 0],
    ["1700000000", 1_700_000_000_000],
    ["1700000000.5", 1_700_000_000_500],
    ["2026-05-06T07:08:09Z", now],
    ["2026-05-06T09:08:09+02:00", now],
    ["2026-05-06T07:08:09.250000000Z", now + 250],
    ["2026-05-06T07:08:09", now],
    ["2026-05-06T07:08", now - 9000],
    ["2026-05-06", Date.parse("2026-05-06T00:00:00Z")],
    ["10m", now - 600_000],
    ["-10m", now + 600_000],
  ];
  for (const [text, ms] of rows) assertEquals(parseMoment(text, now), ms, text);
  for (const text of ["yesterday", "2026-13-01", "12:00", "1700000000.1234567890"]) {
    assertThrows(() => parseMoment(text, now), SyntaxError, "", text);
  }
});

Deno.test("wireTime() keeps fractions of a millisecond", () => {
  assertEquals(wireTime(0), "0001-01-01T00:00:00Z");
  assertEquals(wireTime(undefined), "0001-01-01T00:00:00Z");
  assertEquals(wireTime(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
  assertEquals(wireTime(1_700_000_000_000.5), "2023-11-14T22:13:20.000500000Z");
  assertEquals(wireSeconds(1_700_000_000_999), 1_700_000_000);
  assertEquals(wireSeconds(0), -62135596800);
  assertEquals(nanoseconds(1_700_000_000_000.25), 1_700_000_000_000_250_000n);
});

Deno.test("defect: parseDuration() tries a text that is none in one way only", () => {
  const started = performance.now();
  for (let i = 0; i < 100; i++) assertThrows(() => parseDuration("000s".repeat(15) + "x"), SyntaxError);
  // One of them took a second.
  assertEquals(performance.now() - started < 10_000, true);
});
