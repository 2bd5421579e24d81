import type { Encoded } from "../codecs/codec.ts";
import { fieldsOf } from "../codecs/form.ts";
import { writeJSON } from "../codecs/json.ts";
import { multipart } from "../codecs/multipart.ts";
import { isRecord } from "../codecs/record.ts";
import { writeScalar } from "../codecs/scalar_text.ts";
import { isPieces, sendsPieces, streamOf } from "../codecs/stream_body.ts";
import type { Kind } from "../plan/kind.ts";
import { partOf } from "./part_info.ts";
import { isOptionalPart } from "./streamed_form.ts";

const UNKNOWN_TYPE = "application/octet-stream";

/**
 * Writes a form whose last fields are streams. Where all of them are there as a whole, as a `Blob` is, so is the body, with its length; else it is
 * sent piece by piece, and no part of it is held.
 *
 * @param names The fields that are streams
 * @throws {TypeError} if one of them is missing that must be there, or the runtime sends no body piece by piece
 */
export function writeForm(value: Record<string, unknown>, kind: Kind, names: readonly string[]): Encoded {
  const held = Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
  const sources = names.flatMap((name) => {
    if (value[name] != null) return [{ name, type: typeOf(kind, name), source: value[name] }];
    if (isOptionalPart(kind, name)) return [];
    throw new TypeError(`Write "${name}" into the form: it is missing`);
  });
  const files = sources.flatMap(({ name, type, source }) =>
    isWhole(source) ? [[name, toFile(source, name, type)]] : []
  );
  if (files.length === sources.length) {
    // The codec writes all of its values into a body with headers.
    return multipart.encode({ ...held, ...Object.fromEntries(files) }, { kind }) as Encoded;
  }
  if (!sendsPieces()) {
    const detail = "this runtime sends no body piece by piece: pass a Blob, bytes or text";
    throw new TypeError(`Write "${names.join('", "')}" into the form: ${detail}`);
  }
  const boundary = `gantry-${crypto.randomUUID()}`;
  const body: (BlobPart | ReadableStream<Uint8Array>)[] = [];
  for (const [name, item] of fieldsOf(held, kind)) {
    const file = item instanceof Blob || item instanceof Uint8Array ? toFile(item, "blob") : undefined;
    const text = isRecord(item) || Array.isArray(item) ? writeJSON(item) : writeScalar(item);
    body.push(headOf(boundary, name, file?.name, file?.type), file ?? text, "\r\n");
  }
  for (const { name, type, source } of sources) {
    if (isWhole(source)) {
      const file = toFile(source, name, type);
      body.push(headOf(boundary, name, file.name, file.type), file, "\r\n");
    } else {
      const stream = isPieces(source) ? streamOf(source[Symbol.asyncIterator]()) : source as ReadableStream<Uint8Array>;
      const { filename = name, type: own = type } = partOf(stream);
      body.push(headOf(boundary, name, filename, own), stream, "\r\n");
    }
  }
  body.push(`--${boundary}--\r\n`);
  return { body: joinSources(body), headers: [["content-type", `multipart/form-data; boundary=${boundary}`]] };
}

function isWhole(source: unknown): source is Blob | Uint8Array | string {
  return source instanceof Blob || source instanceof Uint8Array || typeof source === "string";
}

/** The content type that a definition gives a field that is a stream. */
function typeOf(kind: Kind, name: string): string {
  const of = kind.type === "struct" ? kind.fields.get(name)?.kind : undefined;
  return of && "media" in of && of.media || UNKNOWN_TYPE;
}

function toFile(source: Blob | Uint8Array | string, name: string, type: string = UNKNOWN_TYPE): File {
  if (source instanceof File) return source;
  // The library of types does not know that these bytes are of no shared memory.
  return new File([source as BlobPart], name, { type: source instanceof Blob && source.type || type });
}

/** The lines in front of a part, in the encoding of browsers (HTML Standard, section 4.10.21.8). */
function headOf(boundary: string, name: string, filename?: string, type?: string): string {
  const quote = (text: string) => `"${text.replace(/[\r\n"]/g, encodeURIComponent)}"`;
  const file = filename === undefined ? "" : `; filename=${quote(filename)}`;
  const line = type ? `\r\nContent-Type: ${type.replace(/[\r\n]/g, " ")}` : "";
  return `--${boundary}\r\nContent-Disposition: form-data; name=${quote(name)}${file}${line}\r\n\r\n`;
}

/** Joins what is there and what comes: read no faster than it is sent, and all that is left is cancelled when nobody reads on. */
function joinSources(all: readonly (BlobPart | ReadableStream<Uint8Array>)[]): ReadableStream<Uint8Array> {
  const left: ReadableStream<Uint8Array>[] = [];
  let whole: BlobPart[] = [];
  for (const part of all) {
    if (!(part instanceof ReadableStream)) whole.push(part);
    else {
      left.push(new Blob(whole).stream(), part);
      whole = [];
    }
  }
  left.push(new Blob(whole).stream());
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const leave = async (reason: unknown) => {
    await Promise.allSettled([reader?.cancel(reason), ...left.splice(0).map((stream) => stream.cancel(reason))]);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          reader ??= left.shift()?.getReader();
          if (reader === undefined) return controller.close();
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          reader = undefined;
        }
      } catch (cause) {
        await leave(cause);
        throw cause;
      }
    },
    cancel: leave,
  }, { highWaterMark: 0 });
}
