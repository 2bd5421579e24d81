import { assertEquals } from "@std/assert";
import { hasLabel, parseBoolean } from "../../../lib/engine/text/list_filters.ts";

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
