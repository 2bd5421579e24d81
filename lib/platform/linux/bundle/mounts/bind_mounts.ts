/**
 * The bind mounts of a container's `config.json`: the only place that makes them, so that no file of the host is bound into a
 * container with more rights than it needs.
 *
 * @module
 */
import type { SpecMount } from "../spec_types.ts";

/**
 * The kind of a bind's source, which decides what a container may do with it:
 * - `copy`: a file that was written for this container alone; it may write to it, as it may with Podman;
 * - `fixed`: a file of the engine or the host that no caller requested by its path, and secrets;
 * - `program`: a program of the host that the container runs;
 * - `image`: the tree of an image, with changes of the container's own;
 * - `overlay`: a folder of the host below changes of the container's own, mounted already;
 * - `group`: the container's own control group, which it may write to;
 * - `device`: a device of the host, where none can be made;
 * - `kernel`: the kernel's files of the host, where the caller requested the host's namespace;
 * - `asked`: a path or a volume that the caller names.
 */
export type BindKind = "copy" | "fixed" | "program" | "image" | "overlay" | "group" | "device" | "kernel" | "asked";

/** The options of each kind, which come after those that the caller asks for: of two that contradict each other the later one counts. */
const OPTIONS: Record<BindKind, readonly string[]> = {
  copy: ["bind", "rprivate", "nosuid", "nodev", "noexec"],
  fixed: ["bind", "rprivate", "nosuid", "nodev", "noexec", "ro"],
  program: ["bind", "rprivate", "nosuid", "nodev", "ro"],
  image: ["rbind", "rprivate", "nosuid", "nodev"],
  overlay: ["rbind", "rprivate", "nodev"],
  group: ["bind", "rprivate", "nosuid", "noexec", "nodev", "relatime", "rw"],
  device: ["bind", "rprivate", "nosuid", "noexec"],
  kernel: ["rbind", "nosuid", "noexec", "nodev"],
  asked: [],
};

/** A file of the host, and as what it is bound. */
export interface HostFile {
  source: string;
  kind: BindKind;
}

/**
 * Makes a bind mount.
 *
 * @param asked The options that the caller asks for
 */
export function bindMount(destination: string, { source, kind }: HostFile, asked: readonly string[] = []): SpecMount {
  return { destination, type: "bind", source, options: [...asked, ...OPTIONS[kind]] };
}
