/**
 * What the tests of `overlayLayer` share.
 *
 * @module
 */
import type { LayerLimits } from "../../lib/oci/layer_limits.ts";
import { overlayLayer } from "../../lib/oci/layer_tar.ts";
import { concat } from "../fixtures/tar_builder.ts";

/** The tar as overlayLayer() makes it, fed in pieces of `step` bytes. */
export async function rewrite(
  tar: Uint8Array,
  limits: Partial<LayerLimits> = {},
  step = 64 * 1024,
): Promise<Uint8Array> {
  const out: Uint8Array[] = [];
  for await (const chunk of pieces(tar, step).pipeThrough(overlayLayer(limits))) out.push(chunk);
  return concat(out);
}

function pieces(bytes: Uint8Array, step: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at += step));
    },
  });
}
