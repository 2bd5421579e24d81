import type { MountSpec } from "../mount_spec.ts";

/** How mounts made on one side show on the other; at most one of a mount's options. */
const PROPAGATION = new Set("private rprivate shared rshared slave rslave unbindable runbindable".split(" "));

/** The option of a mount that says how mounts made on one side show on the other. */
export function propagationOf({ options }: Pick<MountSpec, "options">): string | undefined {
  return options.findLast((option) => PROPAGATION.has(option));
}

/** Whether a mount's changes are the container's own: an overlay over its source. */
export function isOverlay({ type, options }: Pick<MountSpec, "type" | "options">): boolean {
  return type === "overlay" || options.includes("O");
}

/**
 * A mount's options with Podman's defaults: what is mounted stays on its side; what is the engine's own (volumes, tmpfs)
 * carries no devices and no setuid programs; a tmpfs begins with what the image has in its place.
 */
export function mountOptions(mount: Pick<MountSpec, "type" | "options">): string[] {
  const { type, options } = mount;
  if (type !== "bind" && type !== "tmpfs" && type !== "volume" && type !== "ramfs") return [...options];
  if (isOverlay(mount)) return [...options];
  const asks = (...names: string[]) => options.some((option) => names.includes(option));
  const recursive = !asks("bind", "bind-nonrecursive");
  const own = type !== "bind";
  const isScratch = type === "tmpfs" || type === "ramfs";
  return [
    ...options.filter((option) => option !== "notmpcopyup"),
    ...propagationOf({ options }) ? [] : [recursive ? "rprivate" : "private"],
    ...own && !asks("suid", "nosuid") ? ["nosuid"] : [],
    ...own && !asks("dev", "nodev") ? ["nodev"] : [],
    ...type === "tmpfs" && !asks("tmpcopyup", "notmpcopyup") ? ["tmpcopyup"] : [],
    ...!isScratch && recursive && !asks("rbind") ? ["rbind"] : [],
  ];
}
