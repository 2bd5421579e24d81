import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { activeHealth } from "../../../lib/engine/containers/health/health_check.ts";
import type { HealthState } from "../../../lib/engine/containers/health/health_states.ts";
import type { ContainerInspect, ContainerSummary } from "../../wire/compat/container.ts";
import type { Sparse } from "../../wire/emit.ts";
import { healthResults } from "../../containers/view/inspect_health.ts";

/** Docker's word for a container's health: one that is about to be checked is starting. */
export function dockerHealth(status: string): string {
  return status === "" || status === "reset" ? "starting" : status;
}

/** A container's health in a list: nothing is said of one that has ended. */
export function healthSummary(
  { health: plan, state: { status } }: ContainerRecord,
  health: HealthState | undefined,
): Sparse<NonNullable<ContainerSummary["Health"]>> {
  const isOver = status === "exited" || status === "removing";
  if (isOver || activeHealth(plan) === undefined) return { Status: "none", FailingStreak: 0 };
  return { Status: dockerHealth(health?.status ?? ""), FailingStreak: health?.failingStreak ?? 0 };
}

/** A container's health in an inspection; `null` where it is not checked. */
export function inspectHealth(
  record: ContainerRecord,
  health: HealthState | undefined,
): Sparse<NonNullable<ContainerInspect["State"]>>["Health"] {
  const results = healthResults(record, health);
  return results && { ...results, Status: dockerHealth(results.Status ?? "") };
}
