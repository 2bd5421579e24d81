import { assertEquals, assertThrows } from "@std/assert";
import { parseDuration } from "../../../lib/engine/text/duration.ts";

Deno.test("parseDuration() reads Go durations", () => {
  const rows: [text: string, ms: number][] = [
    ["0", 0],
    ["10s", 10_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["-1.5s", -1500],
    [".5s", 500],
    [".5h", 1_800_000],
    ["100us", 0.1],
    ["100µs", 0.1],
    ["1h2m3.5s4ms5us6ns", 3_723_504.005006],
  ];
  for (const [text, ms] of rows) assertEquals(parseDuration(text), ms, text);
  for (const text of ["", "10", "s", "1d", "1h 30m", "--1s", "1s".repeat(40)]) {
    assertThrows(() => parseDuration(text), SyntaxError, "", text);
  }
});

Deno.test("defect: parseDuration() tries a text that is none in one way only", () => {
  // Each of them took a second when a digit fitted in two places: this test then does not end.
  for (let i = 0; i < 10_000; i++) assertThrows(() => parseDuration("000s".repeat(15) + "x"), SyntaxError);
});
