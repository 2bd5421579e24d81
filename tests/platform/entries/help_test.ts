import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { COMMAND_NAMES, helpTexts, OVERVIEW } from "../../../lib/platform/entries/help_texts.ts";
import { parseServeOptions } from "../../../lib/platform/entries/serve_options.ts";
import { USAGE } from "../../../lib/platform/entries/start/usage.ts";

const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
const table = /### Options of `serve`\n([^]*?)\n\n[^|]/.exec(readme)![1];

/** Returns the different matches of `pattern` in `text`, in the order of the alphabet. */
function matchesIn(text: string, pattern: RegExp): string[] {
  return [...new Set(text.match(pattern))].sort();
}

Deno.test("gantry --help names each command once, in a line of its own, and each has a help", () => {
  const named = [...OVERVIEW.matchAll(/^ {2}(\S+) +\S/gm)].map(([, name]) => name);
  assertEquals(named, helpTexts().flatMap(({ name }) => name.split("|")));
  assertEquals(COMMAND_NAMES.split(/, | and /), named);
  for (const { name, text } of helpTexts()) assertMatch(text.trim(), /^Usage: gantry /, name);
});

Deno.test("serve --help and the README have the same options and variables, and serve takes them", () => {
  const options = matchesIn(USAGE, /--[a-z][a-z-]+/g);
  assertEquals(options, [...matchesIn(table, /--[a-z][a-z-]+/g), "--help"].sort());
  assertEquals(matchesIn(USAGE, /\bGANTRY_[A-Z_]+/g), matchesIn(table, /\bGANTRY_[A-Z_]+/g));
  for (const option of options) {
    try {
      parseServeOptions([`${option}=x`], {}, 0);
    } catch (error) {
      assert(error instanceof SyntaxError && !error.message.includes("Unknown option"), `${option}: ${error}`);
    }
  }
  assertThrows(() => parseServeOptions(["--not-there=x"], {}, 0), SyntaxError, "Unknown option");
});

Deno.test("every help fits a terminal of 140 columns", () => {
  for (const text of [OVERVIEW, ...helpTexts().map(({ text }) => text)]) {
    assertEquals(text.split("\n").filter((line) => line.length > 140), []);
  }
});
