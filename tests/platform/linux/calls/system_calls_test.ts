import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { callNumbers } from "../../../../lib/platform/linux/calls/system_calls.ts";

Deno.test("callNumbers() gives the numbers of a processor", () => {
  assertEquals(callNumbers("Test", ["setns", "open_tree"], "x64"), { setns: 308, open_tree: 428 });
  assertEquals(callNumbers("Test", ["setns", "open_tree"], "arm64"), { setns: 268, open_tree: 428 });
});

Deno.test("callNumbers() refuses an unknown processor and a call that the table lacks", () => {
  for (const processor of ["mips", "s390x"]) {
    const error = assertThrows(() => callNumbers("Work on files", ["openat2", "statx"], processor), EngineError);
    assertEquals([error.code, error.message], ["unsupported", `Work on files: not available on ${processor}`]);
  }
  // The shared numbers alone say nothing of a processor that nobody has looked at.
  assertThrows(() => callNumbers("Mount", ["open_tree"], "mips"), EngineError, "Mount: not available on mips");
});
