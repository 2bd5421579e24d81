import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Codec } from "../../../lib/engine/ports.ts";

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

  Deno.test("workersCodec().unzstd() says that there is none", () => {
    assertEquals(assertThrows(() => codec.unzstd(), EngineError).code, "unsupported");
    assertEquals(assertThrows(() => codec.zstd(), EngineError).code, "unsupported");
    assertEquals(assertThrows(() => codec.gzip(9), EngineError).code, "unsupported");
  });
}
