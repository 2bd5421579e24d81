/** Exact integers in JSON, as runtimes with source texts read them and as those without do: Node 20, older browsers. */
import { assertEquals, assertThrows } from "@std/assert";
import { readExact, writeExact } from "../../../lib/rest/codecs/exact_numbers.ts";

const TEXTS = [
  "9007199254740993",
  "-18446744073709551616",
  '{"a":9007199254740993,"b":["9007199254740993",1.5,-9007199254740993]}',
  '{"9007199254740993":{"a\\"12345678901234567890":1}}',
  "[1234567890123456.75,1e300,12345678901234567890e2,0,-0,1234567890123456]",
  '"\\\\",12345678901234567',
  '"a 12345678901234567',
  '"\\',
  "[01234567890123456789]",
  "[--12345678901234567]",
  "[12345678901234567.]",
  `[${"9".repeat(5000)}]`,
  "",
];

function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

for (const text of TEXTS) {
  Deno.test(`readExact() reads ${text.slice(0, 60)} without source texts as with them`, () => {
    assertEquals(outcomeOf(() => readExact(text, false)), outcomeOf(() => readExact(text, true)));
  });
}

Deno.test("writeExact() writes integers of any size without rawJSON as with it", () => {
  const value = { a: [1n, -(2n ** 80n)], b: "9007199254740993", c: { d: 2n ** 53n + 1n, e: undefined }, f: 0.5 };
  const same = (item: unknown) => item;
  const without = writeExact(value, same, false);
  assertEquals(without, writeExact(value, same, true));
  assertEquals(readExact(without!, false), { a: [1, -(2n ** 80n)], b: value.b, c: { d: 2n ** 53n + 1n }, f: 0.5 });
  assertEquals(writeExact(undefined, same), undefined);
  const cycle: unknown[] = [];
  cycle.push(cycle);
  assertThrows(() => writeExact(cycle, same, false), TypeError);
});

Deno.test("readExact() takes no square of time for a string that does not end", () => {
  const text = `1234567890123456${'"\\'.repeat(1_000_000)}`;
  assertThrows(() => readExact(text, false), SyntaxError);
});
