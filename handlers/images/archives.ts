import type { Engine } from "../../lib/engine/engine.ts";
import { SAVE_FORMATS, type SaveFormat } from "../../lib/engine/images/archive/save.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { emit } from "../wire/emit.ts";
import { ImageImportReport, ImageLoadReport } from "../wire/images/image.ts";
import type { ExportImagesQuery, ImportQuery } from "../wire/images/image_query.ts";
import { RequestError } from "../request_error.ts";

/** The content type of a saved archive. */
export const ARCHIVE_TYPE = "application/octet; charset=us-ascii";

/** Saves an image as the native tree does: in OCI's archive unless told otherwise. */
export async function exportImage(
  engine: Engine,
  name: string,
  { format = "oci-archive", compress }: Pick<ExportImagesQuery, "format" | "compress">,
): Promise<Response> {
  const { name: found } = engine.images.find(name);
  if (!isFormat(format)) throw new RequestError("refused", `unknown format "${format}"`);
  return archiveResponse(format, await engine.images.archives.save([found], { format, compress }));
}

/** Saves one image or several. */
export async function exportImages(
  engine: Engine,
  { references = [], format = "oci-archive", compress, ociAcceptUncompressedLayers: plain }: ExportImagesQuery,
): Promise<Response> {
  if (references.length === 0) throw new RequestError("malformed", "no references");
  if (references.length > 1 && format !== "docker-archive") {
    throw new RequestError("refused", "multi-image archives must use format of docker-archive");
  }
  if (!isFormat(format)) throw new RequestError("refused", `unsupported format "${format}"`);
  return archiveResponse(format, await engine.images.archives.save(references, { format, compress, plain }));
}

/** Loads the images of the body. */
export async function loadImages(
  engine: Engine,
  body: ReadableStream<Uint8Array>,
  { signal }: Context,
): Promise<ImageLoadReport> {
  const { names } = await engine.images.archives.load(body, { signal });
  return emit(ImageLoadReport, { Names: names });
}

/** Loads what a path of the host holds. */
export async function loadLocal(engine: Engine, path: string, { signal }: Context): Promise<ImageLoadReport> {
  if (path === "") throw new RequestError("malformed", "path query parameter is required");
  const { names } = await engine.images.archives.loadPath(path, { signal });
  return emit(ImageLoadReport, { Names: names });
}

/** Makes an image of the body, or of what a URL gives. */
export async function importImage(
  engine: Engine,
  query: ImportQuery,
  body: ReadableStream<Uint8Array>,
  { signal }: Context,
): Promise<ImageImportReport> {
  const { URL: url = "", changes, message, reference, OS: os, Architecture: architecture, Variant: variant } = query;
  const options = { changes, message, reference, os, architecture, variant, signal };
  const image = await engine.images.archives.import(url === "" ? body : sourceURL(url), options);
  return emit(ImageImportReport, { Id: `sha256:${image.id}` });
}

/** Reads the URL an image is fetched from, or throws a 400. */
export function sourceURL(text: string): URL {
  const url = URL.parse(text);
  if (url) return url;
  throw new RequestError("malformed", `failed to parse "${text}": not a URL`);
}

function isFormat(format: string): format is SaveFormat {
  return SAVE_FORMATS.some((known) => known === format);
}

function archiveResponse(format: SaveFormat, body: ReadableStream<Uint8Array>): Response {
  const type = format.endsWith("-dir") ? "application/x-tar" : ARCHIVE_TYPE;
  return new Response(body, { headers: { "Content-Type": type } });
}
