/**
 * The body of the compat create operation.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Config } from "./config.ts";
import { HostConfig } from "./host_config.ts";
import { NetworkingConfig } from "./network.ts";

/** `handlers.CreateContainerConfig`. */
export const CreateContainerConfig = Config.extend({
  Name: z.string(),
  HostConfig: HostConfig,
  NetworkingConfig: NetworkingConfig,
  EnvMerge: z.array(z.string()).nullable(),
  UnsetEnv: z.array(z.string()).nullable(),
  UnsetEnvAll: z.boolean(),
  MacAddress: z.string(),
});
export type CreateContainerConfig = z.output<typeof CreateContainerConfig>;
