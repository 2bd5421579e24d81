/**
 * Tar archives as lists of files: what images are carried in, not what they hold (that is `layer_tar.ts`). Reading is bounded;
 * writing gives the same bytes each time.
 *
 * @module
 */
import { type Attributes, attributesIn } from "./attributes.ts";
import { isRootPath } from "./layer_tree.ts";
import { byteStream, isByteStream } from "../bytes/byte_stream.ts";
import { ByteReader } from "../bytes/byte_reader.ts";
import { LayerError } from "./layer_error.ts";
import { parsePAX, type PAXRecord } from "./pax.ts";
import { BLOCK, isZero, paddingOf, readHeader, type TarHeader, untilZero, writeHeader } from "./tar_header.ts";

/** One entry of an archive that is read. */
export interface TarEntry {
  /** Cleaned: no `.` components, no slash at the end. */
  path: string;
  kind: "file" | "symlink" | "hardlink" | "folder" | "other";
  /** The target of a link, as it is written. */
  link: string;
  /** Bytes of a file. */
  size: number;
  /** Permissions, with set-ID and sticky bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Whole seconds since the epoch. */
  mtime: number;
  /** The extended attributes that a copy keeps. */
  attributes?: Attributes;
  /** The place of a file's content in the archive, in bytes from its start. */
  offset: number;
  /** A file's content. Bytes that are not read by the next step of the iteration are skipped. */
  content(): ReadableStream<Uint8Array>;
  /** The same without a stream, which costs more than a small file's bytes. A piece is good until the next one is asked for. */
  pieces(): AsyncIterableIterator<Uint8Array>;
}

/** Bounds on an archive that is read. */
export interface TarLimits {
  entries: number;
  /** Bytes of it all. */
  bytes: number;
  /** Whether an entry is passed over, by its name as it is in the archive: whatever that is. */
  passesOver?: (name: string) => boolean;
  /**
   * It may end behind the content of its last entry, without padding and the two empty blocks: so does the context that the Docker CLI sends
   * with `build -f -`.
   */
  mayEndShort?: boolean;
}

/** One file of an archive that is written. */
export interface TarFile {
  /** A final slash makes a folder, which has no content. */
  path: string;
  /** In bytes; content of another size fails the stream. */
  size: number;
  content: Uint8Array | (() => Promise<ReadableStream<Uint8Array>>);
  /** Read only for everybody by default. */
  mode?: number;
  /** Seconds since 1970; 0 by default, so that archives of the same files are the same. */
  mtime?: number;
}

/** Bytes of an extended header or long name: ten times what any file system's attributes can be. */
const EXTENSION_LIMIT = 1024 * 1024;
const KINDS: Record<string, TarEntry["kind"]> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hardlink",
  "2": "symlink",
  "5": "folder",
};
/** Bytes a name may have. */
const PATH_LIMIT = 4096;

/**
 * The entries of an archive, in order. Fails with {@linkcode LayerError}: `corrupt` for what is no tar or ends early, `unsafe`
 * for absolute paths and `..`, `limit`. Ending the iteration cancels the stream.
 */
export async function* tarEntries(stream: ReadableStream<Uint8Array>, limits: TarLimits): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(stream);
  try {
    let total = 0;
    for (let count = 0;; count++) {
      const header = await nextHeader(bytes, limits.mayEndShort === true && count > 0);
      if (header === undefined) return;
      total += header.size;
      if (count >= limits.entries) throw brokenTar("limit", `more than ${limits.entries} entries`);
      if (total > limits.bytes) throw brokenTar("limit", `larger than ${limits.bytes} bytes`);
      const body = new EntryBody(bytes, header.size, limits.mayEndShort);
      const kind = KINDS[header.flag] ?? "other";
      const name = decodeText(header.name);
      if (limits.passesOver?.(name)) {
        await body.skip();
        continue;
      }
      const path = memberPath(name);
      const { size, mode, uid, gid, mtime, attributes } = header;
      const facts = { size, mode, uid, gid, mtime, attributes, offset: bytes.offset };
      yield {
        path,
        kind,
        link: decodeText(header.link),
        ...facts,
        content: () => body.stream(),
        pieces: () => body.pieces(),
      };
      await body.skip();
    }
  } finally {
    await bytes.cancel();
  }
}

/** Writes files as an archive, read only and without a time unless they say so: the same files are the same bytes. */
export function tarStream(files: AsyncIterable<TarFile>): ReadableStream<Uint8Array> {
  const pieces = writeFiles(files);
  return byteStream({
    next: async () => (await pieces.next()).value,
    cancel: async () => void await pieces.return(undefined),
  });
}

async function* writeFiles(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array, undefined> {
  for await (const { path, size, content, mode, mtime } of files) {
    const kind = path.endsWith("/") ? FOLDER : READ_ONLY;
    const header = { ...kind, ...mode === undefined ? {} : { mode }, ...mtime === undefined ? {} : { mtime } };
    yield writeHeader({ ...header, name: new TextEncoder().encode(path), size }, [], "posix");
    let written = 0;
    const source = content instanceof Uint8Array ? [content] : await content();
    // Pieces that others may hold are copied: the bytes yielded belong to their reader.
    const isOurs = source instanceof ReadableStream && isByteStream(source);
    for await (const bytes of source) {
      written += bytes.length;
      if (written > size) break;
      yield isOurs ? bytes : new Uint8Array(bytes);
    }
    if (written !== size) throw brokenTar("corrupt", `"${path}" has not the ${size} bytes it was announced with`);
    if (paddingOf(size) > 0) yield new Uint8Array(paddingOf(size));
  }
  yield new Uint8Array(2 * BLOCK);
}

const READ_ONLY = { link: new Uint8Array(0), flag: "0", mode: 0o444, uid: 0, gid: 0, mtime: 0, major: 0, minor: 0 };
const FOLDER = { ...READ_ONLY, flag: "5", mode: 0o755 };

/** A header with the attributes that an extended one told. */
type FullHeader = TarHeader & Pick<TarEntry, "attributes">;

/** The next entry's header, with what extended headers and long names say. */
async function nextHeader(bytes: ByteReader, mayEnd: boolean): Promise<FullHeader | undefined> {
  let records: PAXRecord[] = [];
  let name: Uint8Array | undefined;
  let link: Uint8Array | undefined;
  for (;;) {
    const block = await bytes.exactly(BLOCK);
    // An extended header speaks of an entry that has to come.
    if (block.length === 0 && mayEnd && records.length === 0 && name === undefined && link === undefined) {
      return undefined;
    }
    if (block.length === 0) throw brokenTar("corrupt", "it has no end");
    if (block.length < BLOCK) throw endsWithin();
    if (isZero(block)) return undefined;
    const header = readHeader(block);
    if (!"xgLK".includes(header.flag)) return completeHeader({ ...header, name: name ?? header.name }, link, records);
    if (header.size > EXTENSION_LIMIT) throw brokenTar("limit", "an extended header is too large");
    const body = await bytes.exactly(header.size + paddingOf(header.size));
    if (body.length < header.size) throw endsWithin();
    const value = body.slice(0, header.size);
    if (header.flag === "x") records = parsePAX(value);
    else if (header.flag === "L") name = untilZero(value);
    else if (header.flag === "K") link = untilZero(value);
  }
}

function completeHeader(header: TarHeader, link: Uint8Array | undefined, records: readonly PAXRecord[]): FullHeader {
  const full: FullHeader = { ...header, link: link ?? header.link };
  if (records.length > 0) full.attributes = attributesIn(records);
  for (const { key, value } of records) {
    if (key === "path") full.name = value;
    else if (key === "linkpath") full.link = value;
    else if (key === "mtime") full.mtime = Math.floor(Number(decodeText(value))) || 0;
    else if (key === "uid" || key === "gid") full[key] = Number(decodeText(value)) || 0;
    else if (key === "size") {
      full.size = Number(decodeText(value));
      if (!Number.isSafeInteger(full.size) || full.size < 0) throw brokenTar("corrupt", "a size is no number");
    } else if (key.startsWith("GNU.sparse.")) throw brokenTar("unsupported", "sparse files are not supported");
  }
  return full;
}

/** The content of one entry, read at most once. */
class EntryBody {
  readonly #bytes: ByteReader;
  #left: number;
  readonly #padding: number;
  readonly #mayEndShort: boolean;

  constructor(bytes: ByteReader, size: number, mayEndShort = false) {
    this.#bytes = bytes;
    this.#left = size;
    this.#padding = paddingOf(size);
    this.#mayEndShort = mayEndShort;
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const bytes = await this.#next();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let bytes = await this.#next(); bytes !== undefined; bytes = await this.#next()) yield bytes;
  }

  /** Reads to the next entry. */
  async skip(): Promise<void> {
    while (await this.#next() !== undefined);
    for (let left = this.#padding; left > 0;) {
      const bytes = await this.#bytes.some(left);
      if (bytes === undefined && !(this.#mayEndShort && left === this.#padding)) throw endsWithin();
      if (bytes === undefined) return;
      left -= bytes.length;
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#left === 0) return undefined;
    const bytes = await this.#some(this.#left);
    this.#left -= bytes.length;
    return bytes;
  }

  async #some(most: number): Promise<Uint8Array> {
    const bytes = await this.#bytes.some(most);
    if (bytes === undefined) throw endsWithin();
    return bytes;
  }
}

/**
 * Cleans the path of a member: no `.` components, no slash at the end. Throws {@linkcode LayerError}: `unsafe` for an absolute path and for `..`, `limit`
 * for a long one.
 */
export function memberPath(path: string): string {
  if (path.length > PATH_LIMIT) throw brokenTar("limit", `a path is longer than ${PATH_LIMIT} letters`);
  if (path.startsWith("/") && !isRootPath(path)) {
    throw brokenTar("unsafe", `"${path.slice(0, 200)}" is an absolute path`);
  }
  const components = path.split("/").filter((component) => component !== "" && component !== ".");
  if (components.includes("..")) throw brokenTar("unsafe", `"${path.slice(0, 200)}" leaves the archive`);
  return components.join("/");
}

const decoder = new TextDecoder();

function decodeText(bytes: Uint8Array): string {
  return bytes.length === 0 ? "" : decoder.decode(bytes);
}

function endsWithin(): LayerError {
  return brokenTar("corrupt", "it ends within an entry");
}

function brokenTar(code: LayerError["code"], why: string): LayerError {
  return new LayerError(code, why, "Read archive");
}
