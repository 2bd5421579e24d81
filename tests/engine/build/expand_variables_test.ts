import { assertEquals, assertThrows } from "@std/assert";
import { expandVariables } from "../../../lib/engine/build/dockerfile/expand_variables.ts";
import { EngineError } from "../../../lib/engine/errors.ts";

const VARIABLES = new Map([["a", "one"], ["empty", ""], ["path", "/usr/local/lib/x.tar.gz"], ["n_1", "two"]]);

const EXPANSIONS: readonly [string, string][] = [
  ["$a", "one"],
  ["${a}b", "oneb"],
  ["$a$n_1", "onetwo"],
  ["$missing.", "."],
  ["\\$a", "$a"],
  ["'$a'", "$a"],
  ['"$a b"', "one b"],
  ['"\\$a \\x"', "$a \\x"],
  ["a\\ b", "a b"],
  ["$", "$"],
  ["$.", "$."],
  ["${missing:-x}", "x"],
  ["${empty:-x}", "x"],
  ["${empty-x}", ""],
  ["${a:-x}", "one"],
  ["${missing:-${a}y}", "oney"],
  ["${missing:-'}'}", "}"],
  ["${a:+x}", "x"],
  ["${empty:+x}", ""],
  ["${empty+x}", "x"],
  ["${missing+x}", ""],
  ["${a:?no}", "one"],
  ["${path#*/}", "usr/local/lib/x.tar.gz"],
  ["${path##*/}", "x.tar.gz"],
  ["${path%.*}", "/usr/local/lib/x.tar"],
  ["${path%%.*}", "/usr/local/lib/x"],
  ["${path%nothing}", "/usr/local/lib/x.tar.gz"],
  ["${path/l/L}", "/usr/Local/lib/x.tar.gz"],
  ["${path//l/L}", "/usr/LocaL/Lib/x.tar.gz"],
  ["${a/n}", "oe"],
  ["${a#o?}", "e"],
];

Deno.test("expandVariables() puts variables in as a shell does", async (t) => {
  for (const [word, expected] of EXPANSIONS) {
    await t.step(word, () => assertEquals(expandVariables(word, VARIABLES), expected));
  }
});

Deno.test("expandVariables() keeps quotes in a heredoc, and takes another escape", () => {
  assertEquals(expandVariables(`"$a" 'x $a' \\$a \\n`, VARIABLES, { raw: true }), `"one" 'x one' $a \\n`);
  assertEquals(expandVariables("c:\\$a `$a", VARIABLES, { escape: "`" }), "c:\\one $a");
});

const BROKEN: readonly [string, string][] = [
  ["${a", "missing '}'"],
  ["${a:-x", 'looking for matching "}"'],
  ["${}", "bad substitution"],
  ["${a:x}", "unsupported modifier (:x)"],
  ["${a^}", "unsupported modifier (^)"],
  ["'a", "matching single-quote"],
  ['"a', "matching double-quote"],
  ["${missing:?say it}", "missing: say it"],
  ["${missing?}", "missing: is not allowed to be unset"],
];

Deno.test("expandVariables() refuses what is open at the end, modifiers there are not, and what must be set", async (t) => {
  for (const [word, text] of BROKEN) {
    await t.step(word, () => void assertThrows(() => expandVariables(word, VARIABLES), EngineError, text));
  }
});

Deno.test("expandVariables() takes no pattern of a value without bounds", () => {
  const variables = new Map([["long", "a".repeat(5000)]]);
  assertThrows(() => expandVariables("${long##*a*a*a*b}", variables), EngineError, "longer than 4096");
});
