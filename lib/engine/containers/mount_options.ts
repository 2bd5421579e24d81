import type { MountSpec } from "../container_record.ts";

/** How mounts made on one side show on the other; at most one of a mount's options. */
const PROPAGATION = new Set("private rprivate shared rshared slave rslave unbindable runbindable".split(" "));

/** The option of a mount that says how mounts made on one side show on the other. */
export function propagationOf({ options }: Pick<MountSpec, "options">): string | undefined {
  return options.findLast((option) => PROPAGATION.has(option));
}

/**
 * A mount's options with Podman's defaults: what is mounted stays on its side; what is the engine's own (volumes, tmpfs)
 * carries no devices and no setuid programs; a tmpfs begins with what the image has in its place.
 */
export function mountOptions({ type, options }: Pick<MountSpec, "type" | "options">): string[] {
  const asks = (...names: string[]) => options.some((option) => names.includes(option));
  const recursive = !asks("bind", "bind-nonrecursive");
  const own = type !== "bind";
  return [
    ...options.filter((option) => option !== "notmpcopyup"),
    ...propagationOf({ options }) ? [] : [recursive ? "rprivate" : "private"],
    ...own && !asks("suid", "nosuid") ? ["nosuid"] : [],
    ...own && !asks("dev", "nodev") ? ["nodev"] : [],
    ...type === "tmpfs" && !asks("tmpcopyup", "notmpcopyup") ? ["tmpcopyup"] : [],
    ...type !== "tmpfs" && recursive && !asks("rbind") ? ["rbind"] : [],
  ];
}
