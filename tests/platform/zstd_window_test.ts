/** What a Zstandard stream may ask of the host's memory. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../lib/engine/errors.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { Turns } from "../../lib/platform/turns.ts";
import { zstdFrame } from "../fixtures/images/zstd_builder.ts";

const CONTENT = { byte: 7, times: 400_000 };

function unzstd(codec: ReturnType<typeof hostCodec>, ...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts).pipeThrough(codec.unzstd());
}

async function length(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of stream) size += piece.length;
  return size;
}

Deno.test("hostCodec().unzstd() takes windows of 32 MiB and refuses wider ones, in the first frame and in any other", async () => {
  const codec = hostCodec();
  for (const log of [17, 23, 24, 25]) {
    assertEquals(await length(unzstd(codec, zstdFrame(log, [CONTENT]))), CONTENT.times);
  }
  const fine = zstdFrame(20, [CONTENT]);
  for (const parts of [[zstdFrame(26, [CONTENT])], [zstdFrame(41, [])], [fine, fine, zstdFrame(27, [CONTENT])]]) {
    const error = await assertRejects(() => length(unzstd(codec, ...parts)), EngineError, "a window of");
    assertEquals(error.code, "limit");
  }
  const cut = zstdFrame(27, [CONTENT]);
  const bytes = [...cut].map((byte) => Uint8Array.of(byte));
  assertEquals((await assertRejects(() => length(unzstd(codec, ...bytes)), EngineError)).code, "limit");
});

Deno.test("hostCodec().unzstd() lets wide windows in one after the other, and narrow ones at once", async () => {
  const codec = hostCodec();
  const wide = () => unzstd(codec, zstdFrame(25, [{ byte: 1, times: 4_000_000 }]));
  const [first, second, third] = [wide(), wide(), wide()].map((stream) => stream.getReader());
  assert(!(await first.read()).done);
  let came = "";
  const waits = second.read().then(() => came += "second");
  const leaves = third.read().catch(() => {});
  assertEquals(await length(unzstd(codec, zstdFrame(23, [CONTENT]))), CONTENT.times);
  assertEquals(came, "");
  // One that leaves the queue, and then the one that has the turn: neither keeps the others.
  await third.cancel("enough");
  await leaves;
  await first.cancel("enough");
  await waits;
  assertEquals(came, "second");
  await second.cancel();
  assertEquals(await length(wide()), 4_000_000);
});

Deno.test("hostCodec().unzstd() gives the turn on when its source fails, and when its content is bad", async () => {
  const codec = hostCodec();
  const wide = zstdFrame(25, [{ byte: 1, times: 4_000_000 }]);
  const failing = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(wide.subarray(0, 60));
    },
    pull: () => Promise.reject(new Error("cut")),
  });
  await assertRejects(() => length(failing.pipeThrough(codec.unzstd())));
  await assertRejects(() => length(unzstd(codec, zstdFrame(25, [CONTENT]), new TextEncoder().encode("rubbish"))));
  assertEquals(await length(unzstd(codec, wide)), 4_000_000);
});

Deno.test("Turns passes over a holder that stands still, so that works which wait for each other go on", async () => {
  const turns = new Turns(20);
  const [outer, inner, last] = [turns.enter(), turns.enter(), turns.enter()];
  await outer.take();
  await inner.take();
  inner.leave();
  await outer.take();
  outer.leave();
  outer.leave();
  await last.take();
  last.leave();
});
