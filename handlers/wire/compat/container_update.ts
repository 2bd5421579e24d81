import { z } from "../zod.ts";
import { HostConfig } from "./host_config.ts";

/** `dockerContainer.UpdateConfig`: the limits and the restart policy of a host configuration, whose other fields do nothing. */
export const UpdateConfig = HostConfig;

/** `dockerContainer.UpdateResponse`. */
export const UpdateResponse = z.object({ Warnings: z.array(z.string()).nullable() });
