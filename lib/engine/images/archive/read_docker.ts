/**
 * Reading images of the archives that `docker save` writes.
 *
 * @module
 */
import { parseImageConfig } from "../../../oci/image_config.ts";
import { isObject } from "../../../oci/json.ts";
import { LAYER_TYPES } from "../../../oci/manifest_writer.ts";
import { detectCompression, MEDIA_TYPE } from "../../../oci/media_type.ts";
import { EngineError } from "../../errors.ts";
import { ingestDocument, ingestLayer, type Intake, type StoredLayer } from "../ingest/ingest.ts";
import { checkDiffID, checkMountable, diffIDsOf } from "../ingest/image_rules.ts";
import { inParallel } from "../../concurrency.ts";
import { storeManifest } from "../ingest/new_image.ts";
import { brokenArchive, type ImageFiles } from "./image_files.ts";
import { MAX_IMAGES, type ReadImage } from "./read_oci.ts";

/** One entry of the list in `manifest.json`. */
export interface DockerItem {
  config: string;
  names: string[];
  layers: string[];
}

/** The images that `manifest.json` lists; `undefined` for one that is no list. */
export function dockerItems(bytes: Uint8Array): DockerItem[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new EngineError("corrupt", "Read archive: manifest.json is not JSON", { cause });
  }
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) throw brokenArchive("manifest.json lists no image");
  if (value.length > MAX_IMAGES) throw new EngineError("limit", `Read archive: more than ${MAX_IMAGES} images`);
  return value.map((item) => {
    if (!isObject(item) || typeof item.Config !== "string") {
      throw brokenArchive("manifest.json has an image without a config");
    }
    return { config: item.Config, names: texts(item.RepoTags, "RepoTags"), layers: texts(item.Layers, "Layers") };
  });
}

/** Stores one of them. Its manifest is new: the archive has none that is content-addressed. */
export async function readDockerItem(intake: Intake, files: ImageFiles, item: DockerItem): Promise<ReadImage> {
  const { limits } = intake.core.options;
  const bytes = await files.read(item.config, limits.manifestBytes);
  if (!bytes) throw brokenArchive(`there is no config "${item.config.slice(0, 200)}"`);
  const config = parseImageConfig(bytes);
  const diffIDs = diffIDsOf(config, item.layers.length);
  checkMountable(diffIDs.length, limits);
  const layers = await inParallel(item.layers, limits.parallelBlobs, (path, i) => {
    return readLayer(intake, files, path, diffIDs[i]);
  });
  const stored = await ingestDocument(intake, bytes, MEDIA_TYPE.dockerConfig);
  const written = await storeManifest(intake, { config: stored, layers, format: "docker" });
  return { image: { ...written, config }, names: item.names };
}

/** Layers are plain as a rule; some programs pack them all the same. */
async function readLayer(intake: Intake, files: ImageFiles, path: string, diffID: string): Promise<StoredLayer> {
  const { digest, size } = await files.store(path);
  const head = await intake.core.ports.blobs.open(digest, { start: 0, end: 4 });
  const compression = detectCompression(new Uint8Array(await new Response(head).arrayBuffer()));
  if (compression === "none") checkDiffID(digest, digest, diffID);
  const mediaType = LAYER_TYPES.docker[compression];
  if (mediaType !== undefined) return await ingestLayer(intake, { digest, size, mediaType, diffID });
  throw new EngineError("unsupported", `Read archive: a layer compressed with ${compression} in a docker-archive`);
}

function texts(value: unknown, key: string): string[] {
  const list = value ?? [];
  const isList = Array.isArray(list) && list.every((item) => typeof item === "string");
  if (!isList) throw brokenArchive(`${key} in manifest.json is no list of texts`);
  if (list.length > 4096) throw new EngineError("limit", `Read archive: too many ${key}`);
  return list;
}
