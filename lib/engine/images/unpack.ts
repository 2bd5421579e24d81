import { overlayLayer } from "../../oci/layer_tar.ts";
import { EngineError } from "../errors.ts";
import type { Limits } from "../options.ts";
import type { Layers } from "../host_port.ts";
import type { Codec, Ports } from "../ports.ts";
import { decompress } from "./decompress.ts";

/** A layer to unpack: its blob, and the digest of the plain tar in it. */
export interface PackedLayer {
  digest: string;
  diffID: string;
}

/**
 * Unpacks a stored layer: decompressed, its diff ID checked, its tar checked and made fit for overlay, all as one stream.
 * Nothing of a layer that fails any check stays. Returns the bytes of the plain tar: what clients know as a layer's size, and
 * the same on every host.
 */
export async function unpackLayer(
  ports: Pick<Ports, "blobs" | "codec">,
  layers: Layers,
  layer: PackedLayer,
  options: { limits: Limits; signal?: AbortSignal },
): Promise<number> {
  const { limits, signal } = options;
  const blob = await ports.blobs.open(layer.digest);
  if (!blob) throw new EngineError("internal", `Unpack ${layer.digest}: its blob is not there`);
  let size = 0;
  const tar = (await decompress(ports.codec, blob))
    .pipeThrough(checkDiffID(ports.codec, layer, (bytes) => size = bytes), { signal })
    .pipeThrough(overlayLayer({ bytes: limits.layerBytes, entries: limits.layerEntries }));
  const { stream, failure } = watch(tar);
  try {
    await layers.apply(layer.diffID, stream);
    return size;
  } catch (error) {
    if (!stream.locked) await stream.cancel(error).catch(() => {});
    // What went wrong in the stream says more than what unpacking made of its end.
    throw failure() ?? error;
  }
}

function checkDiffID(
  codec: Codec,
  { digest, diffID }: PackedLayer,
  tellSize: (bytes: number) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const hash = codec.hash();
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      size += chunk.length;
      controller.enqueue(chunk);
    },
    async flush() {
      const found = await hash.digest();
      tellSize(size);
      if (found === diffID) return;
      throw new EngineError("corrupt", `Unpack ${digest}: the layer's diff ID is ${found}, the config says ${diffID}`);
    },
  });
}

/** The stream unchanged, and the error it ended with, if any. */
function watch(
  source: ReadableStream<Uint8Array>,
): { stream: ReadableStream<Uint8Array>; failure: () => unknown } {
  const reader = source.getReader();
  let failure: unknown;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { stream, failure: () => failure };
}
