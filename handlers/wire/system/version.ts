/**
 * Versions, the same in both trees.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `entitiesTypes.ComponentVersion`. */
export const ComponentVersion = z.object({
  Name: z.string(),
  Version: z.string(),
  Details: z.record(z.string(), z.string()).optional(),
});
export type ComponentVersion = z.output<typeof ComponentVersion>;

/** `entitiesTypes.SystemComponentVersion`. */
export const SystemComponentVersion = z.object({
  Platform: z.object({ Name: z.string() }),
  Components: z.array(ComponentVersion).optional(),
  Version: z.string(),
  ApiVersion: z.string(),
  MinAPIVersion: z.string().optional(),
  GitCommit: z.string(),
  GoVersion: z.string(),
  Os: z.string(),
  Arch: z.string(),
  KernelVersion: z.string().optional(),
  Experimental: z.boolean().optional(),
  BuildTime: z.string().optional(),
});
export type SystemComponentVersion = z.output<typeof SystemComponentVersion>;
