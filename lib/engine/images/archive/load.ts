import { requireHost } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { EarlyLayers } from "../ingest/early_layers.ts";
import { type ImageParts, type Intake, withIntake } from "../ingest/ingest.ts";
import { nameForArchive } from "../store/lookup.ts";
import { addImage } from "../ingest/new_image.ts";
import { type ImageFiles, readArchive, readFolder } from "./image_files.ts";
import { dockerItems, readDockerItem } from "./read_docker.ts";
import { readDir, type ReadImage, readLayout } from "./read_oci.ts";

/** The outcome of a load. */
export interface LoadReport {
  /** The names the images got; `sha256:` and an image's ID where it has none. */
  names: string[];
}

/**
 * Loads every image of an archive (`docker save`'s, OCI's, or `dir:`, as a tar that may be packed). Nothing is visible before
 * all of it is there and checked; when that fails nothing of it stays.
 *
 * Throws `EngineError`: `corrupt`, `limit`, `unsupported`, `invalid` for names that do not parse, `cancelled`.
 */
export async function loadImages(
  parts: ImageParts,
  archive: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<LoadReport> {
  try {
    return await load(parts, signal, (intake) => readArchive(intake, archive));
  } finally {
    if (!archive.locked) await archive.cancel().catch(() => {});
  }
}

/** Loads what a path of the host holds: an archive, or a folder in the form of `oci:` or `dir:`. */
export async function loadPath(parts: ImageParts, path: string, signal: AbortSignal): Promise<LoadReport> {
  const found = await requireHost(parts.core).localFiles.find(path);
  return await load(parts, signal, async (intake) => {
    return found.kind === "folder" ? readFolder(intake, found) : await readArchive(intake, await found.open());
  });
}

async function load(
  parts: ImageParts,
  signal: AbortSignal,
  open: (intake: Intake) => Promise<ImageFiles>,
): Promise<LoadReport> {
  const names: string[] = [];
  const loaded: { image: ImageRecord; name: string }[] = [];
  await withIntake(parts, { signal, what: "Load images" }, async (bare) => {
    const early = new EarlyLayers(bare);
    const intake: Intake = { ...bare, early };
    let images: ReadImage[];
    try {
      images = (await readImages(intake, await open(intake)))
        .map(({ image, names }) => ({ image, names: names.map(nameForArchive) }));
    } finally {
      await early.end();
    }
    for (const { image, names: own } of images) {
      const record = await addImage(intake, image, own);
      const told = own.length === 0 ? [`sha256:${record.id}`] : own;
      names.push(...told);
      loaded.push(...told.map((name) => ({ image: record, name })));
    }
  });
  for (const { image, name } of loaded) {
    parts.core.events.emit({ type: "image", action: "loadfromarchive", id: image.id, name });
  }
  return { names };
}

/** Stores every image of the files. */
async function readImages(intake: Intake, files: ImageFiles): Promise<ReadImage[]> {
  const { manifestBytes } = intake.core.options.limits;
  const index = await files.read("index.json", manifestBytes);
  if (index) return await readLayout(intake, files, index);
  const manifest = await files.read("manifest.json", manifestBytes);
  if (!manifest) {
    const formats = "it has neither index.json nor manifest.json";
    throw new EngineError("corrupt", `payload does not match any of the supported image formats: ${formats}`);
  }
  const items = dockerItems(manifest);
  if (!items) return [await readDir(intake, files, manifest)];
  const images: ReadImage[] = [];
  for (const item of items) images.push(await readDockerItem(intake, files, item));
  return images;
}
