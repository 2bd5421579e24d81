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
  const expected = Uint8Array.from({ length: 250 }, (_, at) => at);
  const equal = (one: Uint8Array) => one.length === expected.length && one.every((byte, at) => byte === expected[at]);
  assertEquals(equal(await readStream(bytes(250), 1 << 20)), true);
  assertEquals(equal(await readStream(bytes(250), 250)), true);
  assertEquals(await readStream(bytes(0), 10), new Uint8Array(0));
  await assertRejects(() => readStream(bytes(250), 249), RangeError, "larger than 249 bytes");
});

Deno.test("readStream() refuses a body that comes in far too many pieces, and takes one in many small ones", async () => {
  const inPieces = (count: number, size: number) => {
    const piece = new Uint8Array(size);
    let sent = 0;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => sent++ < count ? controller.enqueue(piece) : controller.close(),
    });
  };
  assertEquals((await readStream(inPieces(20_000, 100), 1 << 22)).length, 2_000_000);
  await assertRejects(() => readStream(inPieces(20_000, 4), 1 << 22), RangeError, "pieces");
});
