import type { Engine } from "../../../lib/engine/engine.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { summaryOf } from "../../images/list.ts";
import { nameShower } from "./docker_name.ts";
import { isBefore, isSpokenByPodman } from "../../path_version.ts";
import type { ImageSummary } from "../../wire/images/image.ts";

/** Makes summaries of images as Docker lists them, all of the same moment. */
export function dockerSummaryOf(
  engine: Engine,
  version: string | undefined,
  shared: (image: ImageRecord) => number,
): (image: ImageRecord) => ImageSummary {
  const summary = summaryOf(engine);
  const isDockers = !isSpokenByPodman(version);
  const show = nameShower(engine, version);
  const shown = (image: ImageRecord) => {
    const { RepoTags, RepoDigests, ...rest } = summary(image);
    return { ...rest, RepoTags: RepoTags?.map(show) ?? null, RepoDigests: RepoDigests?.map(show) ?? null };
  };
  return (image) => ({
    ...shown(image),
    Id: `sha256:${image.id}`,
    // Podman's service works it out; Docker knows of commits and classic builds.
    ...isDockers && { ParentId: image.parent === undefined ? "" : `sha256:${image.parent}` },
    SharedSize: shared(image),
    // Only the native tree tells these.
    IsManifestList: undefined,
    Arch: undefined,
    Os: undefined,
    VirtualSize: isBefore(version, 1, 44) ? image.size : undefined,
  });
}
