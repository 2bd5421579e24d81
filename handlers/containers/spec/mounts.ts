import type { MountSpec } from "../../../lib/engine/container_record.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { SpecGenerator } from "../../wire/spec_generator.ts";
import { unsupported } from "./unsupported.ts";

/** SELinux labels: no host of ours has them, so there is nothing to do. */
const WITHOUT_EFFECT = new Set(["z", "Z"]);

/** What Podman does itself to a mount: change the owner, map IDs, put an overlay on it. */
const UNSUPPORTED = /^(?:U|chown(?:=true)?|O|idmap(?:=.*)?|upperdir=.*|workdir=.*)$/;

/** The mounts of a create request: binds and tmpfs first, then volumes. */
export function mountSpecs(generator: SpecGenerator): MountSpec[] {
  return [...plainMounts(generator), ...volumeMounts(generator)];
}

function plainMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.mounts ?? []).map((mount) => {
    const options = mountOptions("mounts", mount.options ?? []);
    if (mount.uidMappings?.length || mount.gidMappings?.length) throw unsupported("mounts.uidMappings");
    const destination = absolute(mount.destination);
    const type = mount.type || (options.some((option) => /^r?bind$/.test(option)) ? "bind" : "");
    if (type === "tmpfs") return { type, source: "tmpfs", destination, options };
    if (type !== "bind") throw unsupported("mounts", `type "${type}"`);
    if (!mount.source?.startsWith("/")) {
      throw new EngineError("invalid", `Create container: mount source "${mount.source ?? ""}" is not absolute`);
    }
    return { type, source: mount.source, destination, options };
  });
}

function volumeMounts(generator: SpecGenerator): MountSpec[] {
  return (generator.volumes ?? []).map((volume) => {
    if (volume.SubPath !== "") throw unsupported("volumes.SubPath");
    return {
      type: "volume",
      source: volume.Name,
      destination: absolute(volume.Dest),
      options: mountOptions("volumes", volume.Options ?? []),
      anonymous: volume.Name === "" || volume.IsAnonymous,
    };
  });
}

function mountOptions(field: string, options: readonly string[]): string[] {
  const refused = options.find((option) => UNSUPPORTED.test(option));
  if (refused !== undefined) throw unsupported(field, `option "${refused}"`);
  return options.filter((option) => option !== "" && !WITHOUT_EFFECT.has(option));
}

function absolute(destination: string): string {
  if (destination.startsWith("/")) return destination;
  throw new EngineError("invalid", `Create container: mount destination "${destination}" is not absolute`);
}
