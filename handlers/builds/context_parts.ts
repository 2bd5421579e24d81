import { RequestError } from "../request_error.ts";

/** A context of a request that has several, as it comes. */
export interface ContextPart {
  /** Empty for the main one. */
  name: string;
  /** It ends where the next part begins; what is not read of it then is passed over. */
  archive: ReadableStream<Uint8Array>;
}

/** The longest head of a part, in bytes. */
const HEAD_LIMIT = 16_384;
/** The field of the main context, and the beginning of the others'. */
const MAIN = "MainContext";
const OTHER = "build-context-";

/**
 * Reads the contexts of a `multipart/form-data` body, one after the other, without holding any: Podman's clients send the
 * folders of `--build-context` so. Throws a `RequestError` for a body that is not of that form.
 */
export async function* readContextParts(
  body: ReadableStream<Uint8Array>,
  contentType: string,
): AsyncGenerator<ContextPart, void, undefined> {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (!boundary) throw malformedBody("its type has no boundary");
  const source = new PartReader(body, new TextEncoder().encode(`\r\n--${boundary}`));
  try {
    await source.skip();
    while (!await source.isEnd()) {
      const name = fieldName(await source.head());
      const archive = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const bytes = await source.piece();
          if (bytes) controller.enqueue(bytes);
          else controller.close();
        },
      }, { highWaterMark: 0 });
      if (name === MAIN) yield { name: "", archive };
      else if (name.startsWith(OTHER) && name !== OTHER) yield { name: name.slice(OTHER.length), archive };
      await source.skip();
    }
  } finally {
    await source.close();
  }
}

/** Whether a request has several contexts. */
export function hasContextParts(contentType: string | null): contentType is string {
  return /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? "");
}

/** Cuts a body at a delimiter, in pieces of any size. */
class PartReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #delimiter: Uint8Array;
  // The first boundary has no line before it.
  #rest: Uint8Array = new TextEncoder().encode("\r\n");
  #isPartEnd = false;

  constructor(body: ReadableStream<Uint8Array>, delimiter: Uint8Array) {
    this.#reader = body.getReader();
    this.#delimiter = delimiter;
  }

  /** The next bytes of the part; `undefined` at its end. */
  async piece(): Promise<Uint8Array | undefined> {
    while (!this.#isPartEnd) {
      const index = indexOf(this.#rest, this.#delimiter);
      const end = index < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : index;
      const bytes = this.#rest.slice(0, end);
      this.#isPartEnd = index >= 0;
      this.#rest = this.#rest.subarray(index < 0 ? end : end + this.#delimiter.length);
      if (bytes.length > 0) return bytes;
      if (index < 0) await this.#more();
    }
  }

  /** Passes over the rest of the part. */
  async skip(): Promise<void> {
    while (await this.piece() !== undefined) { /* Nobody wants it. */ }
  }

  /** Whether the boundary was the last one. */
  async isEnd(): Promise<boolean> {
    while (this.#rest.length < 2) await this.#more();
    return this.#rest[0] === 0x2d && this.#rest[1] === 0x2d;
  }

  /** The head of the part that begins. */
  async head(): Promise<string> {
    const blank = new TextEncoder().encode("\r\n\r\n");
    let at = indexOf(this.#rest, blank);
    while (at < 0) {
      if (this.#rest.length > HEAD_LIMIT) throw malformedBody(`the head of a part has more than ${HEAD_LIMIT} bytes`);
      await this.#more();
      at = indexOf(this.#rest, blank);
    }
    const text = new TextDecoder().decode(this.#rest.subarray(0, at));
    this.#rest = this.#rest.subarray(at + blank.length);
    this.#isPartEnd = false;
    return text;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #more(): Promise<void> {
    const { value } = await this.#reader.read();
    if (value === undefined) throw malformedBody("it ends before its last boundary");
    const both = new Uint8Array(this.#rest.length + value.length);
    both.set(this.#rest);
    both.set(value, this.#rest.length);
    this.#rest = both;
  }
}

function indexOf(bytes: Uint8Array, delimiter: Uint8Array): number {
  const last = bytes.length - delimiter.length;
  for (let at = bytes.indexOf(delimiter[0]); at >= 0 && at <= last; at = bytes.indexOf(delimiter[0], at + 1)) {
    if (delimiter.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function fieldName(head: string): string {
  const [, disposition = ""] = /^content-disposition:(.*)$/im.exec(head) ?? [];
  const [, quoted, token] = /;\s*name=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/i.exec(disposition) ?? [];
  const name = quoted?.replaceAll('\\"', '"') ?? token;
  if (name === undefined) throw malformedBody("a part has no name");
  return name;
}

function malformedBody(why: string): RequestError {
  return new RequestError("malformed", `failed to parse the body as multipart/form-data: ${why}`);
}
