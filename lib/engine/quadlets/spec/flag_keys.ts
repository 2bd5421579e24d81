/**
 * The keys of quadlets behind the flags of commands, for errors and notes that name a line.
 *
 * @module
 */
import type { Conversion } from "../convert/conversion.ts";
import { QuadletError } from "../quadlet_error.ts";

/** Keys whose flags are called otherwise. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ publish: "PublishPort", env: "Environment", "env-file": "EnvironmentFile", tz: "Timezone", opt: "Options" },
  ...{ "cap-add": "AddCapability", "cap-drop": "DropCapability", device: "AddDevice", workdir: "WorkingDir" },
  ...{ expose: "ExposeHostPort", init: "RunInit", "env-host": "EnvironmentHost", subuidname: "SubUIDMap" },
  ...{ subgidname: "SubGIDMap", tag: "ImageTag", cgroups: "CgroupsMode", "disable-dns": "DisableDNS" },
  ...{ "service-exit-code-propagation": "ExitCodePropagation", sdnotify: "Notify", os: "OS" },
};
/** Older keys that make the same flags. */
const OLDER: Readonly<Record<string, string>> = { userns: "RemapUsers", uidmap: "RemapUid", gidmap: "RemapGid" };
/** Keys of the program itself rather than of what it makes. */
const PROGRAM_KEYS = ["ContainersConfModule", "GlobalArgs"];

/** Makes an error about the key that a flag comes from: `PodmanArgs` where no key of the kind has it. */
export function placeOfFlag({ quadlet, kind }: Conversion, flag: string, why: string): QuadletError {
  const name = flag.replace(/^-+/, "");
  const bare = name.replaceAll("-", "").toLowerCase();
  const usual = Object.hasOwn(KEYS, name) ? KEYS[name] : [...kind.keys].find((key) => key.toLowerCase() === bare);
  const candidates = [usual, Object.hasOwn(OLDER, name) ? OLDER[name] : undefined, "PodmanArgs"];
  const key = candidates.find((one) => one !== undefined && quadlet.last(kind.section, one) !== undefined) ?? usual;
  return key === undefined
    ? new QuadletError({ file: quadlet.name }, `--${name}: ${why}`)
    : quadlet.fault(kind.section, key, why);
}

/** Returns a line for each key that the engine knows and cannot honour. */
export function noteKeys({ quadlet, kind: { section } }: Conversion): string[] {
  const note = (key: string, why: string) => quadlet.fault(section, key, why).message;
  const notes = PROGRAM_KEYS.filter((key) => quadlet.values(section, key).length > 0)
    .map((key) => note(key, "is for Podman's program alone"));
  if (quadlet.value(section, "CgroupsMode") === "split") {
    notes.push(note("CgroupsMode", '"split" divides the cgroup of a systemd unit: the container has a usual one'));
  }
  for (const key of ["ReloadCmd", "ReloadSignal"]) {
    if (quadlet.value(section, key)) notes.push(note(key, "the engine reloads no units"));
  }
  return notes;
}
