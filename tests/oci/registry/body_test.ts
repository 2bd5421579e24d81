import { assertEquals, assertRejects } from "@std/assert";
import { readStream } from "../../../lib/oci/registry/body.ts";

/** A stream of single bytes, each in the same buffer of 64 KiB as the one before. */
function bytes(count: number): ReadableStream<Uint8Array> {
  const view = new Uint8Array(64 * 1024).subarray(0, 1);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at === count) return controller.close();
      view[0] = at++;
      controller.enqueue(view);
    },
  }, { highWaterMark: 0 });
}

Deno.test("readStream() keeps nothing of its chunks (a registry's single bytes held 64 KiB each)", async () => {
  const expected = Uint8Array.from({ length: 40_000 }, (_, at) => at);
  const equal = (one: Uint8Array) => one.length === expected.length && one.every((byte, at) => byte === expected[at]);
  assertEquals(equal(await readStream(bytes(40_000), 1 << 20)), true);
  assertEquals(equal(await readStream(bytes(40_000), 40_000)), true);
  assertEquals(await readStream(bytes(0), 10), new Uint8Array(0));
  await assertRejects(() => readStream(bytes(40_000), 39_999), RangeError, "larger than 39999 bytes");
});
