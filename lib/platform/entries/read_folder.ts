import { createReadStream, statSync } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { ClientError } from "../../client/client_error.ts";
import { byteStream } from "../../oci/bytes/byte_stream.ts";
import { BLOCK, paddingOf, type TarHeader, writeHeader } from "../../oci/tar/tar_header.ts";

/**
 * A folder as a tar archive: files, folders and symbolic links with their modes and times, all of root's, in the order of their names.
 * Sockets and devices are left out. The server leaves out what `.dockerignore` says.
 *
 * @throws {ClientError} `not_found` or `invalid`, before anything is read, where the path is no folder
 */
export function readFolder(folder: string): ReadableStream<Uint8Array> {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new ClientError("not_found", `Build "${folder}": there is no such folder`);
  if (!found.isDirectory()) throw new ClientError("invalid", `Build "${folder}": it is no folder`);
  const pieces = writeTree(folder);
  return byteStream({
    next: async () => (await pieces.next()).value ?? undefined,
    cancel: async () => void await pieces.return(),
  });
}

async function* writeTree(folder: string): AsyncGenerator<Uint8Array, void> {
  yield* writeBelow(folder, "");
  yield new Uint8Array(2 * BLOCK);
}

async function* writeBelow(folder: string, inside: string): AsyncGenerator<Uint8Array, void> {
  for (const name of (await readdir(join(folder, inside))).sort()) {
    const path = inside === "" ? name : `${inside}/${name}`;
    const file = join(folder, path);
    const stat = await lstat(file);
    const facts = { mode: stat.mode & 0o7777, mtime: Math.floor(stat.mtimeMs / 1000) };
    if (stat.isDirectory()) {
      yield writeHeader(headerOf(`${path}/`, "5", facts));
      yield* writeBelow(folder, path);
    } else if (stat.isSymbolicLink()) {
      yield writeHeader({ ...headerOf(path, "2", facts), link: new TextEncoder().encode(await readlink(file)) });
    } else if (stat.isFile()) {
      yield writeHeader({ ...headerOf(path, "0", facts), size: stat.size });
      yield* readExactly(file, stat.size);
      if (paddingOf(stat.size) > 0) yield new Uint8Array(paddingOf(stat.size));
    }
  }
}

/** A file that grows meanwhile is cut where its header says. */
async function* readExactly(file: string, size: number): AsyncGenerator<Uint8Array, void> {
  if (size === 0) return;
  let left = size;
  const stream = Readable.toWeb(createReadStream(file, { end: size - 1 })) as NodeReadableStream<Uint8Array>;
  for await (const piece of stream) {
    left -= piece.length;
    // Node's buffers are parts of one that others use.
    yield new Uint8Array(piece);
  }
  if (left > 0) throw new Error(`Read "${file}": it became shorter while it was read`);
}

function headerOf(path: string, flag: string, facts: { mode: number; mtime: number }): TarHeader {
  const name = new TextEncoder().encode(path);
  return { name, flag, link: new Uint8Array(0), uid: 0, gid: 0, size: 0, major: 0, minor: 0, ...facts };
}
