import type { Engine } from "../../../lib/engine/engine.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { summaryOf } from "../../images/list.ts";
import { isBefore } from "../../path_version.ts";
import type { ImageSummary } from "../../wire/images/image.ts";

/** Makes summaries of images as Docker lists them, all of the same moment. */
export function dockerSummaryOf(
  engine: Engine,
  version: string | undefined,
  shared: (image: ImageRecord) => number,
): (image: ImageRecord) => ImageSummary {
  const summary = summaryOf(engine);
  return (image) => ({
    ...summary(image),
    Id: `sha256:${image.id}`,
    SharedSize: shared(image),
    // Only the native tree tells these.
    IsManifestList: undefined,
    Arch: undefined,
    Os: undefined,
    VirtualSize: isBefore(version, 1, 44) ? image.size : undefined,
  });
}
