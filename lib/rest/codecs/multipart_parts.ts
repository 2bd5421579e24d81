import { Delimiter, PartSource } from "./part_source.ts";

/** The longest head of a part, in bytes. */
const MAX_HEAD = 16_384;
/** The longest boundary (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY = 70;
/** The most parts: each takes more memory than it has bytes. */
const MAX_PARTS = 65_536;
/** Bytes that are collected before they become a piece of a Blob, which the runtime holds outside of the heap. */
const PIECE = 262_144;

/** A field of a form: its text, or a file. */
export type Entry = readonly [name: string, value: string | File];

/** The facts in the head of a part. */
export interface PartHead {
  readonly name: string;
  /** As the sender says, of a file; it may be anything, a path too. */
  readonly filename: string | undefined;
  readonly type: string | undefined;
  /** How long the head is, in characters. */
  readonly length: number;
}

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
  const parts = new Parts(body, contentType, limit);
  try {
    for (let head = await parts.next(); head; head = await parts.next()) {
      yield [head.name, await heldPart(parts, head, () => {})];
    }
  } finally {
    await parts.close();
  }
}

/**
 * Holds the part that is next: a text, or a file.
 *
 * @param count Told of the bytes as they come; throws for too many
 */
export async function heldPart(
  parts: Parts,
  { filename, type }: PartHead,
  count: (bytes: number) => void,
): Promise<string | File> {
  const file = new Pieces();
  for (let bytes = await parts.piece(); bytes; bytes = await parts.piece()) {
    count(bytes.length);
    file.push(bytes);
    parts.free(bytes);
  }
  return filename === undefined ? await file.text() : file.toFile(filename, type);
}

const encode = (text: string) => new TextEncoder().encode(text);
const CLOSE = /* @__PURE__ */ encode("--");
const BLANK_LINE = /* @__PURE__ */ new Delimiter(/* @__PURE__ */ encode("\r\n\r\n"));

/** The parts of a form, one after the other: the head of one, then its pieces until there are no more. */
export class Parts {
  readonly #source: PartSource;
  readonly #delimiter: Delimiter;
  #count = 0;

  /** @throws {SyntaxError} if the type has no boundary, or none that may be */
  constructor(body: ReadableStream<Uint8Array> | null, contentType: string | null, limit: number) {
    const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? "") ?? [];
    const boundary = quoted ?? token;
    if (!boundary) throw new SyntaxError("the type has no boundary");
    if (boundary.length > MAX_BOUNDARY) throw new SyntaxError(`the boundary has more than ${MAX_BOUNDARY} characters`);
    this.#delimiter = new Delimiter(encode(`\r\n--${boundary}`));
    this.#source = new PartSource(body, limit);
  }

  /** The head of the next part, when the one before has been read; undefined behind the last, and then there is nothing left of the body. */
  async next(): Promise<PartHead | undefined> {
    // In front of the first part stands a text that says nothing.
    if (this.#count === 0) { while (await this.piece()); }
    if (await this.#source.startsWith(CLOSE)) {
      await this.#source.drain();
      return undefined;
    }
    if (++this.#count > MAX_PARTS) throw new SyntaxError(`it has more than ${MAX_PARTS} parts`);
    let head = "";
    const decoder = new TextDecoder();
    for (let bytes = await this.#source.before(BLANK_LINE); bytes; bytes = await this.#source.before(BLANK_LINE)) {
      head += decoder.decode(bytes, { stream: true });
      if (head.length > MAX_HEAD) throw new SyntaxError(`the head of a part is longer than ${MAX_HEAD} bytes`);
    }
    return readHead(head);
  }

  /** The next bytes of a part; undefined behind its last. */
  async piece(): Promise<Uint8Array | undefined> {
    return await this.#source.before(this.#delimiter);
  }

  /** Frees the memory of a piece that is not read again. */
  free(piece: Uint8Array): void {
    this.#source.free(piece);
  }

  /** Lets the sender know that nothing more is read. */
  async close(reason?: unknown): Promise<void> {
    await this.#source.close(reason);
  }
}

/** The value of a part, in pieces. */
class Pieces {
  readonly #blobs: Blob[] = [];
  /** Bytes are copied here as they come: pieces of the wire that are kept for a while take long to be collected. */
  #held = new Uint8Array();
  #size = 0;

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#size === PIECE) this.#flush();
      const some = bytes.subarray(at, at + PIECE - this.#size);
      at += some.length;
      if (this.#size + some.length > this.#held.length) {
        const larger = new Uint8Array(Math.min(PIECE, 2 * (this.#size + some.length)));
        larger.set(this.#held);
        this.#held = larger;
      }
      this.#held.set(some, this.#size);
      this.#size += some.length;
    }
  }

  #flush(): void {
    this.#blobs.push(new Blob([this.#held.subarray(0, this.#size)]));
    this.#size = 0;
  }

  async text(): Promise<string> {
    this.#flush();
    return await new Blob(this.#blobs).text();
  }

  toFile(name: string, type: string | undefined): File {
    this.#flush();
    return new File(this.#blobs, name, { type: type ?? "text/plain" });
  }
}

function readHead(head: string): PartHead {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(head)?.[1].trim();
  const disposition = field("content-disposition") ?? "";
  const { name, filename } = parametersOf(disposition);
  if (!/^form-data(;|$)/i.test(disposition) || name === undefined) throw new SyntaxError("a part has no name");
  return { name, filename, type: field("content-type"), length: head.length };
}

/**
 * The parameters, of which the first of a name counts: one after the other, since the text of a quoted one may look like a further one. In
 * browsers' forms a quotation mark and line ends are percent-encoded (HTML Standard, section 4.10.21.8), in older ones escaped.
 */
function parametersOf(text: string): Partial<Record<string, string>> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [, name, quoted, token] of text.matchAll(/;\s*([^\s;=]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/g)) {
    parameters[name.toLowerCase()] ??= (quoted?.replaceAll('\\"', '"') ?? token)
      .replace(/%(22|0D|0A)/gi, (encoded) => decodeURIComponent(encoded));
  }
  return parameters;
}
