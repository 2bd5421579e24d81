import { assertEquals, assertThrows } from "@std/assert";
import { expandWord } from "../../../../lib/engine/containers/create/expand.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";

Deno.test("expandWord() replaces variables as image builders do", () => {
  const env = new Map([["A", "1"], ["EMPTY", ""]]);
  const rows: [text: string, result: string][] = [
    ["X=$A-${A}b", "X=1-1b"],
    ["$NONE.", "."],
    ["${EMPTY:-d$A} ${A:-d}", "d1 1"],
    ["${EMPTY:+x}${A:+set}", "set"],
    ["'$A' \"$A\"", "$A 1"],
    ["\\$A $", "$A $"],
    ['"a\\n\\$A"', "a\\n$A"],
  ];
  for (const [text, result] of rows) assertEquals(expandWord(text, env), result, text);
  assertThrows(() => expandWord("'x", env), EngineError, "unexpected end");
  assertThrows(() => expandWord("${!x}", env), EngineError, "bad substitution");
});
