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

/** The query of `CompatPruneBuild`; whatever it says, the whole build cache is pruned. */
export const PruneBuildQuery = z.object({ all: looseFlag.optional(), filters: filters.optional() });
