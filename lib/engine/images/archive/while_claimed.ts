import { tapStream } from "../../../oci/bytes/byte_stream.ts";
import type { Claim } from "../store/content.ts";

/** The stream, which ends the claim when it ends, fails or is let go of. */
export function whileClaimed(claim: Claim, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const end = () => claim.end("delete");
  return tapStream(stream, { see: (bytes) => bytes === undefined ? end() : undefined, fail: end, cancel: end });
}
