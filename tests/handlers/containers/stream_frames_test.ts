import { assertEquals } from "@std/assert";
import { gatherPieces } from "../../../handlers/containers/gather.ts";
import {
  addFrameHeader,
  MULTIPLEXED_STREAM,
  RAW_STREAM,
  streamType,
} from "../../../handlers/containers/stream_frames.ts";

Deno.test("addFrameHeader() writes stream number, zeros and length", async () => {
  const source = (async function* () {
    yield* await Promise.resolve(["stdout", "stderr"] as const);
  })();
  const bytes = gatherPieces(source, (stream, piece) => addFrameHeader(piece, stream, 258));
  const whole = new Uint8Array(await new Response(bytes).arrayBuffer());
  assertEquals([...whole], [1, 0, 0, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 1, 2]);
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
