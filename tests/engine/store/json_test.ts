import { assertEquals, assertThrows } from "@std/assert";
import { decode, encode } from "../../../lib/engine/store/json.ts";

const round = (value: unknown) => decode<unknown>(encode(value));

Deno.test("encode() writes plain values as plain JSON", () => {
  const value = { a: [1, "two", null, true], b: { c: -0.5 }, "$bigint": "7", "!": "!" };
  assertEquals(encode(value), JSON.stringify(value));
  assertEquals(round(value), value);
});

Deno.test("decode() gives back big integers of any size", () => {
  const value = { soft: 18446744073709551615n, list: [-1n, 0n, 9007199254740993n], zero: 0 };
  assertEquals(round(value), value);
  assertEquals(round(5n), 5n);
});

Deno.test("decode() tells a foreign object that looks like a big integer from one", () => {
  const value = { limit: 1n, labels: { "$bigint": "12" }, more: { "$$bigint": "x", "$bigint": { "$bigint": "y" } } };
  assertEquals(round(value), value);
});

Deno.test("decode() keeps the key __proto__ an own property", () => {
  const value: unknown = JSON.parse('{"__proto__": {"x": 1}, "n": 0}');
  assertEquals(encode(round([value])), encode([value]));
  const tagged = round([value, 1n]);
  assertEquals(Object.hasOwn((tagged as Record<string, unknown>[])[0], "__proto__"), true);
});

Deno.test("encode() throws for cycles", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assertThrows(() => encode(cycle), TypeError);
});
