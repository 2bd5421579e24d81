import type { ShelfFile } from "../../lib/engine/ports/quadlet_port.ts";
import { QUADLET_LIMIT } from "../../lib/engine/quadlets/quadlet_names.ts";
import { readStream } from "../../lib/oci/registry/body.ts";
import { LayerError } from "../../lib/oci/tar/layer_error.ts";
import { tarEntries } from "../../lib/oci/tar/tar_entries.ts";
import { boundaryOf, readParts } from "../multipart_parts.ts";
import { RequestError } from "../request_error.ts";

/** Files of one installation. */
const FILE_COUNT = 200;
const TAR_TYPES = ["application/x-tar", "application/tar"];

/**
 * Reads the files of an installation from a tar archive or from the parts of a form, within bounds. Parts without a file name
 * are passed over.
 */
export async function readQuadletFiles(body: ReadableStream<Uint8Array>, type: string | null): Promise<ShelfFile[]> {
  const boundary = boundaryOf(type);
  const essence = (type ?? TAR_TYPES[0]).split(";")[0].trim().toLowerCase();
  if (boundary === undefined && !TAR_TYPES.includes(essence)) {
    await body.cancel();
    throw new RequestError("malformed", `Content-Type: ${type} is not supported. Should be "${TAR_TYPES[0]}"`);
  }
  const files: ShelfFile[] = [];
  let size = 0;
  try {
    for await (const { name, content } of boundary === undefined ? archiveFiles(body) : partFiles(body, boundary)) {
      if (files.length === FILE_COUNT) throw new RequestError("malformed", `more than ${FILE_COUNT} files`);
      const bytes = new Uint8Array(await readStream(content, QUADLET_LIMIT - size));
      size += bytes.length;
      files.push({ name, content: bytes });
    }
  } catch (error) {
    if (error instanceof RangeError) throw new RequestError("malformed", `more than ${QUADLET_LIMIT} bytes of files`);
    if (error instanceof LayerError) {
      // Most of them say it themselves.
      const told = error.message.replace(/^(?:Read archive: )?/, "Read archive: ");
      throw new RequestError("malformed", told, { cause: error });
    }
    throw error;
  }
  return files;
}

interface NamedStream {
  name: string;
  content: ReadableStream<Uint8Array>;
}

async function* archiveFiles(body: ReadableStream<Uint8Array>): AsyncGenerator<NamedStream> {
  // Headers and padding come beside the content.
  for await (const entry of tarEntries(body, { entries: 2 * FILE_COUNT, bytes: 2 * QUADLET_LIMIT })) {
    if (entry.kind === "folder") continue;
    if (entry.kind !== "file") throw new RequestError("malformed", `"${entry.path}" is neither a file nor a folder`);
    yield { name: entry.path, content: entry.content() };
  }
}

async function* partFiles(body: ReadableStream<Uint8Array>, boundary: string): AsyncGenerator<NamedStream> {
  for await (const part of readParts(body, boundary)) {
    if (part.filename !== "") yield { name: part.filename, content: part.body };
    else await part.body.cancel();
  }
}
