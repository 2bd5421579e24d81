import { tooLarge } from "../error.ts";

/** The longest head of a part, in bytes. */
const MAX_HEAD = 16_384;
/** Bytes that are collected before they become a piece of a Blob, which the runtime holds outside of the heap. */
const PIECE = 1_048_576;

/** A field of a form: its text, or a file. */
export type Entry = readonly [name: string, value: string | File];

/**
 * Reads the parts of a `multipart/form-data` body (RFC 7578) as they come: a file is held once, and the body not at all.
 *
 * @param contentType The body's type, which says the boundary
 * @param limit The most bytes that are read
 * @throws {SyntaxError} if it is not of that form
 * @throws {HTTPError} 413 if it is larger
 */
export async function* readParts(
  body: ReadableStream<Uint8Array> | null,
  contentType: string | null,
  limit: number = Infinity,
): AsyncGenerator<Entry, void, undefined> {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? token;
  if (!boundary) throw new SyntaxError("the type has no boundary");
  const source = new Source(body, limit);
  const delimiter = encode(`\r\n--${boundary}`);
  try {
    await source.until(delimiter, () => {});
    while (!await source.startsWith(CLOSE)) {
      const head = await headOf(source);
      const { name, filename, type } = readHead(head);
      const file = new Pieces();
      await source.until(delimiter, (bytes) => file.push(bytes));
      yield [name, filename === undefined ? await file.text() : file.toFile(filename, type)];
    }
    await source.drain();
  } finally {
    await source.close();
  }
}

const encode = (text: string) => new TextEncoder().encode(text);
const CLOSE = /* @__PURE__ */ encode("--");
const BLANK_LINE = /* @__PURE__ */ encode("\r\n\r\n");

/** The bytes that have come and are not taken yet, and those that will. */
class Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // The first boundary has no line before it.
  #rest: Uint8Array = encode("\r\n");

  readonly #limit: number;
  #size = 0;

  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#reader = body?.getReader();
    this.#limit = limit;
  }

  /** Takes everything up to a delimiter, and the delimiter. */
  async until(delimiter: Uint8Array, take: (bytes: Uint8Array) => void): Promise<void> {
    for (;;) {
      const index = indexOf(this.#rest, delimiter);
      const end = index < 0 ? Math.max(0, this.#rest.length - delimiter.length + 1) : index;
      if (end > 0) take(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(index < 0 ? end : end + delimiter.length);
      if (index >= 0) return;
      const value = await this.#nextOrThrow();
      const border = concatenate(this.#rest, value.subarray(0, delimiter.length - 1));
      if (value.length < delimiter.length || indexOf(border, delimiter) >= 0) {
        this.#rest = concatenate(this.#rest, value);
      } else {
        // No delimiter begins before these bytes, which are not copied: a large file would leave twice its size to the garbage collector.
        if (this.#rest.length > 0) take(this.#rest);
        this.#rest = value;
      }
    }
  }

  async startsWith(text: Uint8Array): Promise<boolean> {
    while (this.#rest.length < text.length) this.#rest = concatenate(this.#rest, await this.#nextOrThrow());
    return text.every((byte, index) => this.#rest[index] === byte);
  }

  async #nextOrThrow(): Promise<Uint8Array> {
    const value = await this.#next();
    if (value === undefined) throw new SyntaxError("it ends before its last boundary");
    return value;
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader?.read() ?? {};
    this.#size += value?.length ?? 0;
    if (this.#size > this.#limit) throw tooLarge(this.#limit);
    return value;
  }

  async drain(): Promise<void> {
    while (await this.#next() !== undefined) { /* The text behind the last boundary says nothing. */ }
  }

  async close(): Promise<void> {
    await this.#reader?.cancel().catch(() => {});
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function indexOf(bytes: Uint8Array, delimiter: Uint8Array): number {
  const last = bytes.length - delimiter.length;
  for (let at = bytes.indexOf(delimiter[0]); at >= 0 && at <= last; at = bytes.indexOf(delimiter[0], at + 1)) {
    if (delimiter.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/** The value of a part, in pieces. */
class Pieces {
  readonly #blobs: Blob[] = [];
  #bytes: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  push(bytes: Uint8Array): void {
    // Streams of a request hold bytes of no shared memory.
    this.#bytes.push(bytes as Uint8Array<ArrayBuffer>);
    this.#size += bytes.length;
    if (this.#size >= PIECE) this.#flush();
  }

  #flush(): void {
    this.#blobs.push(new Blob(this.#bytes));
    this.#bytes = [];
    this.#size = 0;
  }

  async text(): Promise<string> {
    return await new Blob([...this.#blobs, ...this.#bytes]).text();
  }

  toFile(name: string, type: string | undefined): File {
    return new File([...this.#blobs, ...this.#bytes], name, { type: type ?? "text/plain" });
  }
}

async function headOf(source: Source): Promise<string> {
  let head = "";
  const decoder = new TextDecoder();
  await source.until(BLANK_LINE, (bytes) => {
    head += decoder.decode(bytes, { stream: true });
    if (head.length > MAX_HEAD) throw new SyntaxError(`the head of a part is longer than ${MAX_HEAD} bytes`);
  });
  return head;
}

function readHead(head: string): { name: string; filename: string | undefined; type: string | undefined } {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(head)?.[1].trim();
  const disposition = field("content-disposition") ?? "";
  const name = parameterOf(disposition, "name");
  if (!/^form-data(;|$)/i.test(disposition) || name === undefined) throw new SyntaxError("a part has no name");
  return { name, filename: parameterOf(disposition, "filename"), type: field("content-type") };
}

/** A parameter; in browsers' forms a quotation mark and line ends are percent-encoded (HTML Standard, section 4.10.21.8), in older ones escaped. */
function parameterOf(text: string, name: string): string | undefined {
  const [, quoted, token] = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]*))`, "i").exec(text) ?? [];
  return (quoted?.replaceAll('\\"', '"') ?? token)?.replace(/%(22|0D|0A)/gi, (encoded) => decodeURIComponent(encoded));
}
