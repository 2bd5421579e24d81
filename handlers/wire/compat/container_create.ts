/**
 * The body of the compat create operation.
 *
 * @module
 */
import { z } from "../zod.ts";
import { HealthcheckConfig } from "./config.ts";
import { HostConfig } from "./host_config.ts";
import { NetworkingConfig } from "./network.ts";

/** `handlers.CreateContainerConfig`. */
export const CreateContainerConfig = z.object({
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
  StopTimeout: z.number().nullish(),
  Shell: z.array(z.string()).optional(),
  Name: z.string(),
  HostConfig: HostConfig,
  NetworkingConfig: NetworkingConfig,
  EnvMerge: z.array(z.string()).nullable(),
  UnsetEnv: z.array(z.string()).nullable(),
  UnsetEnvAll: z.boolean(),
  MacAddress: z.string(),
});
export type CreateContainerConfig = z.output<typeof CreateContainerConfig>;
