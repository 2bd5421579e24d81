import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { parseByteSize } from "../../../lib/engine/text/byte_size.ts";

Deno.test("parseByteSize() reads units of 1024 or of 1000, with fractions, as go-units does", () => {
  const rows: [text: string, of1024: number, of1000: number][] = [
    ["0", 0, 0],
    ["4096", 4096, 4096],
    ["7b", 7, 7],
    ["64m", 64 * 2 ** 20, 64e6],
    ["1GiB", 2 ** 30, 1e9],
    ["1.5 kB", 1536, 1500],
    ["2T", 2 * 2 ** 40, 2e12],
    [" 1p ", 2 ** 50, 1e15],
    ["1.0009k", 1024, 1000],
  ];
  for (const [text, of1024, of1000] of rows) {
    assertEquals([parseByteSize(text), parseByteSize(text, 1000)], [of1024, of1000], text);
  }
});

Deno.test("parseByteSize() refuses what is no size", () => {
  for (const text of ["", "m", "-1", "1e3", "1 x", ".5m", "1kk", "9999999999p", "1.2.3"]) {
    const error = assertThrows(() => parseByteSize(text), EngineError) as EngineError;
    assertEquals([error.code, error.message], ["invalid", `invalid size: '${text}'`]);
  }
});
