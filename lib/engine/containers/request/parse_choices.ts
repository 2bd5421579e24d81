/** Choices by a word: which cgroups are made, what the image's volumes become. */
import type { CgroupsMode, ContainerSpec } from "../../records/container_record.ts";
import { invalidField, unsupportedField } from "../failures.ts";
import { invalid } from "../../errors.ts";

const CGROUPS_MODES: readonly CgroupsMode[] = ["enabled", "no-conmon", "disabled"];
const IMAGE_VOLUMES = ["anonymous", "tmpfs", "ignore"] as const;

/** Reads a mode of cgroups; `undefined` for an empty text. Throws `unsupported` for `split`, and `invalid` for an unknown one. */
export function parseCgroupsMode(mode: string): CgroupsMode | undefined {
  if (mode === "") return undefined;
  const known = CGROUPS_MODES.find((one) => one === mode);
  if (known !== undefined) return known;
  // It divides the cgroup of the client, which a service is not in.
  if (mode === "split") throw unsupportedField("cgroupsMode", '"split" needs a client in the same cgroup');
  throw invalid(`invalid cgroup mode ${mode}`, "invalid argument");
}

/** Reads a treatment of the image's volumes; `undefined` for an empty text. Throws `invalid` for an unknown one. */
export function parseImageVolumes(mode: string): ContainerSpec["imageVolumes"] {
  const asked = mode.toLowerCase();
  if (asked === "") return undefined;
  // Podman used to call it so.
  if (asked === "bind") return "anonymous";
  const known = IMAGE_VOLUMES.find((name) => name === asked);
  if (known !== undefined) return known;
  const text = `"${mode}", valid modes are ignore, tmpfs, or anonymous`;
  throw invalidField("imageVolumes", (name) => `invalid ${name} ${text}`);
}
