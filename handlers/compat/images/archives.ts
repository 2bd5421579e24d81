import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Context } from "../../../lib/rest/mod.ts";
import { ARCHIVE_TYPE, sourceURL } from "../../images/archives.ts";
import type { ImportedImage } from "../../wire/compat/image.ts";
import type { CompatImportQuery } from "../../wire/compat/query.ts";
import { withTag } from "./create_image.ts";
import { dockerName, localName, nameShower } from "./docker_name.ts";
import { isSpokenByPodman } from "../../path_version.ts";
import { parsePlatform } from "./platform.ts";
import { RequestError } from "../../request_error.ts";

/** Saves images as `docker save` does. */
export async function exportImages(engine: Engine, names: readonly string[] = []): Promise<Response> {
  if (names.length === 0) throw new RequestError("malformed", "no images to download");
  const local = names.map((name) => localName(engine, name));
  const body = await engine.images.archives.save(local, { format: "docker-archive" });
  return new Response(body, { headers: { "Content-Type": ARCHIVE_TYPE } });
}

/** Saves one image. */
export async function exportImage(engine: Engine, name: string): Promise<Response> {
  if (engine.images.exists(localName(engine, name))) return await exportImages(engine, [name]);
  const sentinel = "image not known";
  throw new EngineError("no_such_image", `failed to find image ${name}: No such image`, { sentinel });
}

/** Loads the images of the body, and tells which: in a message for each, and as Podman's service in one for all. */
export async function loadImages(
  engine: Engine,
  body: ReadableStream<Uint8Array>,
  { signal, version, headers }: Context,
): Promise<AsyncIterable<{ stream: string }>> {
  const { names } = await engine.images.archives.load(body, { signal });
  headers.set("content-type", "application/json");
  if (isSpokenByPodman(version)) return tellLoaded([`: ${names.join(",")}`]);
  const shown = nameShower(engine, version);
  // An image without a name is told by its ID, which clients ask for in these words.
  return tellLoaded(names.map((name) => /^sha256:/.test(name) ? ` ID: ${name}` : `: ${shown(name)}`));
}

async function* tellLoaded(lines: readonly string[]): AsyncIterable<{ stream: string }> {
  for (const line of lines) yield await Promise.resolve({ stream: `Loaded image${line}\n` });
}

/** Makes an image of the body (`fromSrc=-`), or of what a URL gives, and tells its ID in a line: clients read no other answer. */
export async function importImage(
  engine: Engine,
  { fromSrc = "", repo = "", tag = "", platform = "", changes, message }: CompatImportQuery,
  body: ReadableStream<Uint8Array>,
  { signal, headers }: Context,
): Promise<AsyncIterable<ImportedImage>> {
  const reference = repo === "" ? undefined : dockerName(engine, withTag(repo, tag));
  const options = { ...parsePlatform(platform), changes, message, reference, signal };
  const { id } = await engine.images.archives.import(fromSrc === "-" ? body : sourceURL(fromSrc), options);
  headers.set("content-type", "application/json");
  return tellImported(id);
}

async function* tellImported(id: string): AsyncIterable<ImportedImage> {
  // The CLI would print an ID before the status, and its callers take the line for the image's.
  yield await Promise.resolve({ status: `sha256:${id}`, progress: "", progressDetail: {}, id: "" });
}
