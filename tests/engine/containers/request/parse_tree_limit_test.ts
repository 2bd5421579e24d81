import { assertEquals, assertThrows } from "@std/assert";
import { parseTreeLimit } from "../../../../lib/engine/containers/request/parse_tree_limit.ts";
import { FieldError } from "../../../../lib/engine/errors.ts";

Deno.test("parseTreeLimit() reads sizes and numbers of files, and none of either", () => {
  assertEquals(parseTreeLimit(), undefined);
  assertEquals(parseTreeLimit({ size: "0" }), undefined);
  assertEquals(parseTreeLimit({ size: "10G" }), { size: 10 * 2 ** 30 });
  assertEquals(parseTreeLimit({ Size: "1.5k", inodes: "20" }), { size: 1536, inodes: 20 });
});

Deno.test("parseTreeLimit() refuses what it cannot read by the field's name", () => {
  const rows: [Record<string, string>, string][] = [
    [{ size: "big" }, "\"storage_opts\" size: invalid size: 'big'"],
    [{ inodes: "-1" }, '"storage_opts" inodes: "-1" is no number of files'],
    [{ colour: "red" }, 'unknown option colour in "storage_opts"'],
    [{ ["constructor"]: "1" }, 'unknown option constructor in "storage_opts"'],
  ];
  for (const [options, text] of rows) {
    const error = assertThrows(() => parseTreeLimit(options), FieldError) as FieldError;
    assertEquals([error.code, error.named({ treeLimit: "storage_opts" }).message], ["invalid", text]);
  }
});
