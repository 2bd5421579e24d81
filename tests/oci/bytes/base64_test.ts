import { assertEquals, assertThrows } from "@std/assert";
import { fromBase64, toBase64 } from "../../../lib/oci/bytes/base64.ts";

Deno.test("toBase64() and fromBase64() keep every byte, also of more than a call takes arguments", () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i * 7 % 256);
  assertEquals(fromBase64(toBase64(bytes)), bytes);
  assertEquals(toBase64(new Uint8Array()), "");
});

Deno.test("fromBase64() reads either alphabet, padded or not, and nothing else", () => {
  for (const text of ["+/8=", "-_8=", "+/8", "-_8"]) assertEquals([...fromBase64(text)], [251, 255], text);
  for (const text of ["*", "a", "ab=c"]) assertThrows(() => fromBase64(text), SyntaxError, "Decode base64", text);
});
