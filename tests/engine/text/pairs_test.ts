import { assertEquals } from "@std/assert";
import { readPairs, splitPair } from "../../../lib/engine/text/pairs.ts";

Deno.test("splitPair() cuts at the first separator, and loses nothing", () => {
  assertEquals(splitPair("a=b=c"), ["a", "b=c"]);
  assertEquals(splitPair("a"), ["a", ""]);
  assertEquals(splitPair("=a"), ["", "a"]);
  assertEquals(splitPair("www-data:www:x", ":"), ["www-data", "www:x"]);
  assertEquals(splitPair("a::b", "::"), ["a", "b"]);
});

Deno.test("readPairs() keeps the later of two, and names that every object has", () => {
  const pairs = readPairs(["A=1", "A=2", "B", "__proto__=3"]);
  assertEquals(Object.entries(pairs), [["A", "2"], ["B", ""], ["__proto__", "3"]]);
});
