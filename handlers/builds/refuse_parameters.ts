import { RequestError } from "../request_error.ts";
import type { BuildQuery } from "../wire/builds/build.ts";

/** The parameters no image is built with, with the values that ask for nothing, besides the empty ones. */
const REFUSED: Partial<Record<keyof BuildQuery, readonly unknown[]>> = {
  allplatforms: [],
  compatvolumes: [],
  compression: [0, 1, 2],
  cppflags: [],
  idmappingoptions: [],
  ignore: [],
  labelopts: [],
  layerLabel: [],
  outputs: [],
  rusage: [],
  rusagelogfile: [],
  "save-stages": [],
  "sbom-image-output": [],
  "sbom-image-purl-output": [],
  "sbom-merge-strategy": [],
  "sbom-output": [],
  "sbom-purl-output": [],
  "sbom-scanner-command": [],
  "sbom-scanner-image": [],
  session: [],
  skipunusedstages: [true],
  sourcePolicy: [],
  "stage-labels": [],
  transientRunMounts: [],
  version: ["1"],
};

/** Flags that are true where they are absent: `false` asks for something. */
const TRUE_FLAGS = new Set<string>(["skipunusedstages"]);

/** The names of the parameters that no image is built with. */
export const REFUSED_PARAMETERS: ReadonlySet<string> = new Set(Object.keys(REFUSED));

/** Throws `RequestError("unsupported")` naming the first parameter that asks for what no image is built with yet. */
export function refuseParameters(query: BuildQuery): void {
  for (const [name, harmless] of Object.entries(REFUSED)) {
    const value = query[name as keyof BuildQuery];
    const isHarmless = value === undefined || harmless.includes(value) || (!TRUE_FLAGS.has(name) && asksNothing(value));
    if (isHarmless) continue;
    const shown = typeof value === "string" ? `"${value.slice(0, 100)}"` : JSON.stringify(value);
    throw new RequestError("unsupported", `Build image: the parameter "${name}" (${shown}) is not supported`, {
      field: name,
      sentinel: "not supported",
    });
  }
}

/** Whether a value is what clients send where nobody asked for anything. */
function asksNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(asksNothing);
  if (value === false || value === 0) return true;
  if (typeof value !== "string") return false;
  return ["", "[]", "{}", "null", "0", "false"].includes(value.trim()) || isEmptyMapping(value);
}

/** Podman sends the mappings of IDs whether there are any or not. */
function isEmptyMapping(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("HostUIDMapping" in value)) return false;
    return !("UIDMap" in value && Array.isArray(value.UIDMap) && value.UIDMap.length > 0);
  } catch {
    return false;
  }
}
