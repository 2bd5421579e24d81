/**
 * Prunes of everything at once.
 *
 * @module
 */
import { PruneReport } from "../containers/container.ts";
import { PodPruneReport } from "../pods/pod.ts";
import { NetworkPruneReport } from "../networks/network.ts";
import { filters, looseFlag, optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

/** `entitiesTypes.SystemPruneReport`. */
export const SystemPruneReport = z.object({
  PodPruneReport: z.array(PodPruneReport).nullable(),
  ContainerPruneReports: z.array(PruneReport).nullable(),
  ImagePruneReports: z.array(PruneReport).nullable(),
  NetworkPruneReports: z.array(NetworkPruneReport).nullable(),
  VolumePruneReports: z.array(PruneReport).nullable(),
  ReclaimedSpace: z.number(),
});
export type SystemPruneReport = z.output<typeof SystemPruneReport>;

/** The query of `SystemPrune`. */
export const SystemPruneQuery = z.object({
  all: optionalFlag,
  volumes: optionalFlag,
  external: optionalFlag,
  build: optionalFlag,
  filters: filters.optional(),
});
export type SystemPruneQuery = z.output<typeof SystemPruneQuery>;

/** `build.CachePruneReport` of Docker's API. */
export const CachePruneReport = z.object({ CachesDeleted: z.array(z.string()), SpaceReclaimed: z.number() });
export type CachePruneReport = z.output<typeof CachePruneReport>;

/** The query of `CompatPruneBuild`; sizes are bytes. The first of them is an older name of the second. */
export const PruneBuildQuery = z.object({
  all: looseFlag.optional(),
  filters: filters.optional(),
  "keep-storage": z.coerce.number().optional(),
  "reserved-space": z.coerce.number().optional(),
  "max-used-space": z.coerce.number().optional(),
  "min-free-space": z.coerce.number().optional(),
});
export type PruneBuildQuery = z.output<typeof PruneBuildQuery>;
