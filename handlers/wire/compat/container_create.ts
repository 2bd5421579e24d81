/**
 * The body of the compat create operation.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Config } from "./config.ts";
import { HostConfig } from "./host_config.ts";
import { NetworkingConfig } from "./network.ts";

/** `strslice.StrSlice`: a text alone is a list of one. */
const commandLine = z.union([z.array(z.string()), z.string()]).nullable();

/** `handlers.CreateContainerConfig`. */
export const CreateContainerConfig = Config.extend({
  Cmd: commandLine,
  Entrypoint: commandLine,
  Name: z.string(),
  HostConfig: HostConfig,
  NetworkingConfig: NetworkingConfig,
  EnvMerge: z.array(z.string()).nullable(),
  UnsetEnv: z.array(z.string()).nullable(),
  UnsetEnvAll: z.boolean(),
  MacAddress: z.string(),
});
export type CreateContainerConfig = z.output<typeof CreateContainerConfig>;
