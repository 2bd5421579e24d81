/**
 * How stored values have changed since the first version of the store. A change of a stored shape comes with a step, so
 * that stores and checkpoints of earlier versions open; no step is ever changed, because stores have been written with it.
 *
 * @module
 */
import { isObject } from "../../oci/json.ts";

/** The tables that this engine keeps. */
export const STORE_TABLES: readonly string[] = [
  "artifacts",
  "blobPlaces",
  "buildCache",
  "container_secrets",
  "containers",
  "exec_sessions",
  "exit_codes",
  "health",
  "host",
  "images",
  "intents",
  "keptFolders",
  "layers",
  "networks",
  "pods",
  "quadlets",
  "secret_values",
  "secrets",
  "tree_mounts",
  "units",
  "volumes",
  "warmContainers",
];

/** Makes a value of the next version from one of the version before. The value is JSON that an earlier engine wrote. */
export type Step = (value: Record<string, unknown>) => Record<string, unknown>;

/** The steps from each version of the store to the next, by table; tables that are not listed keep their values. */
export const STORE_STEPS: readonly Readonly<Record<string, Step>>[] = [
  // 1 to 2: a container's record has no field that only its create request needs.
  { containers: withoutRequest },
];

/** Fields of a container's `spec` that version 1 stored, and whose outcome stands beside it. */
const REQUEST_FIELDS = new Set(
  ("name image stopSignal stopTimeout mounts imageVolumes seccompPolicy ports pathLimits devicesFrom health secrets")
    .split(" "),
);

function withoutRequest(record: Record<string, unknown>): Record<string, unknown> {
  const { spec } = record;
  if (!isObject(spec)) return record;
  return {
    ...record,
    spec: Object.fromEntries(Object.entries(spec).filter(([name]) => !REQUEST_FIELDS.has(name))),
  };
}
