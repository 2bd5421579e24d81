/**
 * Folders of the client, which sends what is asked for: `moby.filesync.v1.FileSync/DiffCopy`. First come the facts of all files, then,
 * asked for one by one, their contents.
 *
 * @module
 */
import type { CallMetadata, GRPCClient } from "../../../lib/engine/ports/build_port.ts";
import { byteStream } from "../../../lib/oci/bytes/byte_stream.ts";
import { BLOCK, paddingOf, writeHeader } from "../../../lib/oci/tar/tar_header.ts";
import { Outbox } from "./outbox.ts";
import { PACKET, Packet, type StatValue } from "./messages.ts";
import { RequestError } from "../../request_error.ts";

const METHOD = "/moby.filesync.v1.FileSync/DiffCopy";
/** The most files of a folder, and the most bytes of their paths. */
const MOST_FILES = 1_000_000;
const MOST_NAMES = 256 << 20;
/** Contents that are asked for ahead: files, and bytes. */
const FILES_AHEAD = 64;
const BYTES_AHEAD = 2 << 20;

/** The parts of a folder that are wanted; patterns as in a `.dockerignore`. */
export interface FolderWish {
  /** The folder's name: `context`, `dockerfile`, or a named context's. */
  name: string;
  exclude?: readonly string[];
  /** Only these paths, and what they link to. */
  follow?: readonly string[];
}

/** Reads a folder of the client as a tar archive. Nothing is asked for before the first read; cancelling it ends the call. */
export function readClientFolder(
  client: GRPCClient,
  wish: FolderWish,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const pieces = writeArchive(client, wish, signal);
  return byteStream({
    next: async () => (await pieces.next()).value ?? undefined,
    cancel: async () => void await pieces.return(undefined),
  });
}

async function* writeArchive(
  client: GRPCClient,
  wish: FolderWish,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const outbox = new Outbox<Uint8Array>();
  const answers = client.call(METHOD, outbox, { metadata: metadataOf(wish), signal });
  try {
    const transfer = new Transfer(answers, outbox);
    const stats = await transfer.readStats();
    for (const [index, stat] of stats.entries()) {
      const { size } = headerOf(stat);
      yield writeHeader(headerOf(stat));
      if (size === 0) continue;
      let got = 0;
      for await (const piece of transfer.content(index, stats)) {
        got += piece.length;
        yield piece;
      }
      if (got !== size) throw changedFile(stat.path);
      if (paddingOf(size) > 0) yield new Uint8Array(paddingOf(size));
    }
    outbox.push(Packet.encode({ type: PACKET.end }));
    yield new Uint8Array(2 * BLOCK);
    return undefined;
  } finally {
    outbox.close();
    await answers.return(undefined);
  }
}

/** The packets of one call. */
class Transfer {
  readonly #answers: AsyncGenerator<Uint8Array, void>;
  readonly #outbox: Outbox<Uint8Array>;
  /** Pieces of files that are not read yet, by number; `done` behind the last one, `left` is what may still come. */
  readonly #ahead = new Map<number, { pieces: Uint8Array[]; done: boolean; left: number; path: string }>();
  #next = 0;
  #bytesAhead = 0;

  constructor(answers: AsyncGenerator<Uint8Array, void>, outbox: Outbox<Uint8Array>) {
    this.#answers = answers;
    this.#outbox = outbox;
  }

  /** Reads the facts of all files. */
  async readStats(): Promise<StatValue[]> {
    const stats: StatValue[] = [];
    let names = 0;
    for (;;) {
      const packet = await this.#read();
      if (packet.type !== PACKET.stat) throw wrongPacket(packet.type);
      if (packet.stat === undefined) return stats;
      names += packet.stat.path.length + packet.stat.linkname.length;
      if (stats.length >= MOST_FILES || names > MOST_NAMES) {
        throw new RequestError("invalid", `Read the context: it has more than ${MOST_FILES} files`);
      }
      stats.push(packet.stat);
    }
  }

  /** Gives a file's content, and asks for those that come next. */
  async *content(index: number, stats: readonly StatValue[]): AsyncGenerator<Uint8Array> {
    this.#ask(index, stats);
    const file = this.#ahead.get(index)!;
    try {
      while (file.pieces.length > 0 || !file.done) {
        const piece = file.pieces.shift();
        if (piece === undefined) await this.#receive();
        else yield piece;
      }
    } finally {
      this.#ahead.delete(index);
      this.#bytesAhead -= headerOf(stats[index]).size;
    }
  }

  #ask(index: number, stats: readonly StatValue[]): void {
    this.#next = Math.max(this.#next, index);
    while (this.#next < stats.length) {
      const { size } = headerOf(stats[this.#next]);
      const isFirst = this.#next === index;
      if (!isFirst && (this.#ahead.size >= FILES_AHEAD || this.#bytesAhead + size > BYTES_AHEAD)) return;
      if (size > 0) {
        this.#outbox.push(Packet.encode({ type: PACKET.request, ID: this.#next }));
        this.#ahead.set(this.#next, { pieces: [], done: false, left: size, path: stats[this.#next].path });
        this.#bytesAhead += size;
      }
      this.#next++;
    }
  }

  async #receive(): Promise<void> {
    const { type, ID, data } = await this.#read();
    if (type !== PACKET.data) throw wrongPacket(type);
    const file = this.#ahead.get(ID);
    if (file === undefined) throw new RequestError("invalid", `Read the context: file ${ID} was not asked for`);
    // A client that sends more than it announced would fill the memory.
    if (file.done || data.length > file.left) throw changedFile(file.path);
    if (data.length === 0) file.done = true;
    else file.pieces.push(data.slice());
    file.left -= data.length;
  }

  async #read() {
    const { done, value } = await this.#answers.next();
    if (done || value === undefined) throw new RequestError("invalid", "Read the context: the client ended it");
    const packet = Packet.decode(value);
    if (packet.type !== PACKET.error) return packet;
    throw new RequestError("invalid", `Read the context: ${new TextDecoder().decode(packet.data)}`);
  }
}

function changedFile(path: string): RequestError {
  return new RequestError("invalid", `Read the context: "${path}" changed while it was sent`);
}

function wrongPacket(type: number): RequestError {
  return new RequestError("invalid", `Read the context: a packet of type ${type} is out of turn`);
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

function headerOf({ path, mode, uid, gid, size, modTime, linkname }: StatValue) {
  const has = (bit: number) => Math.floor(mode / bit) % 2 === 1;
  const text = new TextEncoder();
  const extra = (has(SPECIAL.setuid) ? 0o4000 : 0) | (has(SPECIAL.setgid) ? 0o2000 : 0) |
    (has(SPECIAL.sticky) ? 0o1000 : 0);
  const flag = has(MODE.folder) ? "5" : has(MODE.link) ? "2" : has(MODE.pipe) ? "6" : linkname !== "" ? "1" : "0";
  if (has(MODE.device) || has(MODE.socket) || has(MODE.character)) {
    throw new RequestError("invalid", `Read the context: "${path}" is a device or a socket`);
  }
  return {
    name: text.encode(flag === "5" ? `${path}/` : path),
    link: text.encode(flag === "1" || flag === "2" ? linkname : ""),
    flag,
    mode: mode % 512 | extra,
    ...{ uid, gid, major: 0, minor: 0 },
    size: flag === "0" ? size : 0,
    mtime: Math.max(0, Math.floor(modTime / 1e9)),
  };
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
