import type { ImageContext } from "../../lib/engine/kube/play/play_options.ts";
import { tarEntries, type TarFile, tarStream } from "../../lib/oci/tar/tar_entries.ts";
import { messageOf } from "../../lib/oci/message_of.ts";
import { RequestError } from "../request_error.ts";

/** The types of content that are the documents themselves. */
const TEXTS: ReadonlySet<string> = new Set([
  "text/plain",
  "application/json",
  "application/yaml",
  "application/text",
  "application/x-yaml",
  "text/vnd.yaml",
  // Clients of the transport send this where they know no better.
  "application/octet-stream",
]);

/** More than the engine takes of a text, with room for what an archive adds. */
const MOST_BYTES = 4 << 20;
/** An archive is held in memory. */
const ARCHIVE_LIMITS = { entries: 10_000, bytes: 64 << 20 };
/** The names of Dockerfiles, the first that is there counts. */
const DOCKERFILES = ["Containerfile", "Dockerfile"];
/** The file of an archive that is played. */
const MAIN_FILE = "play.yaml";

/** The body of a request to play. */
export interface PlayBody {
  /** The documents. */
  text: string;
  /** The folders of an archive that images can be built of, by name. */
  contexts: Map<string, ImageContext>;
}

/** Reads a request's documents: its body; or, of an archive, the file `play.yaml`, and the folders beside it with a Dockerfile. */
export async function readDocuments(body: ReadableStream<Uint8Array>, headers: Headers): Promise<PlayBody> {
  const type = (headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (type === "application/x-tar") return await readArchive(body);
  if (type === "" || TEXTS.has(type)) return { text: await readText(body), contexts: new Map() };
  await body.cancel();
  throw new RequestError("refused", `Content-Type: ${type} is not supported. Should be "application/x-tar"`);
}

async function readArchive(body: ReadableStream<Uint8Array>): Promise<PlayBody> {
  let text: string | undefined;
  const folders = new Map<string, TarFile[]>();
  const links = new Map<string, string>();
  try {
    for await (const { path, kind, size, mode, content } of tarEntries(body, ARCHIVE_LIMITS)) {
      const [, folder, rest] = /^([^/]+)\/(.+)$/s.exec(path) ?? [];
      if (path === MAIN_FILE && kind === "file") text = await readText(content());
      else if (folder === undefined || kind === "folder") continue;
      else if (kind !== "file") links.set(folder, path);
      else {
        const bytes = new Uint8Array(await new Response(content()).arrayBuffer());
        folders.set(folder, [...folders.get(folder) ?? [], { path: rest, size, mode, content: bytes }]);
      }
    }
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError("refused", `reading the archive: ${messageOf(error)}`, { cause: error });
  }
  if (text === undefined) throw new RequestError("refused", `file not found: tar missing ${MAIN_FILE} file at root`);
  return { text, contexts: contextsOf(folders, links) };
}

/** The folders that have a Dockerfile. Throws for one with entries that would be lost on the way. */
function contextsOf(folders: ReadonlyMap<string, TarFile[]>, links: ReadonlyMap<string, string>) {
  const contexts = new Map<string, ImageContext>();
  for (const [name, files] of folders) {
    const dockerfile = DOCKERFILES.find((wanted) => files.some(({ path }) => path === wanted));
    if (dockerfile === undefined) continue;
    const link = links.get(name);
    if (link !== undefined) {
      throw new RequestError("unsupported", `build: only files are taken of a folder, and "${link}" is none`);
    }
    contexts.set(name, { dockerfile, open: () => tarStream(eachFile(files)) });
  }
  return contexts;
}

async function* eachFile(files: readonly TarFile[]): AsyncGenerator<TarFile> {
  yield* files;
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new RequestError("refused", `the YAML text is larger than ${MOST_BYTES} bytes`);
    text += decodeChunk(decoder, chunk);
  }
  return text + decodeChunk(decoder);
}

function decodeChunk(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (error) {
    throw new RequestError("refused", "the YAML text is no UTF-8", { cause: error });
  }
}
