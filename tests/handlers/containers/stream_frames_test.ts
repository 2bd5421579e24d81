import { assertEquals } from "@std/assert";
import { frame, MULTIPLEXED_STREAM, RAW_STREAM, streamType } from "../../../handlers/containers/stream_frames.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("frame() writes stream number, zeros and length before the data", () => {
  assertEquals([...frame("stdout", bytes("hi"))], [1, 0, 0, 0, 0, 0, 0, 2, 104, 105]);
  assertEquals([...frame("stderr", bytes("ab"))], [2, 0, 0, 0, 0, 0, 0, 2, 97, 98]);
  assertEquals([...frame("stdout", new Uint8Array(70_000)).subarray(0, 8)], [1, 0, 0, 0, 0, 1, 0x11, 0x70]);
});

Deno.test("streamType() spares old clients a type they do not know", () => {
  const rows: [framed: boolean, version: string | undefined, since: [number, number], type: string][] = [
    [false, "5.0.0", [4, 7], RAW_STREAM],
    [true, undefined, [4, 7], MULTIPLEXED_STREAM],
    [true, "4.3.1", [4, 7], RAW_STREAM],
    [true, "4.7.0", [4, 7], MULTIPLEXED_STREAM],
    [true, "4.10", [4, 7], MULTIPLEXED_STREAM],
    [true, "6.0.0-dev", [4, 7], MULTIPLEXED_STREAM],
    [true, "1.41", [1, 42], RAW_STREAM],
    [true, "1.44", [1, 42], MULTIPLEXED_STREAM],
  ];
  for (const [framed, version, since, type] of rows) assertEquals(streamType(framed, version, since), type, version);
});
