/**
 * The request that updates a container, in the native tree.
 *
 * @module
 */
import { WirePOSIXRlimit } from "../numbers.ts";
import { LinuxResources } from "./resources.ts";
import { z } from "../zod.ts";

/** `define.WeightDevice`. */
export const WeightDevice = z.object({ Path: z.string(), Weight: z.int() });

/** `define.ThrottleDevice`. */
export const ThrottleDevice = z.object({ Path: z.string(), Rate: z.int() });
export type ThrottleDevice = z.output<typeof ThrottleDevice>;

/** `define.UpdateContainerDevicesLimits`. */
export const UpdateContainerDevicesLimits = z.object({
  BlkIOWeightDevice: z.array(WeightDevice).optional(),
  DeviceReadBPs: z.array(ThrottleDevice).optional(),
  DeviceWriteBPs: z.array(ThrottleDevice).optional(),
  DeviceReadIOPs: z.array(ThrottleDevice).optional(),
  DeviceWriteIOPs: z.array(ThrottleDevice).optional(),
});

/** `define.UpdateHealthCheckConfig`. */
export const UpdateHealthCheckConfig = z.object({
  health_log_destination: z.string().nullish(),
  health_max_log_size: z.int().nullish(),
  health_max_log_count: z.int().nullish(),
  health_on_failure: z.string().nullish(),
  no_healthcheck: z.boolean().nullish(),
  health_cmd: z.string().nullish(),
  health_interval: z.string().nullish(),
  health_retries: z.int().nullish(),
  health_timeout: z.string().nullish(),
  health_start_period: z.string().nullish(),
  health_startup_cmd: z.string().nullish(),
  health_startup_interval: z.string().nullish(),
  health_startup_retries: z.int().nullish(),
  health_startup_timeout: z.string().nullish(),
  health_startup_success: z.int().nullish(),
});

/** `handlers.UpdateEntities`. */
export const UpdateEntities = z.object({
  ...LinuxResources.shape,
  ...UpdateHealthCheckConfig.shape,
  ...UpdateContainerDevicesLimits.shape,
  Env: z.array(z.string()).nullable(),
  UnsetEnv: z.array(z.string()).nullable(),
  r_limits: z.array(WirePOSIXRlimit).optional(),
});
export type UpdateEntities = z.output<typeof UpdateEntities>;
