import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { drained } from "../drained.ts";

/** The largest piece of input in one frame. */
const PIECE = 64 * 1024;

/**
 * A container's input, through the frames that the attach helper reads from `stdin`. It takes no more than the container
 * reads.
 *
 * @param wanted Whether the container is to get it; else it goes nowhere
 */
export function attachInput(stdin: Writable, wanted: boolean): WritableStream<Uint8Array> {
  const write = async (bytes: Uint8Array) => {
    // With the container the reader of its input goes: what is still to come has nowhere to go, which is no error.
    if (!stdin.writable || stdin.write(bytes)) return;
    await drained(stdin);
  };
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      if (!wanted) return;
      for (let at = 0; at < chunk.length; at += PIECE) await write(framed(chunk.subarray(at, at + PIECE)));
    },
    async close() {
      if (wanted) await write(framed(new Uint8Array(0)));
    },
  });
}

function framed(payload: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(4 + payload.length);
  frame.writeUInt32BE(payload.length);
  frame.set(payload, 4);
  return frame;
}
