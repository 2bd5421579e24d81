import { assertEquals } from "@std/assert";
import { escapeUnprintable, isPrintable, logLines, printableLines } from "../../lib/oci/printable.ts";

/** What must never reach a terminal or a log: escape sequences, bells, C1, the other ends of lines, changes of direction. */
const HOSTILE = ["\x1b[2J", "\x07", "\x9b31m", "\x7f", "\0", "\r", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f"];

Deno.test("escapeUnprintable() leaves one bounded line, and printableLines() the lines", () => {
  for (const text of HOSTILE) {
    const left = `a${text}b`;
    for (const shown of [escapeUnprintable(left), printableLines(left), logLines(left)]) {
      assertEquals([...text].filter((letter) => shown.includes(letter) && !/[[\dJm]/.test(letter)), [], shown);
    }
    assertEquals([isPrintable(left), isPrintable("é ü 漢 🙂 a\u0301")], [false, true], JSON.stringify(text));
  }
  assertEquals(escapeUnprintable("a\nb\tc"), "a b c");
  assertEquals(printableLines("a\n * b\tc\r\nd"), "a\n * b\tc \nd");
  assertEquals(escapeUnprintable("x".repeat(5000)).length, 1000);
});

Deno.test("logLines() lets no foreign line pass for one of the log's own", () => {
  const lines = logLines("pull x: refused\ngantry: error: the disk is on fire\n").split("\n");
  assertEquals(lines, ["pull x: refused", "    gantry: error: the disk is on fire"]);
});
