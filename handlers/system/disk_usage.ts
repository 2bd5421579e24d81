import type { Engine } from "../../lib/engine/engine.ts";
import { repoTags } from "../../lib/engine/records/image_record.ts";
import type { ContainerSpace, ImageSpace } from "../../lib/engine/system/disk_usage.ts";
import { parseReference, repositoryName } from "../../lib/oci/reference.ts";
import { commandOf } from "../containers/view/command.ts";
import { imagesOf } from "../containers/list.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { type SystemDfImageReport, SystemDfReport } from "../wire/system/disk_usage.ts";
import { wireTime } from "../wire/time.ts";

/** Tells the disk space of images, containers and volumes, as the native tree does. */
export async function viewDiskUsage(engine: Engine): Promise<SystemDfReport> {
  const { layers, images, containers, volumes } = await engine.system.diskUsage();
  const image = imagesOf(engine);
  return emit(SystemDfReport, {
    ImagesSize: layers,
    Images: images.filter(({ image }) => image.list === undefined).flatMap(imageReports),
    Containers: containers.map(({ container, writable, whole }: ContainerSpace) => ({
      ContainerID: container.id,
      Image: container.imageID,
      Command: commandOf(container, image(container)),
      LocalVolumes: container.mounts.filter(({ type }) => type === "volume").length,
      Size: whole,
      RWSize: writable,
      Created: wireTime(container.created),
      Status: container.state.status,
      Names: container.name,
    })),
    Volumes: volumes.map(({ volume, size, containers }) => ({
      VolumeName: volume.name,
      Links: containers,
      Size: size,
      ReclaimableSize: containers === 0 ? size : 0,
    })),
  });
}

/** One report for each name with a tag, and one for an image without any. */
function imageReports({ image, shared, unique, containers }: ImageSpace): Sparse<SystemDfImageReport>[] {
  const common = {
    ImageID: image.id,
    Created: image.config.created ?? null,
    Size: shared + unique,
    SharedSize: shared,
    UniqueSize: unique,
    Containers: containers,
  };
  const names = repoTags(image).map(parseReference);
  if (names.length === 0) return [{ ...common, Repository: "<none>", Tag: "<none>" }];
  return names.map((name) => ({ ...common, Repository: repositoryName(name), Tag: name.tag ?? "<none>" }));
}
