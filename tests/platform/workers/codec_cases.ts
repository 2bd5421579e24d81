import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Codec } from "../../../lib/engine/ports/ports.ts";
import { workersCodec } from "../../../lib/platform/workers/codec.ts";

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255);

function through(source: Uint8Array[], transform: TransformStream<Uint8Array, Uint8Array>): Promise<ArrayBuffer> {
  return new Response(ReadableStream.from(source).pipeThrough(transform)).arrayBuffer();
}

/** What the codec of workerd has to do. */
export function testCodec(codec: Codec): void {
  Deno.test("workersCodec().hash() digests piece by piece", async () => {
    const hash = codec.hash();
    for (let at = 0; at < bytes.length; at += 1000) hash.update(bytes.subarray(at, at + 1000));
    const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hex = Array.from(expected, (byte) => byte.toString(16).padStart(2, "0")).join("");
    assertEquals(await hash.digest(), `sha256:${hex}`);
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assertEquals(await codec.hash().digest(), `sha256:${empty}`);
  });

  Deno.test("workersCodec().gunzip() undoes gzip(), and says corrupt of anything else", async () => {
    const packed = new Uint8Array(await through([bytes], codec.gzip()));
    assertEquals(new Uint8Array(await through([packed.slice(0, 10), packed.slice(10)], codec.gunzip())), bytes);
    for (const broken of [packed.slice(0, 200), bytes.slice(0, 1000)]) {
      const error = await assertRejects(() => through([broken], codec.gunzip()), EngineError);
      assertEquals(error.code, "corrupt");
    }
  });

  Deno.test("workersCodec().gzip() leaves alone what it is given, and frees it where it is its own", async () => {
    for (const [freesInput, left] of [[false, 300_000], [true, 0]] as const) {
      const own = bytes.slice();
      const shared = new Uint8Array(400_000).subarray(1);
      const packed = await through([own, shared], workersCodec({ freesInput }).gzip());
      assertEquals([own.length, shared.length], [left, 399_999]);
      const plain = new Uint8Array(await through([new Uint8Array(packed)], codec.gunzip()));
      assertEquals(plain.length, 699_999);
      assertEquals(plain.subarray(0, bytes.length), bytes);
    }
  });

  Deno.test("workersCodec().unzstd() says that there is none", () => {
    assertEquals(assertThrows(() => codec.unzstd(), EngineError).code, "unsupported");
    assertEquals(assertThrows(() => codec.zstd(), EngineError).code, "unsupported");
    assertEquals(assertThrows(() => codec.gzip(9), EngineError).code, "unsupported");
  });
}
