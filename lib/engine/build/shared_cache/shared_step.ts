import type { ImageConfig } from "../../../oci/image_config.ts";

/** The result of a step that another engine made. */
export interface SharedStep {
  /** RFC 3339; the same time makes the same image. */
  created: string;
  /** The layer that the step added; absent where it changed no file. */
  layer?: SharedLayer;
  /** The repository that has it under the step's key; absent for an image's own history. */
  repository?: string;
}

/** A layer that is read when it is needed. */
export interface SharedLayer {
  /** The digest of the plain tar. */
  diffID: string;
  /** Opens the blob, plain or compressed. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** An image whose steps can be taken. */
export interface SharedImage {
  config: ImageConfig;
  /** Opens a layer's blob by its place, from base to top. */
  open(layer: number): Promise<ReadableStream<Uint8Array>>;
}

/** The field of a config that has the keys of the image's last steps, one for each entry at the end of its history. */
const KEYS_FIELD = "gantry.cache";

/** The config's field that makes an image a source of its own steps. */
export function inlineKeys(keys: readonly string[]): Partial<ImageConfig> {
  return { [KEYS_FIELD]: [...keys] };
}

/** The step of an image that has a key; `undefined` where it has none, or its config does not hold together. */
export function stepWithKey(image: SharedImage, key: string): SharedStep | undefined {
  const { [KEYS_FIELD]: keys, history = [] } = image.config;
  if (!Array.isArray(keys) || keys.length > history.length) return undefined;
  const at = keys.indexOf(key);
  return at < 0 ? undefined : stepAt(image, history.length - keys.length + at);
}

/** The step of an entry of an image's history, the last one by default. */
export function stepAt(image: SharedImage, at = (image.config.history?.length ?? 0) - 1): SharedStep | undefined {
  const { history = [], rootfs: { diff_ids } } = image.config;
  const { created, empty_layer: isEmpty } = history[at] ?? {};
  if (created === undefined || Number.isNaN(Date.parse(created))) return undefined;
  if (isEmpty) return { created };
  const layer = history.slice(0, at).filter(({ empty_layer }) => !empty_layer).length;
  const diffID = diff_ids[layer];
  return diffID === undefined ? undefined : { created, layer: { diffID, open: () => image.open(layer) } };
}
