import { assertEquals } from "@std/assert";
import { fitsID, fitsPattern, hasLabel, parseBoolean } from "../../../lib/engine/text/list_filters.ts";

Deno.test("hasLabel() has one rule for every resource: key, key=, key=value and stars in the key", () => {
  const labels = { "com.example.tier": "db", empty: "", url: "a=b" };
  const fitting = [
    "com.example.tier",
    "com.example.tier=",
    "com.example.tier=db",
    "com.*=db",
    "*tier",
    "empty",
    "url=a=b",
  ];
  for (const filter of fitting) assertEquals(hasLabel(labels, filter), true, filter);
  for (const filter of ["com.example.tier=web", "com", "com.*.x", "=db", "tier", "url=a", "toString", "__proto__"]) {
    assertEquals(hasLabel(labels, filter), false, filter);
  }
});

Deno.test("hasLabel() of a pattern of many stars takes time that grows with the label, not with its power", () => {
  // With a backtracking pattern this test does not end.
  assertEquals(hasLabel({ ["a".repeat(50_000)]: "" }, "*a".repeat(5000) + "b"), false);
});

Deno.test("parseBoolean() reads the words of Go's ParseBool and no others", () => {
  assertEquals(["1", "T", "true", "True"].map(parseBoolean), [true, true, true, true]);
  assertEquals(["0", "f", "FALSE"].map(parseBoolean), [false, false, false]);
  assertEquals(["", "yes", "2", "tru"].map(parseBoolean), [undefined, undefined, undefined, undefined]);
});

Deno.test("fitsPattern() takes a text that any value fits; a value that does not parse fits nothing, or itself", () => {
  const fits = fitsPattern(["^web-[0-9]+$", "db"]);
  assertEquals(["web-12", "mydb", "web-", ""].map(fits), [true, true, false, false]);
  assertEquals([fitsPattern([])("a"), fitsPattern(["("])("("), fitsPattern(["(", "a"])("a")], [false, false, true]);
  assertEquals(["(", "(("].map(fitsPattern(["("], { literal: true })), [true, false]);
  assertEquals(fitsPattern(["a".repeat(513)])("a".repeat(513)), false, "longer than any name");
});

Deno.test("fitsID() takes digits for the beginning of an ID, in any case, and other texts for patterns", () => {
  const id = "abc123" + "0".repeat(58);
  for (const value of ["abc1", "ABC1", "^abc", "c123", id]) {
    assertEquals(fitsID([value])(id), value !== "c123", `${value} is no part from the middle`);
  }
  assertEquals([fitsID(["fff", "c1.3"])(id), fitsID([])(id), fitsID(["("])(id)], [true, false, false]);
});
