import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseMoment, parseRFC3339 } from "../../../lib/engine/text/moment.ts";

const NOW = Date.parse("2026-05-06T07:08:09Z");

Deno.test("parseMoment() reads every form that clients send", () => {
  const rows: [text: string | undefined, ms: number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["0001-01-01T00:00:00Z", undefined],
    ["0", 0],
    ["1700000000", 1_700_000_000_000],
    ["1700000000.5", 1_700_000_000_500],
    ["2026-05-06T07:08:09Z", NOW],
    ["2026-05-06t07:08:09z", NOW],
    ["2026-05-06T09:08:09+02:00", NOW],
    ["2026-05-06T09:08:09+0200", NOW],
    ["2026-05-06T07:08:09.250000000Z", NOW + 250],
    ["2026-05-06T07:08:09,25Z", NOW + 250],
    ["2026-05-06 07:08:09", NOW],
    ["2026-05-06T07:08", NOW - 9000],
    ["2026-05-06T07", Date.parse("2026-05-06T07:00:00Z")],
    ["2026-05-06", Date.parse("2026-05-06T00:00:00Z")],
    ["10m", NOW - 600_000],
    [".5h", NOW - 1_800_000],
    ["-10m", NOW + 600_000],
    ["1.5ms", NOW - 1.5],
  ];
  for (const [text, ms] of rows) assertEquals(parseMoment(text, NOW), ms, text);
  for (
    const text of ["yesterday", "2026-13-01", "12:00", "1700000000.1234567890", "soon", "1d", "h", "1h 2m", "0x10"]
  ) {
    assertThrows(() => parseMoment(text, NOW), SyntaxError, "", text);
  }
});

Deno.test("parseRFC3339() keeps the order of nanoseconds that a millisecond hides", () => {
  const [a, b] = ["2024-01-01T00:00:00.000001000Z", "2024-01-01T00:00:00.000002000Z"].map(parseRFC3339);
  assert(a < b);
  assert(Number.isNaN(parseRFC3339("yesterday")));
});
