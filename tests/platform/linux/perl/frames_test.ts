import { assertEquals, assertRejects } from "@std/assert";
import { once } from "node:events";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { frameOf, FrameReader } from "../../../../lib/platform/linux/perl/frames.ts";
import { startPipedProgram, startProgram } from "../../../../lib/platform/linux/helpers/spawn.ts";
import { COMMON } from "../../../../lib/platform/linux/perl/common.pl.ts";

/** A stream of bytes, cut into pieces of a size. */
function inPieces(bytes: Uint8Array, size: number): Readable {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
  return Readable.from(pieces);
}

Deno.test("FrameReader reads what frameOf() wrote, however it is cut, and then the rest", async () => {
  const bytes = Buffer.concat([
    ...frameOf("first", "a\nb\0c", "", "é"),
    ...frameOf("second"),
    Buffer.from("not framed"),
  ]);
  for (const size of [1, 3, 7, bytes.length]) {
    const frames = new FrameReader(inPieces(bytes, size));
    assertEquals(await frames.readTexts(), ["first", "a\nb\0c", "", "é"]);
    assertEquals(await frames.readTexts(), ["second"]);
    let rest = "";
    for (let piece = await frames.rest(); piece !== undefined; piece = await frames.rest()) {
      rest += Buffer.from(piece).toString();
    }
    assertEquals(rest, "not framed");
    assertEquals(await frames.read(), undefined);
  }
});

Deno.test("FrameReader gives nothing of a frame that was cut off", async () => {
  const bytes = Buffer.concat(frameOf("word", "field"));
  for (let end = 0; end < bytes.length; end++) {
    assertEquals(await new FrameReader(inPieces(bytes.subarray(0, end), 4)).read(), undefined);
  }
});

Deno.test("FrameReader refuses a length that is too long for its frame, or for any", async () => {
  const long = Buffer.concat(frameOf("word"));
  long.writeUInt32BE(5, 4);
  const huge = Buffer.alloc(8, 0xff);
  const short = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]);
  for (const bytes of [long, huge, short]) {
    const error = await assertRejects(() => new FrameReader(inPieces(bytes, 8)).read(), EngineError);
    assertEquals(error.code, "internal");
  }
});

Deno.test({
  name: "next_frame() and answer() of common.pl speak the frames of frames.ts",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const echo = `
my $held = '';
while (sysread(STDIN, $held, 3, length $held)) {
  while (my $frame = next_frame($held)) { answer(scalar @$frame, @$frame) }
}`;
    const child = startPipedProgram("perl", ["-e", COMMON + echo]);
    const frames = new FrameReader(child.stdout);
    const bytes = Buffer.from([0, 255, 10]);
    child.stdin.end(Buffer.concat([...frameOf("input", bytes), ...frameOf("close"), ...frameOf("x", "", "")]));
    assertEquals((await frames.read())?.[2], new Uint8Array(bytes));
    assertEquals(await frames.readTexts(), ["1", "close"]);
    assertEquals(await frames.readTexts(), ["3", "x", "", ""]);
    assertEquals(await frames.readTexts(), undefined);
  },
});

Deno.test("FrameReader keeps the output of a process that exited before anybody read", async () => {
  const child = startProgram("sh", ["-c", "printf kept"], { stdio: ["ignore", "pipe", "ignore"] });
  const frames = new FrameReader(child.stdout!);
  await once(child, "exit");
  // What Node does at the exit happens before this.
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(new TextDecoder().decode(await frames.rest()), "kept");
  assertEquals(await frames.rest(), undefined);
});
