import type { ContainerRecord } from "../../records/container_record.ts";
import type { Operation } from "../../store/table.ts";
import type { Context } from "../context.ts";
import { activeHealth } from "./health_check.ts";
import { FRESH_HEALTH } from "./health_states.ts";

/** The operations that begin the health of a container anew. */
export function freshHealth(
  { health }: Context,
  record: ContainerRecord,
  status: "reset" | "starting",
): Operation[] {
  return activeHealth(record.health) ? [health.states.put(record.id, { ...FRESH_HEALTH, status })] : [];
}

/** The operations after a time in which nobody could look. */
export function resetHealth({ health: { states } }: Context, { id }: ContainerRecord): Operation[] {
  const health = states.get(id);
  return health ? [states.put(id, { ...health, status: "reset" })] : [];
}
