import type { Codec, CodecContext, Encoded } from "../codecs/codec.ts";
import type { RequestWriter } from "../codecs/header_value.ts";
import type { Kind } from "../plan/kind.ts";

/**
 * How {@linkcode writerCodec} writes and reads.
 *
 * @example
 * ```ts
 * import { writerCodec, type WriterCodecOptions } from "../mod.ts";
 * const shout: WriterCodecOptions = {
 *   write: (writer, value) => writer.write(String(value).toUpperCase()),
 *   decode: (body) => body.toLowerCase(),
 * };
 * console.assert(writerCodec("text/x-shout", shout).decode("HI", { kind: { type: "string" } }) === "hi");
 * ```
 */
export interface WriterCodecOptions {
  /** Whether values of this kind can be carried; all of them unless told otherwise. */
  carries?(kind: Kind): boolean;
  /** Writes a value: headers first, then the body in pieces. */
  write(writer: RequestWriter, value: unknown, context: CodecContext): void;
  decode(body: string, context: CodecContext): unknown;
}

/**
 * A codec whose encoder writes to a {@linkcode RequestWriter}, so that it can set headers as well. On a server it writes the response the same
 * way, but for the status, which is the definition's.
 *
 * @param type The content type, in lower case
 *
 * @example
 * ```ts
 * import { writerCodec } from "../mod.ts";
 *
 * const csv = writerCodec("text/csv", {
 *   carries: (kind) => kind.type === "list",
 *   write(writer, value) {
 *     writer.header().set("content-type", "text/csv;header=absent");
 *     for (const row of value as string[][]) writer.write(row.join(",") + "\r\n");
 *   },
 *   decode: (text) => text.trimEnd().split("\r\n").map((row) => row.split(",")),
 * });
 * console.assert(csv.type === "text/csv");
 * ```
 */
export function writerCodec(type: string, { carries = () => true, write, decode }: WriterCodecOptions): Codec {
  return {
    type,
    carries,
    decode,
    encode(value, context): Encoded {
      const headers = new Headers({ "content-type": type });
      const chunks: (string | Uint8Array<ArrayBuffer>)[] = [];
      write(
        {
          header: () => headers,
          writeHeader() {},
          // A copy, as the writer may use its buffer again.
          write: (chunk) => void chunks.push(typeof chunk === "string" ? chunk : chunk.slice()),
        },
        value,
        context,
      );
      return { body: new Blob(chunks), headers };
    },
  };
}
