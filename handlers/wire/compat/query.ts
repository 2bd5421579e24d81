/**
 * The queries of the compat tree. Flags there are looser than in the native one.
 *
 * @module
 */
import { looseFlag, terminalSide } from "../query.ts";
import { z } from "../zod.ts";

const optionalFlag = looseFlag.optional();
const seconds = z.int().optional();

/** The query of `CompatCreateContainer`. */
export const CompatCreateQuery = z.object({ name: z.string().optional(), platform: z.string().optional() });

/** The query of `CompatListContainers`. */
export const CompatListContainersQuery = z.object({
  all: optionalFlag,
  limit: z.int().optional(),
  size: optionalFlag,
  filters: z.string().optional(),
});

/** The query of `CompatGetContainer`. */
export const CompatSizeQuery = z.object({ size: optionalFlag });

/** The query of `CompatStartContainer`. */
export const CompatStartQuery = z.object({ detachKeys: z.string().optional() });

/** The query of `CompatStopContainer` and `CompatRestartContainer`. */
export const CompatStopQuery = z.object({ ignore: optionalFlag, t: seconds, signal: z.string().optional() });

/** The query of `CompatKillContainer`. */
export const CompatKillQuery = z.object({ signal: z.string().optional() });

/** The query of `CompatWaitContainer`. */
export const CompatWaitQuery = z.object({ condition: z.string().optional() });

/** The query of `CompatRemoveContainer`. */
export const CompatRemoveQuery = z.object({
  force: optionalFlag,
  ignore: optionalFlag,
  link: optionalFlag,
  v: optionalFlag,
});

/** The query of `CompatLogsFromContainer`. */
export const CompatLogsQuery = z.object({
  follow: optionalFlag,
  stdout: optionalFlag,
  stderr: optionalFlag,
  since: z.string().optional(),
  until: z.string().optional(),
  timestamps: optionalFlag,
  tail: z.string().optional(),
  details: optionalFlag,
});

/** The query of `CompatAttachContainer`. */
export const CompatAttachQuery = z.object({
  detachKeys: z.string().optional(),
  logs: optionalFlag,
  stream: optionalFlag,
  stdin: optionalFlag,
  stdout: optionalFlag,
  stderr: optionalFlag,
});

/** The query of `CompatTopContainer`. */
export const CompatTopQuery = z.object({
  delay: z.int().optional(),
  ps_args: z.array(z.string()).optional(),
  stream: optionalFlag,
});

/** The query of `CompatStatsContainer`. */
export const CompatStatsQuery = z.object({ stream: optionalFlag, "one-shot": optionalFlag });

/** The query of `CompatResizeTTY`. */
export const CompatResizeQuery = z.object({ h: terminalSide, w: terminalSide, running: optionalFlag });

/** The query of `CompatGetImages`. */
export const CompatListImagesQuery = z.object({
  all: optionalFlag,
  digests: optionalFlag,
  filter: z.string().optional(),
  "shared-size": optionalFlag,
  /** Read by `parseFilters`. */
  filters: z.string().optional(),
});

/** The query of `CompatCreateImageFromImage`. */
export const CompatCreateImageQuery = z.object({
  fromImage: z.string().optional(),
  tag: z.string().optional(),
  platform: z.string().optional(),
  retry: z.int().min(0).optional(),
  retryDelay: z.string().optional(),
});

/** The query of `CompatRemoveImage`. */
export const CompatRemoveImageQuery = z.object({ force: optionalFlag, ignore: optionalFlag, noprune: optionalFlag });

/** The query of `CompatPushImage`. `compress` has no meaning for registries, as in Podman. */
export const CompatPushQuery = z.object({
  all: optionalFlag,
  compress: optionalFlag,
  destination: z.string().optional(),
  format: z.string().optional(),
  tlsVerify: optionalFlag,
  tag: z.string().optional(),
});
export type CompatPushQuery = z.output<typeof CompatPushQuery>;

/** The query of `CompatExportImages`. */
export const CompatExportQuery = z.object({ names: z.array(z.string()).optional() });

/** The query of `CompatLoadImages`. Its `quiet` has no meaning: nothing but the end is told. */
export const CompatLoadQuery = z.object({ quiet: optionalFlag });

/** The query of `CompatCreateImageFromSrc`. */
export const CompatImportQuery = z.object({
  changes: z.array(z.string()).optional(),
  fromSrc: z.string().optional(),
  message: z.string().optional(),
  platform: z.string().optional(),
  repo: z.string().optional(),
  tag: z.string().optional(),
});
export type CompatImportQuery = z.output<typeof CompatImportQuery>;

/** The query of `CompatPruneImages`. */
export const CompatPruneImagesQuery = z.object({
  /** Read by `parseFilters`. */
  filters: z.string().optional(),
});
