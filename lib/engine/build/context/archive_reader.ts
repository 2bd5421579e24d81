import { ByteReader } from "../../../oci/bytes/byte_reader.ts";
import { EngineError } from "../../errors.ts";
import type { Blobs } from "../../ports/ports.ts";
import type { FileNode } from "./file_tree.ts";

/** A gap in an archive that is read over rather than sought past. */
const GAP_LIMIT = 256 * 1024;

/** The place of a file's content. */
type Place = Pick<FileNode, "archive" | "offset">;

/** Reads pieces of blobs, most of them one behind the other, without opening a blob for each. */
export class ArchiveReader {
  readonly #blobs: Blobs;
  #open?: { archive: string; bytes: ByteReader; start: number };

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  async *read({ archive, offset }: Place, size: number): AsyncGenerator<Uint8Array> {
    const bytes = await this.#seek(archive, offset);
    for (let left = size; left > 0;) {
      const piece = await bytes.some(left);
      if (piece === undefined) throw new EngineError("corrupt", `Read context: ${archive} ends too early`);
      left -= piece.length;
      // The reader's piece may share its buffer with the next.
      yield piece.slice();
    }
  }

  async close(): Promise<void> {
    await this.#open?.bytes.cancel();
    this.#open = undefined;
  }

  async #seek(archive: string, offset: number): Promise<ByteReader> {
    const open = this.#open?.archive === archive ? this.#open : undefined;
    const at = open === undefined ? -1 : open.start + open.bytes.offset;
    if (open === undefined || offset < at || offset - at > GAP_LIMIT) {
      await this.close();
      const stream = await this.#blobs.open(archive, { start: offset });
      if (stream === undefined) throw new EngineError("internal", `Read context: ${archive} is gone`);
      const bytes = new ByteReader(stream);
      this.#open = { archive, bytes, start: offset };
      return bytes;
    }
    for (let gap = offset - at; gap > 0;) gap -= (await open.bytes.some(gap))?.length ?? gap;
    return open.bytes;
  }
}
