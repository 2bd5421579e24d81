/** Containers that live in another one's namespaces need it to run, and keep it from being removed. */
import type { ContainerRecord } from "../records/container_record.ts";

/** IDs of the containers whose namespaces this one joins, and of those it requires. */
export function dependenciesOf(record: ContainerRecord): string[] {
  const modes = Object.values(record.spec.namespaces);
  const ids = modes.flatMap(({ mode, value }) => mode === "container" && value ? [value] : []);
  return [...new Set([...ids, ...record.spec.requires ?? []])];
}
