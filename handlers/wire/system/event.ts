/**
 * Events, the same in both trees.
 *
 * @module
 */
import { Int64 } from "../numbers.ts";
import { z } from "../zod.ts";

/** `dockerEvents.Actor`. */
export const Actor = z.object({
  ID: z.string(),
  Attributes: z.record(z.string(), z.string()).nullable(),
});
export type Actor = z.output<typeof Actor>;

/** `entitiesTypes.Event`. */
export const Event = z.object({
  Type: z.string(),
  Action: z.string(),
  Actor: Actor,
  scope: z.string().optional(),
  time: z.number().optional(),
  /** Past 2^53. */
  timeNano: Int64.optional(),
  HealthStatus: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  from: z.string().optional(),
});
export type Event = z.output<typeof Event>;
