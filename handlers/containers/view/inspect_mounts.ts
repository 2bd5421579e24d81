import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { propagationOf } from "../../../lib/engine/containers/create/mount_options.ts";
import type { MountSpec } from "../../../lib/engine/records/mount_spec.ts";
import type { InspectMount } from "../../wire/containers/container_inspect.ts";
import type { Sparse } from "../../wire/emit.ts";

const SCRATCH = ["tmpfs", "ramfs", "devpts", "mqueue"];

/** A container's mounts as inspection tells them: not those that begin empty. */
export function inspectMounts(
  { mounts }: ContainerRecord,
  volumePath: (name: string) => string,
): Sparse<InspectMount>[] {
  return mounts.filter(({ type }) => !SCRATCH.includes(type)).map((spec) => viewMount(spec, volumePath));
}

/** Folders and volumes as a user spells them: `source:destination:options`. */
export function viewBinds({ mounts }: { mounts: readonly MountSpec[] }): string[] {
  return mounts.filter(({ type }) => ["bind", "volume", "overlay"].includes(type)).map(viewBind);
}

/** The options of each tmpfs, by its place. */
export function scratchMounts({ mounts }: ContainerRecord): Record<string, string> {
  const found = mounts.filter(({ type }) => type === "tmpfs");
  return Object.fromEntries(found.map(({ destination, options }) => [destination, options.join()]));
}

function viewMount(spec: MountSpec, volumePath: (name: string) => string) {
  const { type, source, destination, options } = spec;
  const Propagation = propagationOf({ options }) ?? "";
  return {
    // Of a folder with an overlay clients know only the folder.
    Type: type === "overlay" ? "bind" : type,
    Name: type === "volume" ? source : "",
    Source: type === "volume" ? volumePath(source) : source,
    Destination: spec.shown ?? destination,
    Driver: type === "volume" ? "local" : "",
    // The fields below hold these options: they are not repeated here.
    Options: options.filter((option) => !["ro", "rw", "z", "Z", Propagation].includes(option)),
    Mode: options.find((option) => option === "z" || option === "Z") ?? "",
    RW: !options.includes("ro"),
    Propagation,
    SubPath: "subPath" in spec ? spec.subPath : undefined,
  };
}

function viewBind({ type, source, destination, options }: MountSpec): string {
  const words = type === "overlay" ? ["O", ...options] : options;
  return [source, destination, ...words.length > 0 ? [words.join()] : []].join(":");
}
