import { assert, assertEquals, assertThrows } from "@std/assert";
import { fitsGlob } from "../../../lib/engine/text/glob.ts";
import { compilePattern, compileSteps, readLiteral } from "../../../lib/engine/text/pattern.ts";

const PATTERNS = [
  "a",
  "^web$",
  "^web",
  "b$",
  "",
  "a|b",
  "^(?:foo|bar)+$",
  "a.c",
  "w[a-f]+b",
  "[^a-z]",
  "a{2,3}$",
  "^a{2}$",
  "a{2,}",
  "\\d+",
  "\\bweb\\b",
  "\\Bb",
  "(x)?(y)*z",
  "a\\.b",
  "a\\-b",
  "a\\/b",
  "[]a]",
  "[\\w.-]+@",
  "(|a)+$",
  "é.",
  "a+?b",
  "{",
  "a{b",
  "]",
];
const TEXTS = [
  "",
  "a",
  "b",
  "web",
  "web-1",
  "my web",
  "foobar",
  "abc",
  "a.b",
  "a-b",
  "a/b",
  "aaa",
  "aaaa",
  "xyyz",
  "z",
  "]",
  "me@x",
  "é1",
  "12",
  "a{b",
  "weab",
];

Deno.test("compilePattern() agrees with JavaScript where both know the pattern", () => {
  for (const source of PATTERNS) {
    const own = compilePattern(source);
    // An empty class is an error in neither, and means two things: Go's first bracket is a letter.
    const theirs = new RegExp(source.replace("[]a]", "[\\]a]"));
    for (const text of TEXTS) assertEquals(own(text), theirs.test(text), `${source} on ${text}`);
  }
});

Deno.test("compilePattern() finds plain text, between the ends of a text or not, as the steps of any pattern do", () => {
  const plain = ["a", "web", "web-1", "a.b", "a/b", "my web", "", "é", "[]", "a\\b", "12", "1", "0%"];
  let literal = 0;
  for (const text of [...plain, "a\\.b", "a\\-b", "a\\/b", "web\\-1", "\\.", "a^", "$b", "^^a", "a$$", "\\$"]) {
    for (const source of [text, `^${text}`, `${text}$`, `^${text}$`]) {
      let steps;
      try {
        steps = compileSteps(source);
      } catch {
        assertThrows(() => compilePattern(source), SyntaxError, undefined, source);
        continue;
      }
      if (readLiteral(source)) literal++;
      for (const one of [...TEXTS, ...plain, "a\nb", "b\n"]) {
        assertEquals(compilePattern(source)(one), steps(one), `${source} on ${JSON.stringify(one)}`);
      }
    }
  }
  assert(literal > 40, `${literal} patterns are plain text`);
  assertThrows(() => compilePattern("a".repeat(5000)), SyntaxError, "too large");
});

Deno.test("compilePattern() reads what only Go's syntax has", () => {
  assert(compilePattern("(?i)WEB")("my web"));
  assert(compilePattern("^(?i:w)eb$")("Web"));
  assert(!compilePattern("^(?i:w)eb$")("WEB"));
  assert(compilePattern("^[[:alpha:]]+$")("abc"));
  assert(!compilePattern("^[[:^alpha:]x]+$".replace("^alpha", "digit"))("abc"));
  assert(compilePattern("\\Aweb\\z")("web"));
  assert(compilePattern("(?P<name>we)b")("web"));
  assert(compilePattern("\\x41")("A"));
});

Deno.test("compilePattern() refuses what is no pattern, or too large a one", () => {
  for (const bad of ["(", ")", "[", "*a", "a**", "(?=a)", "(?!a)", "a{3,2}", "\\", "[b-a]", "(?z)a", "a{9999}"]) {
    assertThrows(() => compilePattern(bad), SyntaxError, undefined, bad);
  }
  assertThrows(() => compilePattern("((a{100}){100}){100}"), SyntaxError, "too large");
  assertThrows(() => compilePattern("(".repeat(100_000)), Error);
});

Deno.test("compilePattern() takes time in proportion to the text where JavaScript's own takes for ever", () => {
  const start = performance.now();
  for (const bad of ["(a+)+$", "(a*)*b", "(a|a)+$", "(.*a){20}$", "(a?){30}a{30}$"]) {
    compilePattern(bad)("a".repeat(1000) + "_");
  }
  assert(performance.now() - start < 5000);
});

Deno.test("fitsGlob() keeps to components and takes no time for many stars", () => {
  assert(fitsGlob("quay.io/*/b?sybox", "quay.io/x/busybox"));
  assert(fitsGlob("*", ""));
  assert(fitsGlob("a*b*c", "a-b-b-c"));
  assert(!fitsGlob("*", "a/b"));
  assert(!fitsGlob("a?", "a"));
  assert(!fitsGlob("a", "ab"));
  const start = performance.now();
  assert(!fitsGlob("*a".repeat(200) + "b", "a".repeat(4000)));
  assert(performance.now() - start < 5000);
});

Deno.test("defect: compilePattern() refuses a pattern that is too long, at once", () => {
  assertThrows(() => compilePattern("[".repeat(1_000_000)), SyntaxError, "longer than");
});
