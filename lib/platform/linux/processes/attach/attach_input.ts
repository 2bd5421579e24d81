import type { Writable } from "node:stream";
import { writeAll } from "../../../http/exchange/write_all.ts";
import { frameOf } from "../../perl/frames.ts";

/** The largest piece of input in one frame. */
const PIECE = 64 * 1024;

/**
 * A container's input, through the frames that the attach helper reads from `stdin`. It takes no more than the container
 * reads.
 *
 * @param wanted Whether the container is to get it; else it goes nowhere
 */
export function attachInput(stdin: Writable, wanted: boolean): WritableStream<Uint8Array> {
  // With the container the reader of its input goes: what is still to come has nowhere to go, which is no error.
  const write = async (pieces: Uint8Array[]) => void await writeAll(stdin, ...pieces);
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      if (!wanted) return;
      for (let at = 0; at < chunk.length; at += PIECE) await write(frameOf("input", chunk.subarray(at, at + PIECE)));
    },
    async close() {
      if (wanted) await write(frameOf("close"));
    },
  });
}
