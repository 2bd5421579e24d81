/**
 * Folders of the client, which sends what is asked for: `moby.filesync.v1.FileSync/DiffCopy`. First come the facts of all files, then,
 * asked for one by one, their contents.
 *
 * @module
 */
import type { ListedFile, OpenFolder } from "../../../lib/engine/build/folders/remote_folder.ts";
import type { CallMetadata, GRPCClient } from "../../../lib/engine/ports/build_port.ts";
import { Outbox } from "./outbox.ts";
import { PACKET, Packet, type StatValue } from "./messages.ts";
import { decodeLatin1, fromLatin1 } from "../../../lib/oci/bytes/bytes.ts";
import { attributePairs, type Attributes, portableAttributes } from "../../../lib/oci/tar/attributes.ts";
import { RequestError } from "../../request_error.ts";

const METHOD = "/moby.filesync.v1.FileSync/DiffCopy";
/** The most files of a folder, and the most bytes of their paths and extended attributes. */
const MOST_FILES = 1_000_000;
const MOST_NAMES = 256 << 20;
/** Contents that are asked for ahead: files, and bytes. */
const FILES_AHEAD = 1024;
const BYTES_AHEAD = 8 << 20;
/** Bytes that are made room for at once. */
const SMALLEST_PIECE = 4096;

/** The parts of a folder that are wanted; patterns as in a `.dockerignore`. */
export interface FolderWish {
  /** The folder's name: `context`, `dockerfile`, or a named context's. */
  name: string;
  exclude?: readonly string[];
  /** Only these paths, and what they link to. */
  follow?: readonly string[];
}

/** Opens a folder of the client: its files are listed, and can be read until it is disposed of. */
export async function openClientFolder(
  client: GRPCClient,
  wish: FolderWish,
  signal: AbortSignal,
): Promise<OpenFolder> {
  const outbox = new Outbox<Uint8Array>();
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  const answers = client.call(METHOD, outbox, { metadata: metadataOf(wish), signal: ended });
  const transfer = new Transfer({ answers, outbox, end });
  try {
    await transfer.readStats();
    return transfer;
  } catch (error) {
    await transfer[Symbol.asyncDispose]();
    throw error;
  }
}

/** The packets of one call. */
class Transfer implements OpenFolder {
  readonly #answers: AsyncGenerator<Uint8Array, void>;
  readonly #outbox: Outbox<Uint8Array>;
  readonly #files: ListedFile[] = [];
  /** Ends the call, whatever the client does. */
  readonly #end: AbortController;
  /** Pieces of files that are not read yet, by number; `done` behind the last one, `left` is what may still come. */
  readonly #ahead = new Map<number, { pieces: PieceQueue; done: boolean; left: number; path: string }>();
  #bytesAhead = 0;
  /** Whether a packet is waited for. */
  #isWaiting = false;

  constructor({ answers, outbox, end }: {
    answers: AsyncGenerator<Uint8Array, void>;
    outbox: Outbox<Uint8Array>;
    end: AbortController;
  }) {
    this.#answers = answers;
    this.#outbox = outbox;
    this.#end = end;
  }

  get files(): readonly ListedFile[] {
    return this.#files;
  }

  /** Reads the facts of all files. */
  async readStats(): Promise<void> {
    let names = 0;
    for (;;) {
      const packet = await this.#read();
      if (packet.type !== PACKET.stat) throw wrongPacket(packet.type);
      if (packet.stat === undefined) return;
      const file = listedFile(packet.stat);
      names += packet.stat.path.length + packet.stat.linkname.length;
      for (const text of file.attributes ?? []) names += text.length;
      if (this.#files.length >= MOST_FILES || names > MOST_NAMES) {
        throw new RequestError("invalid", `Read the context: it has more than ${MOST_FILES} files`);
      }
      this.#files.push(file);
    }
  }

  async *read(numbers: readonly number[]): AsyncGenerator<{ number: number; bytes: Uint8Array }> {
    const wanted = numbers.filter((number) => this.#sizeOf(number) > 0);
    let asked = 0;
    for (const [at, number] of wanted.entries()) {
      asked = this.#ask(wanted, at, asked);
      const file = this.#ahead.get(number)!;
      for (;;) {
        const bytes = file.pieces.shift();
        if (bytes !== undefined) yield { number, bytes };
        else if (file.done) break;
        else await this.#receive();
      }
      if (file.left > 0) throw changedFile(file.path);
      this.#ahead.delete(number);
      this.#bytesAhead -= this.#sizeOf(number);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#outbox.push(Packet.encode({ type: PACKET.end }));
    this.#outbox.close();
    // A client that is silent would be waited for.
    if (this.#isWaiting) this.#end.abort(new Error("the folder is read no more"));
    await this.#answers.return(undefined).catch(() => {});
  }

  #sizeOf(number: number): number {
    const { kind, size } = this.#files[number];
    return kind === "file" ? size : 0;
  }

  /** Asks for the file at a place of the list, and for those that come next. Returns the place up to which all are asked for. */
  #ask(wanted: readonly number[], at: number, asked: number): number {
    let next = asked;
    for (; next < wanted.length; next++) {
      const number = wanted[next];
      const size = this.#sizeOf(number);
      if (next > at && (this.#ahead.size >= FILES_AHEAD || this.#bytesAhead + size > BYTES_AHEAD)) break;
      this.#outbox.push(Packet.encode({ type: PACKET.request, ID: number }));
      this.#ahead.set(number, { pieces: new PieceQueue(), done: false, left: size, path: this.#files[number].path });
      this.#bytesAhead += size;
    }
    return next;
  }

  async #receive(): Promise<void> {
    const { type, ID, data } = await this.#read();
    if (type !== PACKET.data) throw wrongPacket(type);
    const file = this.#ahead.get(ID);
    if (file === undefined) throw new RequestError("invalid", `Read the context: file ${ID} was not asked for`);
    // A client that sends more than it announced would fill the memory.
    if (file.done || data.length > file.left) throw changedFile(file.path);
    if (data.length === 0) file.done = true;
    else file.pieces.push(data, file.left);
    file.left -= data.length;
  }

  async #read() {
    this.#isWaiting = true;
    const { done, value } = await this.#answers.next();
    this.#isWaiting = false;
    if (done || value === undefined) throw new RequestError("invalid", "Read the context: the client ended it");
    const packet = Packet.decode(value);
    if (packet.type !== PACKET.error) return packet;
    throw new RequestError("invalid", `Read the context: ${new TextDecoder().decode(packet.data)}`);
  }
}

/** Bytes that come in small pieces, few to a packet, take no more room than as many in large ones. */
class PieceQueue {
  readonly #pieces: { bytes: Uint8Array; used: number }[] = [];

  /** Adds a copy; `most` is what may still come, with this. */
  push(data: Uint8Array, most: number): void {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.bytes.length - last.used >= data.length) {
      last.bytes.set(data, last.used);
      last.used += data.length;
      return;
    }
    const bytes = new Uint8Array(Math.max(data.length, Math.min(most, SMALLEST_PIECE)));
    bytes.set(data);
    this.#pieces.push({ bytes, used: data.length });
  }

  shift(): Uint8Array | undefined {
    const first = this.#pieces.shift();
    return first?.bytes.subarray(0, first.used);
  }
}

function changedFile(path: string): RequestError {
  return new RequestError("invalid", `Read the context: "${path}" changed while it was sent`);
}

function wrongPacket(type: number): RequestError {
  return new RequestError("invalid", `Read the context: a packet of type ${type} is out of turn`);
}

/** Extended attributes as a message has them: their names are texts there, and bytes in a file. */
export function sentAttributes(attributes: Attributes | undefined): StatValue["xattrs"] {
  const pairs = attributePairs(attributes);
  return Object.fromEntries(pairs.map(([name, value]) => [new TextDecoder().decode(fromLatin1(name)), value]));
}

function receivedAttributes(xattrs: StatValue["xattrs"]): [name: string, value: Uint8Array][] {
  return Object.entries(xattrs).map(([name, value]) => [decodeLatin1(new TextEncoder().encode(name)), value]);
}

/** Go's bits of a file's mode, which say of what kind it is. */
const MODE = { folder: 2 ** 31, link: 2 ** 27, device: 2 ** 26, pipe: 2 ** 25, socket: 2 ** 24, character: 2 ** 21 };
const SPECIAL = { setuid: 2 ** 23, setgid: 2 ** 22, sticky: 2 ** 20 };

/** Returns a file's mode in Go's bits, of its kind and the twelve bits that every system has. */
export function fileMode(kind: string, mode: number): number {
  const own = kind === "folder" ? MODE.folder : kind === "symlink" ? MODE.link : 0;
  const special = [[0o4000, SPECIAL.setuid], [0o2000, SPECIAL.setgid], [0o1000, SPECIAL.sticky]]
    .reduce((sum, [bit, ours]) => sum + ((mode & bit) !== 0 ? ours : 0), 0);
  return own + special + (mode & 0o777);
}

function listedFile({ path, mode, uid, gid, size, modTime, linkname, xattrs }: StatValue): ListedFile {
  const has = (bit: number) => Math.floor(mode / bit) % 2 === 1;
  const extra = (has(SPECIAL.setuid) ? 0o4000 : 0) | (has(SPECIAL.setgid) ? 0o2000 : 0) |
    (has(SPECIAL.sticky) ? 0o1000 : 0);
  if (size < 0 || !Number.isSafeInteger(size)) {
    throw new RequestError("invalid", `Read the context: "${path}" has a size of ${size} bytes`);
  }
  if (has(MODE.device) || has(MODE.socket) || has(MODE.character)) {
    throw new RequestError("invalid", `Read the context: "${path}" is a device or a socket`);
  }
  const kind = has(MODE.folder)
    ? "folder"
    : has(MODE.link)
    ? "symlink"
    : has(MODE.pipe)
    ? "other"
    : linkname !== ""
    ? "hardlink"
    : "file";
  const link = kind === "symlink" || kind === "hardlink" ? linkname : "";
  const attributes = portableAttributes(receivedAttributes(xattrs));
  return { path, kind, link, mode: mode % 512 | extra, uid, gid, size, time: modTime, ...attributes && { attributes } };
}

/** Patterns that no header can hold are written as in a query. */
function metadataOf({ name, exclude = [], follow = [] }: FolderWish): CallMetadata {
  const lists = { "exclude-patterns": exclude, followpaths: follow };
  const written = Object.entries(lists).filter(([, list]) => list.length > 0).flatMap(([key, list]) => {
    const isPlain = list.every((text) => /^[\x20-\x7e]*$/.test(text));
    const values = isPlain ? list : list.map((text) => encodeURIComponent(text));
    return [[key, values] as const, ...isPlain ? [] : [[`${key}-encoded`, "1"] as const]];
  });
  return { "dir-name": name, ...Object.fromEntries(written) };
}
