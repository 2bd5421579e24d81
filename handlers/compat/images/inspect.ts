import type { Engine } from "../../../lib/engine/engine.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { imageData } from "../../images/view.ts";
import { ImageInspect } from "../../wire/compat/image.ts";
import { isBefore } from "../../path_version.ts";
import { emit } from "../../wire/emit.ts";
import { nameShower } from "./docker_name.ts";
import { ZERO_TIME } from "../../wire/time.ts";

/** An image as Docker inspects it. Most fields are the native ones by the same name. */
export function imageInspect(
  engine: Pick<Engine, "dockerHub">,
  image: ImageRecord,
  version: string | undefined,
): ImageInspect {
  const show = nameShower(engine, version);
  const { Id, Config, GraphDriver, RootFS, Created, RepoTags, RepoDigests, ...rest } = imageData(image);
  const { Healthcheck: _health, ...same } = rest;
  const { config: { config: execution = {} } } = image;
  return emit(ImageInspect, {
    ...same,
    Id: `sha256:${Id}`,
    RepoTags: RepoTags?.map(show) ?? null,
    RepoDigests: RepoDigests?.map(show) ?? null,
    Parent: image.parent === undefined ? "" : `sha256:${image.parent}`,
    Created: Created ?? "",
    Config: { ...Config, OnBuild: execution.OnBuild, Shell: execution.Shell, Healthcheck: execution.Healthcheck },
    Variant: image.config.variant,
    GraphDriver,
    RootFS: { Type: RootFS?.Type, Layers: RootFS?.Layers ?? [] },
    Container: "",
    // Each went with a version of the API.
    VirtualSize: isBefore(version, 1, 44) ? image.size : 0,
    ContainerConfig: isBefore(version, 1, 45) ? { Hostname: Id.slice(0, 11), Volumes: Config?.Volumes } : null,
    DockerVersion: "",
    // The moment at which it came here: later names do not say when they were given.
    Metadata: { LastTagTime: image.names.length > 0 ? image.pulledAt : ZERO_TIME },
  });
}
