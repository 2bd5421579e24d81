import type { ContainerRecord } from "../../records/container_record.ts";
import type { BindMount, MountSpec, VolumeMount } from "../../records/mount_spec.ts";
import { invalid } from "../../errors.ts";

const ACCESS = ["ro", "rw"];

/** A wish for another container's mounts: `name[:ro,rw,z]`. */
export interface VolumesFrom {
  container: string;
  /** In place of each mount's own; empty: they are kept. */
  options: string[];
}

/** Reads a wish. Throws `invalid` for options that do not fit, in Podman's words. */
export function parseVolumesFrom(text: string): VolumesFrom {
  const [container, list] = text.split(/:(.*)/s);
  const options = list === undefined ? [] : list.split(",");
  const unknown = options.find((option) => option !== "z" && !ACCESS.includes(option));
  if (unknown !== undefined) {
    const rule = "volumes from another container can only use z,ro,rw options";
    throw invalid(`invalid option "${unknown}" specified - ${rule}`);
  }
  if (options.filter((option) => option === "z").length > 1) {
    throw invalid("cannot set :z more than once in mount options");
  }
  if (options.filter((option) => ACCESS.includes(option)).length > 1) {
    throw invalid("cannot set ro or rw options more than once");
  }
  return { container, options };
}

/** The mounts a container gets from another one: its folders of the host and its volumes, which stay that one's. */
export function mountsFrom({ mounts }: Pick<ContainerRecord, "mounts">, options: readonly string[]): MountSpec[] {
  const own = options.filter((option) => option !== "z");
  return mounts.filter((mount) => mount.type === "bind" || mount.type === "volume").map((mount) => {
    const borrowed = borrowedMount(mount);
    if (options.length === 0) return borrowed;
    return { ...borrowed, options: [...mount.options.filter((option) => !ACCESS.includes(option)), ...own] };
  });
}

/** A volume that is anonymous stays its own container's to remove. */
function borrowedMount(mount: BindMount | VolumeMount): BindMount | VolumeMount {
  if (mount.type === "bind") return mount;
  const { anonymous: _, ...volume } = mount;
  return volume;
}
