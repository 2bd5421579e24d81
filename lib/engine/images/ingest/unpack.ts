import { pourThrough, tapStream } from "../../../oci/bytes/byte_stream.ts";
import { overlayLayer } from "../../../oci/tar/layer_tar.ts";
import { EngineError } from "../../errors.ts";
import type { InputLimits } from "../../options.ts";
import type { Layers } from "../../ports/host_port.ts";
import type { Hash, Ports } from "../../ports/ports.ts";
import { plainStream } from "./decompress.ts";
import { checkDiffID } from "./image_rules.ts";

/** A layer to unpack: its blob, and the digest of the plain tar in it. */
export interface PackedLayer {
  digest: string;
  diffID: string;
}

/** How a layer is unpacked. */
export interface UnpackOptions {
  limits: InputLimits;
  signal?: AbortSignal;
  /** Told the diff ID of a layer whose diff ID was not known, before the layer can be seen. */
  admit?: (diffID: string) => Promise<void>;
}

/** The facts about an unpacked layer. */
export interface Unpacked {
  diffID: string;
  /** Bytes of the plain tar: what clients know as a layer's size, and the same on every host. */
  size: number;
}

/**
 * Unpacks a stored layer: decompressed, its diff ID checked, its tar checked and made fit for overlay, all as one stream.
 * Nothing of a layer that fails any check stays.
 */
export async function unpackLayer(
  ports: Pick<Ports, "blobs" | "codec">,
  layers: Pick<Layers, "apply" | "isUsers">,
  layer: Pick<PackedLayer, "digest"> & Partial<PackedLayer>,
  { limits, signal, admit }: UnpackOptions,
): Promise<Unpacked> {
  const blob = await ports.blobs.open(layer.digest);
  if (!blob) throw new EngineError("internal", `Unpack ${layer.digest}: its blob is not there`);
  const found: Unpacked = { diffID: layer.diffID ?? "", size: 0 };
  const { stream: plain, compression } = await plainStream(ports.codec, blob);
  // A plain layer's digest is its diff ID, and was checked when it was stored.
  const hash = compression === "none" ? undefined : ports.codec.hash();
  const checked = measureLayer(plain, { ...layer, signal }, hash, found);
  const tar = pourThrough(
    checked,
    overlayLayer({ bytes: limits.layerBytes, entries: limits.layerEntries }, layers.isUsers),
  );
  const { stream, failure } = watch(tar);
  const name = async () => {
    await admit?.(found.diffID);
    return found.diffID;
  };
  try {
    await layers.apply(layer.diffID ?? name, stream);
    return found;
  } catch (error) {
    if (!stream.locked) await stream.cancel(error).catch(() => {});
    // The stream's own failure says more than the failure of unpacking its cut end.
    throw failure() ?? error;
  }
}

/** Passes a plain tar on as it is; `found` gets its size, and its diff ID. */
function measureLayer(
  plain: ReadableStream<Uint8Array>,
  { digest, diffID, signal }: { digest: string; diffID?: string; signal?: AbortSignal },
  hash: Hash | undefined,
  found: Unpacked,
): ReadableStream<Uint8Array> {
  const see = async (bytes: Uint8Array | undefined) => {
    signal?.throwIfAborted();
    if (bytes !== undefined) {
      hash?.update(bytes);
      found.size += bytes.length;
      return;
    }
    found.diffID = await hash?.digest() ?? digest;
    checkDiffID(digest, found.diffID, diffID);
  };
  return tapStream(plain, { see });
}

/** The stream unchanged, and the error it ended with, if any. */
function watch(
  source: ReadableStream<Uint8Array>,
): { stream: ReadableStream<Uint8Array>; failure: () => unknown } {
  let failure: unknown;
  const stream = tapStream(source, { fail: (error) => void (failure = error) });
  return { stream, failure: () => failure };
}
