/**
 * Registries, as Docker asks of them.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Descriptor, Platform } from "./descriptor.ts";

/** `entitiesTypes.AuthReport`. */
export const AuthReport = z.object({ IdentityToken: z.string(), Status: z.string() });
export type AuthReport = z.output<typeof AuthReport>;

/** `registry.DistributionInspect` of Docker's API. */
export const DistributionInspect = z.object({ Descriptor, Platforms: z.array(Platform).nullable() });
export type DistributionInspect = z.output<typeof DistributionInspect>;
