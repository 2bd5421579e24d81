import { byteStream, isByteStream, pieceStream, pourThrough } from "../../../oci/bytes/byte_stream.ts";
import { type Compression, detectCompression } from "../../../oci/media_type.ts";
import { EngineError } from "../../errors.ts";
import type { Codec } from "../../ports/ports.ts";

/** How archives of other programs may begin. */
const FOREIGN = [
  { name: "bzip2", magic: [0x42, 0x5a, 0x68] },
  { name: "xz", magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0] },
];

/**
 * Returns a stream decompressed, by its first bytes: media types are sometimes wrong. Throws `EngineError("unsupported")` for
 * compressions that layers never have.
 */
export async function decompress(
  codec: Codec,
  blob: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  return (await plainStream(codec, blob)).stream;
}

/** The same, with what it was compressed with. */
export async function plainStream(
  codec: Codec,
  blob: ReadableStream<Uint8Array>,
): Promise<{ stream: ReadableStream<Uint8Array>; compression: Compression }> {
  const { head, stream } = await peek(blob, 6);
  const foreign = FOREIGN.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
  if (foreign) {
    await stream.cancel();
    throw new EngineError("unsupported", `Decompress: ${foreign.name} is not supported, only gzip and zstd are`);
  }
  const compression = detectCompression(head);
  if (compression === "none") return { stream, compression };
  try {
    return { stream: through(codec, stream, compression === "gzip" ? codec.gunzip() : codec.unzstd()), compression };
  } catch (error) {
    // Not every runtime has Zstandard.
    await stream.cancel(error);
    throw error;
  }
}

/** A stream through one of the codec's transforms, its pieces freed where that can be. */
export function through(
  { handsBack = false }: Codec,
  stream: ReadableStream<Uint8Array>,
  transform: TransformStream<Uint8Array, Uint8Array>,
): ReadableStream<Uint8Array> {
  return handsBack ? pourThrough(stream, transform) : stream.pipeThrough(transform);
}

/** The first bytes of a stream, and the stream still whole, and of type `bytes` where it was. */
export async function peek(
  source: ReadableStream<Uint8Array>,
  length: number,
): Promise<{ head: Uint8Array; stream: ReadableStream<Uint8Array> }> {
  const like = isByteStream(source) ? byteStream : pieceStream;
  const reader = source.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const { value } = await reader.read();
    if (value === undefined) break;
    chunks.push(value);
    size += value.length;
  }
  const head = new Uint8Array(Math.min(length, size));
  for (let at = 0, i = 0; at < head.length; at += chunks[i++].length) {
    head.set(chunks[i].subarray(0, head.length - at), at);
  }
  const stream = like({
    next: async () => chunks.shift() ?? (await reader.read()).value,
    cancel: (reason) => reader.cancel(reason),
  });
  return { head, stream };
}
