import { tarEntries } from "../../lib/oci/tar/tar_entries.ts";
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
const ARCHIVE_LIMITS = { entries: 10_000, bytes: 256 << 20 };
/** The file of an archive that is played. */
const MAIN_FILE = "play.yaml";

/** Reads the documents of a request: its body, or the file `play.yaml` of an archive. */
export async function readDocuments(body: ReadableStream<Uint8Array>, headers: Headers): Promise<string> {
  const type = (headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (type === "application/x-tar") return await readArchive(body);
  if (type === "" || TEXTS.has(type)) return await readText(body);
  await body.cancel();
  throw new RequestError("refused", `Content-Type: ${type} is not supported. Should be "application/x-tar"`);
}

async function readArchive(body: ReadableStream<Uint8Array>): Promise<string> {
  try {
    for await (const { path, kind, content } of tarEntries(body, ARCHIVE_LIMITS)) {
      if (path === MAIN_FILE && kind === "file") return await readText(content());
    }
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError("refused", `reading the archive: ${messageOf(error)}`, { cause: error });
  }
  throw new RequestError("refused", `file not found: tar missing ${MAIN_FILE} file at root`);
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
