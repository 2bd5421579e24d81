import { type ImageRecord, repoDigests, repoTags } from "../../lib/engine/records/image_record.ts";
import type { Relations } from "../../lib/engine/images/store/relations.ts";
import { MEDIA_TYPE } from "../../lib/oci/media_type.ts";
import { emit } from "../wire/emit.ts";
import { HistoryResponse, ImageData, ImageSummary } from "../wire/images/image.ts";

/** An image as the native tree inspects it. */
export function imageData(image: ImageRecord, relations?: Relations): ImageData {
  const { config } = image;
  const execution = config.config ?? {};
  return emit(ImageData, {
    Id: image.id,
    Digest: image.digest,
    RepoTags: repoTags(image),
    RepoDigests: repoDigests(image),
    Parent: relations?.parentOf(image)?.id ?? "",
    Comment: commentOf(image),
    Created: config.created ?? null,
    Config: {
      ...execution,
      ExposedPorts: emptyObjects(execution.ExposedPorts),
      Volumes: emptyObjects(execution.Volumes),
    },
    Author: config.author ?? "",
    Architecture: config.architecture,
    Os: config.os,
    Size: image.size,
    VirtualSize: image.size,
    GraphDriver: { Name: "overlay", Data: {} },
    RootFS: { Type: "layers", Layers: config.rootfs.diff_ids },
    Labels: execution.Labels ?? {},
    Annotations: image.annotations,
    ManifestType: image.mediaType,
    User: execution.User ?? "",
    History: config.history,
    NamesHistory: [...image.names, ...image.history],
    Healthcheck: execution.Healthcheck,
  });
}

/** Docker's configs have a comment of their own; Podman takes that of the first step for an OCI image's. */
function commentOf({ mediaType, config: { comment, history } }: ImageRecord): string {
  if (mediaType === MEDIA_TYPE.ociManifest) return history?.[0]?.comment ?? "";
  return typeof comment === "string" ? comment : "";
}

/** The values of a set carry nothing. */
function emptyObjects(set: Record<string, unknown> | undefined): Record<string, Record<string, never>> | undefined {
  return set && Object.fromEntries(Object.keys(set).map((key) => [key, {}]));
}

/** An image as both trees list it. */
export function imageSummary(
  image: ImageRecord,
  { relations, containers }: { relations: Relations; containers: number },
): ImageSummary {
  return emit(ImageSummary, {
    Id: image.id,
    ParentId: relations.parentOf(image)?.id ?? "",
    RepoTags: image.names,
    RepoDigests: repoDigests(image),
    Created: createdSeconds(image),
    Size: image.size,
    SharedSize: 0,
    VirtualSize: image.size,
    Labels: image.config.config?.Labels ?? {},
    Containers: containers,
    Dangling: relations.isDangling(image),
    Arch: image.config.architecture,
    Digest: image.digest,
    History: [...image.names, ...image.history],
    IsManifestList: image.list !== undefined,
    Names: image.names,
    Os: image.config.os,
  });
}

/** When the image was made, as Unix seconds; 0 when it does not say. */
export function createdSeconds({ config }: ImageRecord): number {
  const ms = Date.parse(config.created ?? "");
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** The ID of a step of a history that is no image of its own. */
export const UNKNOWN_STEP = "<missing>";

/**
 * An image's history, newest first. A step that made another image which is here has that one's ID and names.
 *
 * @param image The image
 * @param relations Those of all images
 * @param layerSize Bytes of an unpacked layer by its diff ID; where there is none, its size as pulled is told
 */
export function imageHistory(
  image: ImageRecord,
  relations: Pick<Relations, "ancestorsOf">,
  layerSize: (diffID: string) => number | undefined,
): HistoryResponse[] {
  const entries: HistoryResponse[] = [];
  let layer = 0;
  const history = image.config.history ?? [];
  const ancestors = relations.ancestorsOf(image);
  for (const [index, step] of history.entries()) {
    const made = index + 1 === history.length ? image : ancestors[index];
    const own = step.empty_layer ? undefined : image.layers[layer++];
    const size = own === undefined ? 0 : layerSize(own.diffID) ?? own.size;
    const ms = Date.parse(step.created ?? "");
    entries.push(emit(HistoryResponse, {
      Id: made?.id ?? UNKNOWN_STEP,
      Created: Number.isNaN(ms) ? 0 : Math.floor(ms / 1000),
      CreatedBy: step.created_by ?? "",
      Tags: made === undefined ? [] : repoTags(made),
      Size: size,
      Comment: step.comment ?? "",
    }));
  }
  return entries.reverse();
}
