/**
 * Messages of gRPC in the bytes of a stream: each has a byte before it that says whether it is compressed, and its length in four.
 *
 * @module
 */
import { GRPC_CODES, GRPCError } from "../../../engine/ports/build_port.ts";

/** Bytes of the longest message, as BuildKit's clients have it. */
const LIMIT = 16 * 1024 * 1024;
const HEAD = 5;

/** Returns a message with what goes before it. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEAD + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, HEAD);
  return frame;
}

/** Cuts bytes into messages. Throws {@linkcode GRPCError} for one that is too long, compressed or cut off. */
export async function* splitMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let wanted = HEAD;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    let bytes = joinPieces(pieces, size);
    while (bytes.length >= HEAD) {
      const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
      if (bytes[0] !== 0) throw new GRPCError(GRPC_CODES.unimplemented, "compressed messages are not taken");
      if (length > LIMIT) {
        throw new GRPCError(GRPC_CODES.resourceExhausted, `a message of ${length} bytes is over the limit of ${LIMIT}`);
      }
      wanted = HEAD + length;
      if (bytes.length < wanted) break;
      yield bytes.subarray(HEAD, wanted);
      bytes = bytes.subarray(wanted);
      wanted = HEAD;
    }
    pieces = bytes.length === 0 ? [] : [bytes];
    size = bytes.length;
  }
  if (size > 0) throw new GRPCError(GRPC_CODES.internal, "the stream ended within a message");
}

function joinPieces(pieces: readonly Uint8Array[], size: number): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
