import {
  artifactMount,
  imageMount,
  overlayMount,
  plainMount,
  volumeMount,
} from "../../../lib/engine/containers/request/mount_specs.ts";
import type { MountRequest } from "../../../lib/engine/records/mount_spec.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import type { Mount } from "../../wire/containers/spec_generator_parts.ts";
import { unsupported } from "./unsupported.ts";

/** The mounts of a create request: binds and tmpfs first, then volumes. */
export function mountSpecs(
  generator: Pick<
    SpecGenerator,
    "mounts" | "volumes" | "overlay_volumes" | "image_volumes" | "artifact_volumes"
  >,
): MountRequest[] {
  const { mounts = [], volumes = [], overlay_volumes: overlays = [] } = generator;
  const { image_volumes: images = [], artifact_volumes: artifacts = [] } = generator;
  return [
    ...mounts.map(mountSpec),
    ...volumes.map(({ Name, Dest, Options, IsAnonymous, SubPath }) =>
      volumeMount({
        source: Name,
        destination: Dest,
        options: Options ?? [],
        anonymous: IsAnonymous,
        subPath: SubPath,
      })
    ),
    ...overlays.map(({ source = "", ...overlay }) => overlayMount({ source, ...overlay })),
    ...images.map(({ Source, Destination, ReadWrite, subPath }) =>
      imageMount({ source: Source, destination: Destination, writable: ReadWrite, subPath })
    ),
    ...artifacts.map(artifactMount),
  ];
}

function mountSpec({ type = "", source = "", uidMappings, gidMappings, ...mount }: Mount): MountRequest {
  if (uidMappings?.length || gidMappings?.length) throw unsupported("mounts.uidMappings");
  return plainMount({ type, source, ...mount });
}
