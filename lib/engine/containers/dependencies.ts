/** Containers that live in another one's namespaces need it to run, and keep it from being removed. */
import type { ContainerRecord } from "../records/container_record.ts";

/** IDs of the containers whose namespaces this one joins, and of those it requires. */
export function dependenciesOf(record: ContainerRecord): string[] {
  const modes = Object.values(record.spec.namespaces);
  const ids = modes.flatMap(({ mode, value }) => mode === "container" && value ? [value] : []);
  return [...new Set([...ids, ...record.spec.requires ?? []])];
}

/** IDs of the containers among `all` that require this one, whether or not they join one of its namespaces. */
export function requirersOf(id: string, all: readonly ContainerRecord[]): string[] {
  return all.filter(({ spec }) => spec.requires?.includes(id)).map((record) => record.id);
}

/** IDs of the containers among `all` that join one of this one's namespaces. */
export function dependentsOf(id: string, all: readonly ContainerRecord[]): string[] {
  return all.filter((record) => dependenciesOf(record).includes(id)).map((record) => record.id);
}
