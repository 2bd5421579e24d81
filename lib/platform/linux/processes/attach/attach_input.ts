import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { written } from "../../../http/exchange/written.ts";

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
  const write = async (payload: Uint8Array) => void await written(stdin, ...framed(payload));
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      if (!wanted) return;
      for (let at = 0; at < chunk.length; at += PIECE) await write(chunk.subarray(at, at + PIECE));
    },
    async close() {
      if (wanted) await write(new Uint8Array(0));
    },
  });
}

/** Its length before it. */
function framed(payload: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  return payload.length === 0 ? [head] : [head, payload];
}
