import type { ExecutionConfig } from "../../../oci/image_config.ts";
import type { ContainerSpec } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { checkDestination, resolveHealth } from "./health_check.ts";
import type { HealthPlan } from "../../records/health_plan.ts";

/** The health checks of a new container, from what was asked for and its image. Throws `invalid` for what cannot be. */
export async function chooseHealth(
  context: Context,
  spec: ContainerSpec,
  config: ExecutionConfig,
): Promise<HealthPlan> {
  const plan = resolveHealth(spec.health, config.Healthcheck);
  await checkDestination(requireHost(context.core), plan);
  return plan;
}
