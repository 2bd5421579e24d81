import { assertEquals } from "@std/assert";
import { filters, flag, looseFlag } from "../../../handlers/wire/query.ts";

Deno.test("flag reads the words Go reads and no others", () => {
  for (const text of ["1", "t", "T", "TRUE", "true", "True", "on"]) assertEquals(flag.parse(text), true, text);
  for (const text of ["0", "f", "F", "FALSE", "false", "False"]) assertEquals(flag.parse(text), false, text);
  for (const text of ["", "yes", "tRUE", "2", "off", "no"]) assertEquals(flag.safeParse(text).success, false, text);
  assertEquals([flag.parse(true), flag.parse(false)], [true, false]);
});

Deno.test("looseFlag is true unless the text says no", () => {
  for (const text of ["1", "yes", "2", "anything", "on", "true"]) assertEquals(looseFlag.parse(text), true, text);
  for (const text of ["", "0", "no", "false", "none", "FALSE", " No "]) {
    assertEquals(looseFlag.parse(text), false, text);
  }
});

Deno.test("filters reads both forms", () => {
  const rows: [text: string, expected: unknown][] = [
    ["{}", {}],
    ["null", {}],
    ['{"status":["running","exited"]}', { status: ["running", "exited"] }],
    ['{"status":{"running":true,"exited":false}}', { status: ["running"] }],
    ['{"id":null}', { id: [] }],
    ['{"until":[1]}', { until: ["1"] }],
  ];
  for (const [text, expected] of rows) assertEquals(filters.parse(text), expected as never, text);
  for (const text of ["", "[]", "{", '{"a":1}', '"a"', "1"]) assertEquals(filters.safeParse(text).success, false, text);
  assertEquals(filters.safeParse(`{"a":["${"x".repeat(70_000)}"]}`).success, false);
});
