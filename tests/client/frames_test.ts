import { assertEquals, assertRejects } from "@std/assert";
import { ClientError } from "../../lib/client/mod.ts";
import { readFrames, readLines } from "../../lib/client/frames.ts";

function frame(stream: number, text: string): Uint8Array {
  const data = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + data.length);
  bytes[0] = stream;
  new DataView(bytes.buffer).setUint32(4, data.length);
  bytes.set(data, 8);
  return bytes;
}

/** A stream of bytes in pieces of a size. */
function cut(size: number, ...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  const all = Uint8Array.from(parts.flatMap((part) => [...part]));
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
  return ReadableStream.from(pieces);
}

const FRAMES = [frame(1, "one\ntw"), frame(2, "bad\r\n"), frame(1, ""), frame(1, "o\nü"), frame(2, "end")];

Deno.test("readFrames() and readLines() give the same lines however the bytes are cut", async () => {
  for (const size of [1, 3, 7, 8, 9, 1000]) {
    const lines = await Array.fromAsync(readLines(readFrames(cut(size, ...FRAMES), false)));
    assertEquals(lines.filter(({ stream }) => stream === "stdout").map(({ text }) => text), ["one", "two", "ü"]);
    assertEquals(lines.filter(({ stream }) => stream === "stderr").map(({ text }) => text), ["bad", "end"]);
  }
});

Deno.test("readFrames() takes a terminal's output as it is", async () => {
  const frames = await Array.fromAsync(readFrames(cut(4, frame(1, "x")), true));
  assertEquals(frames.map(({ stream, data }) => [stream, data.length]), [["stdout", 4], ["stdout", 4], ["stdout", 1]]);
});

Deno.test("readFrames() fails for bytes that are no frames, and for a stream that is cut within one", async () => {
  const broken = [
    [new TextEncoder().encode("HTTP/1.1 400 Bad Request")],
    [frame(3, "no such stream")],
    [frame(1, "whole"), frame(1, "cut").subarray(0, 9)],
    [frame(1, "whole"), frame(1, "cut").subarray(0, 4)],
  ];
  for (const parts of broken) {
    const error = await assertRejects(() => Array.fromAsync(readFrames(cut(5, ...parts), false)), ClientError);
    assertEquals(error.code, "internal");
  }
});

Deno.test("readFrames() that a signal cut short fails with its reason, and does not end as if it were whole", async () => {
  const leave = new AbortController();
  const frames = readFrames(cut(1000, frame(1, "part")), false, leave.signal);
  const reader = frames.getReader();
  await reader.read();
  leave.abort(new Error("enough"));
  await assertRejects(() => reader.read(), Error, "enough");
});
