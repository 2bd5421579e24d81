/**
 * Checks of the store.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

const damage = z.record(z.string(), z.array(z.string())).nullable();

/** `entitiesTypes.SystemCheckReport`. Stores that are only read there are none. */
export const SystemCheckReport = z.object({
  Errors: z.boolean(),
  Layers: damage,
  ROLayers: damage,
  RemovedLayers: z.array(z.string()).nullable(),
  Images: damage,
  ROImages: damage,
  RemovedImages: damage,
  Containers: damage,
  RemovedContainers: z.record(z.string(), z.string()).nullable(),
});
export type SystemCheckReport = z.output<typeof SystemCheckReport>;

/** The query of `SystemCheck`. */
export const SystemCheckQuery = z.object({
  quick: optionalFlag,
  repair: optionalFlag,
  repair_lossy: optionalFlag,
  /** A duration as Go writes it: `24h0m0s` by default. */
  unreferenced_layer_max_age: z.string().optional(),
});
export type SystemCheckQuery = z.output<typeof SystemCheckQuery>;
