import { assertEquals, assertThrows } from "@std/assert";
import { parseUnit } from "../../../lib/engine/quadlets/unit_file.ts";
import { escapePath, joinWords, splitWords } from "../../../lib/engine/units/words.ts";

Deno.test("parseUnit keeps the file and the line of each entry, also of a continued one", () => {
  const unit = parseUnit({ name: "a", text: "[S]\nA=1 \\\n  2\n\n[T]\nB=3\n" }, [{
    name: "a.d/x",
    text: "[S]\nA=4\n",
  }]);
  assertEquals([...unit.sections], [
    ["S", [{ key: "A", value: "1    2", file: "a", line: 2 }, { key: "A", value: "4", file: "a.d/x", line: 2 }]],
    ["T", [{ key: "B", value: "3", file: "a", line: 6 }]],
  ]);
});

Deno.test("values: the last one counts, an empty one resets, quotes around the whole go", () => {
  const unit = parseUnit({ name: "a", text: "[S]\nA=1\nA=2\nB='x y'\nC=1\nC=\nD='a' 'b'\n" });
  assertEquals([unit.value("S", "A"), unit.values("S", "A")], ["2", ["1", "2"]]);
  assertEquals([unit.value("S", "B"), unit.value("S", "D")], ["x y", "'a' 'b'"]);
  assertEquals([unit.value("S", "C"), unit.values("S", "C"), unit.value("S", "Z")], ["", [], undefined]);
});

Deno.test("a backslash at the end of the file continues with nothing", () => {
  assertEquals(parseUnit({ name: "a", text: "[S]\nA=1\\" }).value("S", "A"), "1");
});

Deno.test("splitWords follows systemd's quotes and escapes", () => {
  const rows: [text: string, words: string[]][] = [
    ["", []],
    ["  a\tb  ", ["a", "b"]],
    [`"a b"c 'd "e"'`, ["a bc", 'd "e"']],
    [`"" x`, ["", "x"]],
    ["a\\ b \\s \\n \\\\", ["a\\ b", " ", "\n", "\\"]],
    ["\\x41\\u00e9\\U0001f600\\101 \\x4", ["Aé😀A", "\\x4"]],
    ["end\\", ["end\\"]],
  ];
  for (const [text, words] of rows) assertEquals(splitWords(text), words, text);
  for (const text of ["'", '"a', "\\x00", "\\000", "\\Uffffffff"]) assertThrows(() => splitWords(text), RangeError);
});

Deno.test("joinWords and splitWords are each other's reverse", () => {
  // A fixed seed: the same words each time.
  let seed = 7;
  const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % most;
  const letters = [..."ab \t\n\"'\\\\$%;#=é😀\x01\x7f"];
  for (let round = 0; round < 500; round++) {
    const words = Array.from({ length: random(5) }, () => {
      return Array.from({ length: random(6) }, () => letters[random(letters.length)]).join("");
    });
    assertEquals(splitWords(joinWords(words)), words);
    for (const word of words) if (word !== "") assertEquals(splitWords(escapePath(word)), [word]);
  }
});
