/**
 * A container's portable configuration, as Docker has it.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `dockerSpec.HealthcheckConfig`. */
export const HealthcheckConfig = z.object({
  Test: z.array(z.string()).optional(),
  Interval: z.int().optional(),
  Timeout: z.int().optional(),
  StartPeriod: z.int().optional(),
  StartInterval: z.int().optional(),
  Retries: z.int().optional(),
});
export type HealthcheckConfig = z.output<typeof HealthcheckConfig>;

/** `dockerContainer.Config`. */
export const Config = z.object({
  Hostname: z.string(),
  Domainname: z.string(),
  User: z.string(),
  AttachStdin: z.boolean(),
  AttachStdout: z.boolean(),
  AttachStderr: z.boolean(),
  ExposedPorts: z.record(z.string(), z.looseObject({})).optional(),
  Tty: z.boolean(),
  OpenStdin: z.boolean(),
  StdinOnce: z.boolean(),
  Env: z.array(z.string()).nullable(),
  Cmd: z.array(z.string()).nullable(),
  Healthcheck: HealthcheckConfig.nullish(),
  ArgsEscaped: z.boolean().optional(),
  Image: z.string(),
  Volumes: z.record(z.string(), z.looseObject({})).nullable(),
  WorkingDir: z.string(),
  Entrypoint: z.array(z.string()).nullable(),
  NetworkDisabled: z.boolean().optional(),
  OnBuild: z.array(z.string()).optional(),
  Labels: z.record(z.string(), z.string()).nullable(),
  StopSignal: z.string().optional(),
  StopTimeout: z.int().nullish(),
  Shell: z.array(z.string()).optional(),
});
export type Config = z.output<typeof Config>;
