import { assert, assertEquals, assertRejects } from "@std/assert";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { EngineError } from "../../lib/engine/errors.ts";
import { freeBytes } from "../../lib/oci/bytes/byte_stream.ts";
import { concatBytes } from "../../lib/oci/bytes/bytes.ts";
import { hostClock } from "../../lib/platform/clock.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { hostRandom } from "../../lib/platform/random.ts";
import { sha256 } from "../fixtures/images/image_builder.ts";
import { untilTrue } from "../fixtures/until_true.ts";

const PLAIN = new TextEncoder().encode("layer ".repeat(200_000));

function source(bytes: Uint8Array, step = 10_000): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at += step));
    },
  });
}

async function whole(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

Deno.test("hostCodec() digests, packs and unpacks", async () => {
  const codec = hostCodec();
  const hash = codec.hash();
  for (let at = 0; at < PLAIN.length; at += 1000) hash.update(PLAIN.subarray(at, at + 1000));
  assertEquals(await hash.digest(), sha256(PLAIN));
  assertEquals(await whole(source(gzipSync(PLAIN)).pipeThrough(codec.gunzip())), PLAIN);
  assertEquals(await whole(source(zstdCompressSync(PLAIN)).pipeThrough(codec.unzstd())), PLAIN);
  assertEquals(await whole(source(PLAIN).pipeThrough(codec.gzip()).pipeThrough(codec.gunzip())), PLAIN);
  const members = new Uint8Array([...gzipSync("a"), ...gzipSync("b")]);
  assertEquals(await whole(source(members, 3).pipeThrough(codec.gunzip())), new TextEncoder().encode("ab"));
});

Deno.test("hostCodec() calls broken streams corrupt", async () => {
  const codec = hostCodec();
  const packed = gzipSync(PLAIN);
  const flipped = packed.map((byte, i) => i === packed.length - 6 ? byte ^ 1 : byte);
  for (const bytes of [packed.subarray(0, 1000), new Uint8Array(5000), flipped, new Uint8Array(0)]) {
    const error = await assertRejects(() => whole(source(bytes).pipeThrough(codec.gunzip())), Error);
    assert(bytes.length === 0 || (error instanceof EngineError && error.code === "corrupt"), String(error));
  }
});

Deno.test("hostCodec() lets go of the source when the reader cancels, and of the reader when the source fails", async () => {
  const codec = hostCodec();
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(gzipSync(PLAIN))),
    cancel: () => {
      cancelled = true;
    },
  });
  const reader = endless.pipeThrough(codec.gunzip()).getReader();
  await reader.read();
  await reader.cancel("enough");
  await untilTrue(() => cancelled);
  const failing = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut")) });
  await assertRejects(() => whole(failing.pipeThrough(codec.gunzip())), Error, "cut");
});

Deno.test("hostClock() tells the time and sleeps until aborted", async () => {
  const clock = hostClock();
  assert(Math.abs(clock.now() - Date.now()) < 1000);
  const before = clock.now();
  await clock.sleep(20);
  assert(clock.now() - before >= 15);
  const stop = new AbortController();
  const sleeping = clock.sleep(60_000, stop.signal);
  stop.abort(new Error("enough"));
  await assertRejects(() => sleeping, Error, "enough");
  await assertRejects(() => clock.sleep(1, AbortSignal.abort(new Error("before"))), Error, "before");
});

Deno.test("hostRandom() gives as many bytes as asked", () => {
  const random = hostRandom();
  assertEquals([random.bytes(0).length, random.bytes(32).length], [0, 32]);
  assert(random.bytes(32).some((byte, i) => byte !== random.bytes(32)[i]));
});

Deno.test("hostCodec() compresses with the level asked for, and reads it again", async () => {
  const codec = hostCodec();
  const sizes: number[] = [];
  for (const level of [1, 9]) {
    const gzip = await whole(source(PLAIN).pipeThrough(codec.gzip(level)));
    assertEquals(await whole(source(gzip).pipeThrough(codec.gunzip())), PLAIN);
    const zstd = await whole(source(PLAIN).pipeThrough(codec.zstd(level)));
    assertEquals(await whole(source(zstd).pipeThrough(codec.unzstd())), PLAIN);
    sizes.push(gzip.length, zstd.length);
  }
  assertEquals(sizes[2] <= sizes[0] && sizes[3] <= sizes[1], true, sizes.join());
});

Deno.test("hostCodec() keeps nothing of the chunks that went through (each left a waiting promise on the heap)", async () => {
  const member = new Uint8Array(gzipSync("chunk"));
  let [least, end, count] = [Infinity, 0, 0];
  const look = () => {
    const { heapUsed } = Deno.memoryUsage();
    if (++count === 10_000) least = Infinity;
    least = Math.min(least, heapUsed);
    // The least of a stretch is what was left when garbage was collected last.
    if (count % 10_000 === 0 && end === 0) end = least;
    if (count === 90_000) least = Infinity;
  };
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      look();
      if (count <= 100_000) controller.enqueue(member);
      else controller.close();
    },
  });
  assertEquals((await whole(source.pipeThrough(hostCodec().gunzip()))).length, 500_000);
  assert(least - end < 10 * 1024 * 1024, `the heap grew by ${least - end} bytes`);
});

Deno.test("hostCodec() gives whole buffers that belong to the reader, and all bytes, however the input is cut", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const plain = new Uint8Array(40 * bytes.length + 12_345);
  for (let at = 0; at < plain.length; at += bytes.length) plain.set(bytes.subarray(0, plain.length - at), at);
  const packed = new Uint8Array(gzipSync(plain));
  for (const step of [1000, 65_537, 300_000, packed.length]) {
    const stream = source(packed, step).pipeThrough(hostCodec().gunzip());
    const pieces: Uint8Array[] = [];
    const sizes: number[] = [];
    for await (const piece of stream) {
      sizes.push(piece.length);
      pieces.push(piece.slice());
      assertEquals(piece.buffer.byteLength, piece.length);
      freeBytes(piece);
    }
    assertEquals(sha256(concatBytes(pieces)), sha256(plain), `${step}`);
    assert(sizes.slice(0, -1).every((size) => size === 256 * 1024), sizes.join());
  }
});
