/** Bounds on one layer. */
export interface LayerLimits {
  /** Bytes of the plain tar. */
  bytes: number;
  entries: number;
  /** Character and block devices; whiteouts do not count. */
  devices: number;
  /** Bytes of a path. */
  path: number;
}

/** The bounds used where none are given. */
export const LAYER_LIMITS: LayerLimits = { bytes: 64 * 2 ** 30, entries: 1_000_000, devices: 1024, path: 4095 };
