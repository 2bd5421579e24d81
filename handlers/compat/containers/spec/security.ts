import { EngineError } from "../../../../lib/engine/errors.ts";
import type { SecuritySpec } from "../../../../lib/engine/records/spec_parts.ts";
import { HTTPError } from "../../../../lib/rest/mod.ts";
import type { HostConfig } from "../../../wire/compat/host_config.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { SpecGenerator } from "../../../wire/containers/spec_generator.ts";

/** Security settings as the native tree takes them. */
export function security(host: HostConfig): Sparse<SpecGenerator> {
  const found: Sparse<SpecGenerator> & { mask: string[]; unmask: string[]; selinux_opts: string[] } = {
    privileged: host.Privileged,
    cap_add: host.CapAdd ?? [],
    cap_drop: host.CapDrop ?? [],
    groups: host.GroupAdd ?? [],
    read_only_filesystem: host.ReadonlyRootfs,
    read_write_tmpfs: true,
    mask: [],
    unmask: [],
    selinux_opts: [],
  };
  for (const option of host.SecurityOpt ?? []) apply(option, found);
  // An empty list, not an absent one, shows the kernel's paths.
  if (host.MaskedPaths?.length === 0 && host.ReadonlyPaths?.length === 0) found.unmask.push("ALL");
  return found;
}

/** Docker's own lists of what is hidden, which the native tree cannot say. Throws `invalid` for paths that are relative. */
export function hidingPaths(
  { MaskedPaths, ReadonlyPaths }: HostConfig,
): Pick<SecuritySpec, "maskedPaths" | "readOnlyPaths"> {
  for (const [field, paths] of Object.entries({ MaskedPaths, ReadonlyPaths })) {
    const relative = paths?.find((path) => !path.startsWith("/"));
    if (relative !== undefined) {
      throw new EngineError("invalid", `"HostConfig.${field}" "${relative}" is not an absolute path`);
    }
  }
  return { ...MaskedPaths && { maskedPaths: MaskedPaths }, ...ReadonlyPaths && { readOnlyPaths: ReadonlyPaths } };
}

function apply(
  option: string,
  found: Sparse<SpecGenerator> & { mask: string[]; unmask: string[]; selinux_opts: string[] },
): void {
  const [key, value = ""] = option.split(/[=:](.*)/s);
  if (key === "no-new-privileges") found.no_new_privileges = value !== "false";
  // Docker's client sends the profile itself; its daemon's own is "builtin".
  else if (key === "seccomp") found.seccomp_profile_path = value === "builtin" ? "default" : value;
  else if (key === "apparmor") found.apparmor_profile = value;
  else if (key === "label") found.selinux_opts.push(value);
  else if (key === "mask") found.mask.push(value);
  else if (key === "unmask") found.unmask.push(value);
  else if (key === "systempaths" && value === "unconfined") found.unmask.push("ALL");
  else throw new HTTPError(400, `invalid --security-opt: "${option}"`);
}
