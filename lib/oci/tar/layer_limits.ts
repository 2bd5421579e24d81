/** Bounds on one layer. */
export interface LayerLimits {
  /** Bytes of the plain tar. */
  bytes: number;
  /** Entries, and as many files and folders: a path may make thousands of folders that no entry names. */
  entries: number;
  /** Character and block devices; whiteouts do not count. */
  devices: number;
  /** Bytes of a path. */
  path: number;
  /** Bytes of names and of folders' attributes that are kept while the layer is read. */
  memory: number;
}

/** The bounds used where none are given. */
export const LAYER_LIMITS: LayerLimits = {
  bytes: 64 * 2 ** 30,
  entries: 1_000_000,
  devices: 1024,
  path: 4095,
  memory: 256 * 2 ** 20,
};
