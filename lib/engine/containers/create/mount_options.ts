import { isOverlay, type MountSpec } from "../../records/mount_spec.ts";
import { invalid } from "../../errors.ts";

/** How mounts made on one side show on the other; at most one of a mount's options. */
const PROPAGATION = new Set("private rprivate shared rshared slave rslave unbindable runbindable".split(" "));

/** Options that a mount may have, whatever it is. */
const KNOWN = new Set(
  ("ro rw suid nosuid dev nodev exec noexec sync async dirsync atime diratime nodiratime relatime norelatime strictatime " +
    "nostrictatime lazytime nolazytime iversion noiversion mand nomand bind rbind bind-nonrecursive U O idmap copy nocopy " +
    "no-dereference remount tmpcopyup notmpcopyup rro rrw rnosuid rsuid rnodev rdev rnoexec rexec noswap z Z noatime")
    .split(" "),
);
/** Options with a value, and the types of mounts they are for; absent: of any. */
const VALUED: Record<string, readonly MountSpec["type"][] | undefined> = {
  size: ["tmpfs", "ramfs"],
  mode: ["tmpfs", "ramfs", "devpts"],
  nr_inodes: ["tmpfs"],
  nr_blocks: ["tmpfs"],
  mpol: ["tmpfs"],
  huge: ["tmpfs"],
  uid: ["tmpfs", "ramfs", "devpts"],
  gid: ["tmpfs", "ramfs", "devpts"],
  max: ["devpts"],
  ptmxmode: ["devpts"],
  upperdir: ["overlay", "volume"],
  workdir: ["overlay", "volume"],
  idmap: undefined,
};
/** The patterns that the values of options have to match. */
const FORMS: Record<string, RegExp | undefined> = {
  size: /^\d+[kmgtpe%]?$/i,
  mode: /^[0-7]{1,4}$/,
  nr_inodes: /^\d+[kmgtpe]?$/i,
  uid: /^\d+$/,
  gid: /^\d+$/,
};
/** Options that only make sense for a mount that begins empty. */
const SCRATCH_ONLY = new Set(["tmpcopyup", "notmpcopyup", "noatime"]);
const BAD_OPTION = "invalid mount option";

/** Throws `invalid`, in Podman's words, for options that a mount cannot have. */
export function checkMountOptions({ type, options }: Pick<MountSpec, "type" | "options">): void {
  for (const option of options) {
    const name = option.split("=", 1)[0];
    const types = VALUED[name];
    if (SCRATCH_ONLY.has(option) && type !== "tmpfs") {
      throw invalid(`the '${option}' option is only allowed with tmpfs mounts`, BAD_OPTION);
    }
    if (type === "devpts" && option === "newinstance") continue;
    if (!KNOWN.has(option) && !PROPAGATION.has(option) && !Object.hasOwn(VALUED, name)) {
      throw invalid(`unknown mount option "${option}"`, BAD_OPTION);
    }
    const [, value] = option.split(/=(.*)/s);
    if (value !== undefined && FORMS[name]?.test(value) === false) {
      throw invalid(`invalid value "${value}" of mount option "${name}"`, BAD_OPTION);
    }
    if (option.includes("=") && types !== undefined && !types.includes(type)) {
      throw invalid(`the '${name}' option is only allowed with ${types.join(" and ")} mounts`, BAD_OPTION);
    }
  }
  const propagation = options.filter((option) => PROPAGATION.has(option));
  if (propagation.length > 1) throw invalid("can only specify one root propagation option", BAD_OPTION);
  for (const pair of [["ro", "rw"], ["suid", "nosuid"], ["dev", "nodev"], ["exec", "noexec"]]) {
    if (pair.every((name) => options.includes(name))) {
      throw invalid(`can only specify one of '${pair[0]}' and '${pair[1]}'`, BAD_OPTION);
    }
  }
}

/** The option of a mount that says how mounts made on one side show on the other. */
export function propagationOf({ options }: Pick<MountSpec, "options">): string | undefined {
  return options.findLast((option) => PROPAGATION.has(option));
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
    ...type === "tmpfs" && !asks("ro", "rw") ? ["rw"] : [],
    ...propagationOf({ options }) ? [] : [recursive ? "rprivate" : "private"],
    ...own && !asks("suid", "nosuid") ? ["nosuid"] : [],
    ...own && !asks("dev", "nodev") ? ["nodev"] : [],
    ...type === "tmpfs" && !asks("tmpcopyup", "notmpcopyup") ? ["tmpcopyup"] : [],
    ...!isScratch && recursive && !asks("rbind") ? ["rbind"] : [],
  ];
}
