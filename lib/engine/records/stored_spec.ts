import type { ContainerSpec } from "./container_record.ts";

/**
 * The fields of a spec that only the creation needs: their outcome is stored beside the spec, or in other fields of it. A field
 * that joins them, or leaves, makes a new version of the store (`store_steps.ts`).
 */
export const REQUEST_FIELDS = [
  "name",
  "image",
  "stopSignal",
  "stopTimeout",
  "mounts",
  "imageVolumes",
  "seccompPolicy",
  "ports",
  "pathLimits",
  "devicesFrom",
  "health",
  "secrets",
] as const;

/** A container's spec as stored. */
export type StoredSpec = Omit<ContainerSpec, typeof REQUEST_FIELDS[number]>;

/** Returns the part of a spec that lasts. */
export function storedSpec(spec: ContainerSpec): StoredSpec {
  const stored: Partial<ContainerSpec> & StoredSpec = { ...spec };
  for (const field of REQUEST_FIELDS) delete stored[field];
  return stored;
}
