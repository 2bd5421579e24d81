import type { ArtifactFile } from "../../lib/engine/images/manifests/add_artifact.ts";
import { concatBytes } from "../../lib/oci/bytes/bytes.ts";
import { fileMediaType, SNIFFED } from "../../lib/oci/file_media_type.ts";
import type { Part } from "../multipart_parts.ts";

/** The files among a request's parts, each with its media type: the one asked for, or what its name and first bytes tell. */
export async function* artifactFiles(parts: AsyncIterable<Part>, mediaType: string): AsyncIterable<ArtifactFile> {
  for await (const part of parts) {
    const given = part.filename || part.name;
    const name = given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1) || "upload";
    const { head, content } = await peekStart(part.body);
    yield { name, mediaType: mediaType || fileMediaType(name, head), content };
  }
}

/** The first bytes of a stream, and the stream still whole. */
async function peekStart(
  source: ReadableStream<Uint8Array>,
): Promise<{ head: Uint8Array; content: ReadableStream<Uint8Array> }> {
  const reader = source.getReader();
  const first: Uint8Array[] = [];
  for (let size = 0; size < SNIFFED;) {
    const { value } = await reader.read();
    if (value === undefined) break;
    first.push(value);
    size += value.length;
  }
  const head = concatBytes(first);
  let isNew = head.length > 0;
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = isNew ? head : (await reader.read()).value;
      isNew = false;
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { head, content };
}
