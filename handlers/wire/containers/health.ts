/**
 * Health checks.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `manifest.Schema2HealthConfig`. */
export const Schema2HealthConfig = z.object({
  Test: z.array(z.string()).optional(),
  StartPeriod: z.int().optional(),
  StartInterval: z.int().optional(),
  Interval: z.int().optional(),
  Timeout: z.int().optional(),
  Retries: z.int().optional(),
});
export type Schema2HealthConfig = z.output<typeof Schema2HealthConfig>;

/** `define.StartupHealthCheck`. */
export const StartupHealthCheck = z.object({
  Test: z.array(z.string()).optional(),
  StartPeriod: z.int().optional(),
  StartInterval: z.int().optional(),
  Interval: z.int().optional(),
  Timeout: z.int().optional(),
  Retries: z.int().optional(),
  Successes: z.int().optional(),
});
export type StartupHealthCheck = z.output<typeof StartupHealthCheck>;

/** `define.HealthCheckLog`. */
export const HealthCheckLog = z.object({
  Start: z.string(),
  End: z.string(),
  ExitCode: z.int(),
  Output: z.string(),
});
export type HealthCheckLog = z.output<typeof HealthCheckLog>;

/** `define.HealthCheckResults`. */
export const HealthCheckResults = z.object({
  Status: z.string(),
  FailingStreak: z.int(),
  Log: z.array(HealthCheckLog).nullable(),
});
export type HealthCheckResults = z.output<typeof HealthCheckResults>;
