import { assertEquals, assertThrows } from "@std/assert";
import { constants, zstdCompressSync } from "node:zlib";
import { ZstdFrames } from "../../../lib/oci/bytes/zstd_frames.ts";
import { zstdFrame } from "../../fixtures/images/zstd_builder.ts";

const MEGABYTE = 2 ** 20;

/** The windows of the frames, of pieces of this size. */
function windows(bytes: Uint8Array, size: number): number[] {
  const frames = new ZstdFrames();
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(frames.read(bytes.subarray(at, at + size)));
  return found.filter((window) => window > 0);
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const noise = Uint8Array.from({ length: 300_000 }, (_, i) => Math.imul(i, 2654435761) >>> 24);

Deno.test("ZstdFrames.read() finds the window of every frame, wherever the pieces are cut", () => {
  const skippable = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd, 0);
  const checked = zstdCompressSync(noise, {
    params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_windowLog]: 17 },
  });
  const small = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, (5 << 3) | 1, 0, 0, 1, 2, 3, 4, 5);
  const wide = zstdFrame(27, [noise.subarray(0, 5), { byte: 0, times: 1000 }]);
  const whole = join(checked, skippable, small, wide, zstdFrame(10, []));
  for (const size of [2, 3, 7, 1000, 65_536, whole.length]) {
    assertEquals(Math.max(...windows(whole, size)), 128 * MEGABYTE, `${size}`);
  }
  assertEquals(windows(whole, 1), [131_072, 5, 128 * MEGABYTE, 1024]);
});

Deno.test("ZstdFrames.read() refuses what is no frame, where a decoder could take it for another thing than we did", () => {
  const frame = zstdFrame(20, [noise.subarray(0, 100)]);
  const frames = new ZstdFrames();
  frames.read(frame);
  assertThrows(() => frames.read(Uint8Array.of(0x27, 0xb5, 0x2f, 0xfd)), SyntaxError);
  assertThrows(() => new ZstdFrames().read(join(frame.subarray(0, 6), Uint8Array.of(6, 0, 0))), SyntaxError);
});
