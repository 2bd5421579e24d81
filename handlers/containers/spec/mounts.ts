import { EngineError } from "../../../lib/engine/errors.ts";
import type { MountSpec } from "../../../lib/engine/records/mount_spec.ts";
import type { Mount } from "../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";

/** SELinux labels: no host of ours has them, so there is nothing to do. */
const WITHOUT_EFFECT = new Set(["z", "Z"]);
/** The types of a `mounts` entry besides a bind: volumes, images and artifacts have lists of their own. */
const TYPES = ["tmpfs", "ramfs", "devpts", "mqueue"] as const;
/** The words for it that are no options of mount(2). */
const CHOWN = /^(?:U|chown)(?:=(true|1))?$/;
const NO_CHOWN = /^(?:U|chown)=(?:false|0)$/;
const IMAGE_VOLUMES = ["anonymous", "tmpfs", "ignore"] as const;

/** The mounts of a create request: binds and tmpfs first, then volumes. */
export function mountSpecs(generator: SpecGenerator): MountSpec[] {
  return [
    ...plainMounts(generator),
    ...volumeMounts(generator),
    ...overlayMounts(generator),
    ...imageMounts(generator),
    ...artifactMounts(generator),
  ];
}

/** Returns the treatment of the image's volumes; `undefined` for the usual one. Throws `invalid` for an unknown mode. */
export function imageVolumes({ image_volume_mode: mode }: SpecGenerator): "tmpfs" | "ignore" | undefined {
  const asked = (mode ?? "").toLowerCase();
  // "bind" is what Podman used to call it.
  if (asked === "" || asked === "bind") return undefined;
  const known = IMAGE_VOLUMES.find((name) => name === asked);
  if (known === undefined) {
    const text = `invalid image_volume_mode "${mode}", valid modes are ignore, tmpfs, or anonymous`;
    throw new EngineError("invalid", text);
  }
  return known === "anonymous" ? undefined : known;
}

function plainMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.mounts ?? []).map((mount) => {
    if (mount.uidMappings?.length || mount.gidMappings?.length) throw unsupported("mounts.uidMappings");
    const { options, subPath } = mountOptions(mount.options ?? []);
    if (mount.type === "glob") return globMount(mount, options);
    const destination = absolute(mount.destination);
    const type = mount.type || (options.some((option) => /^r?bind$/.test(option)) ? "bind" : "");
    const other = TYPES.find((name) => name === type);
    if (other !== undefined) return { type: other, source: other, destination, options };
    if (type !== "bind") throw unsupported("mounts", `type "${type}"`);
    if (!mount.source?.startsWith("/")) {
      throw new EngineError("invalid", `Create container: mount source "${mount.source ?? ""}" is not absolute`);
    }
    return { type, source: mount.source, destination, options, ...subPath };
  });
}

function volumeMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.volumes ?? []).map((volume) => {
    const { options, subPath } = mountOptions(volume.Options ?? []);
    return {
      type: "volume",
      source: volume.Name,
      destination: absolute(volume.Dest),
      options,
      anonymous: volume.Name === "" || volume.IsAnonymous,
      ...subPath,
      ...volume.SubPath !== "" && { subPath: volume.SubPath },
    };
  });
}

function overlayMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.overlay_volumes ?? []).map((volume) => {
    const source = volume.source ?? "";
    if (!source.startsWith("/")) {
      throw new EngineError("invalid", `Create container: overlay source "${source}" is not absolute`);
    }
    const { options } = mountOptions(volume.options ?? []);
    const own = options.filter((option) => option !== "O");
    return { type: "overlay", source, destination: absolute(volume.destination), options: own };
  });
}

function imageMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.image_volumes ?? []).map(({ Source, Destination, ReadWrite, subPath }) => {
    if (Source === "") throw new EngineError("invalid", "must set source for an image volume");
    const options = ReadWrite ? [] : ["ro"];
    return { type: "image", source: Source, destination: absolute(Destination), options, ...subPath && { subPath } };
  });
}

function artifactMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.artifact_volumes ?? []).map(({ source, destination, title, digest, name }) => {
    if (source === "") throw new EngineError("invalid", "must set source for an artifact volume");
    const artifact = { ...title && { title }, ...digest && { digest }, ...name && { name: fileName(name) } };
    return { type: "artifact", source, destination: absolute(destination), options: ["ro"], artifact };
  });
}

function fileName(name: string): string {
  if (!name.includes("/") && name !== "." && name !== "..") return name;
  throw new EngineError("invalid", `Create container: "artifact_volumes" name "${name}" is no file name`);
}

/** Every path that fits becomes a bind of its own, below the destination or, without one, at the same place. */
function globMount({ source = "", destination }: Mount, options: string[]): MountSpec {
  if (!source.startsWith("/")) {
    throw new EngineError("invalid", `Create container: mount source "${source}" is not absolute`);
  }
  return { type: "bind", source, destination: destination && absolute(destination), options, glob: true };
}

function mountOptions(asked: readonly string[]): { options: string[]; subPath: { subPath?: string } } {
  const options: string[] = [];
  let subPath: string | undefined;
  for (const option of asked) {
    if (option === "" || WITHOUT_EFFECT.has(option) || NO_CHOWN.test(option)) continue;
    if (option.startsWith("subpath=")) subPath = option.slice("subpath=".length);
    else options.push(CHOWN.test(option) ? "U" : option);
  }
  return { options, subPath: subPath ? { subPath } : {} };
}

function absolute(destination: string): string {
  if (destination.startsWith("/")) return destination;
  throw new EngineError("invalid", `Create container: mount destination "${destination}" is not absolute`);
}
