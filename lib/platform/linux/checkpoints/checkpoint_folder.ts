import { constants, createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { EngineError } from "../../../engine/errors.ts";
import { CommandError, runCommand } from "../command.ts";
import { removeFolder } from "../tree.ts";

const TEXT_LIMIT = 16 * 1024 * 1024;
/** The one link in a checkpoint: from images to those they build upon. */
const PARENT = "../pre-checkpoint";

/** Writes a file below a folder, with the folders it needs. */
export async function writeInto(
  folder: string,
  name: string,
  content: string | ReadableStream<Uint8Array>,
): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (typeof content === "string") return await writeFile(path, content, { mode: 0o600 });
  await content.pipeTo(Writable.toWeb(createWriteStream(path, { mode: 0o600 })));
}

/** Opens a file, unless it is a link; `undefined` where there is none. */
export async function openIn(folder: string, name: string): Promise<ReadableStream<Uint8Array> | undefined> {
  const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return undefined;
  // Its chunks are bytes, as those of every file.
  return Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
}

/** A file's text; `undefined` where there is none, or too much of it. */
export async function textIn(folder: string, name: string): Promise<string | undefined> {
  const facts = await lstat(join(folder, name)).catch(() => undefined);
  if (!facts?.isFile() || facts.size > TEXT_LIMIT) return undefined;
  return await new Response(await openIn(folder, name)).text();
}

/** Packs what there is of some names into an archive, which is gone from the disk before it is read. */
export async function packFolder(folder: string, names: readonly string[]): Promise<ReadableStream<Uint8Array>> {
  const there = new Set(await readdir(folder).catch(() => []));
  const archive = join(folder, "export.tar");
  const members = names.filter((name) => there.has(name));
  await runCommand("tar", ["--create", `--file=${archive}`, `--directory=${folder}`, "--", ...members], {
    timeout: Infinity,
  });
  try {
    const stream = await openIn(folder, "export.tar");
    if (stream === undefined) throw new EngineError("internal", "Export checkpoint: its archive is gone");
    return stream;
  } finally {
    await rm(archive, { force: true });
  }
}

/** Unpacks an archive into a new folder. Throws `invalid` for what is no archive, or leads out of it. */
export async function unpackInto(folder: string, archive: ReadableStream<Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const args = ["--extract", "--file=-", `--directory=${folder}`, "--no-same-owner", "--no-same-permissions"];
    await runCommand("tar", args, { stdin: archive, timeout: Infinity });
    await refuseLinks(folder, folder);
  } catch (error) {
    await removeFolder(folder);
    if (!(error instanceof CommandError)) throw error;
    throw new EngineError("invalid", `Import checkpoint: ${error.stderr.trim() || error.message}`, { cause: error });
  }
}

/** Moves a folder to a place where none is. */
export async function moveTo(from: string, to: string): Promise<void> {
  await removeFolder(to);
  await rename(from, to);
}

async function refuseLinks(root: string, folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const facts = await lstat(path);
    if (facts.isDirectory()) await refuseLinks(root, path);
    else if (facts.isSymbolicLink() && await readlink(path) === PARENT && folder === join(root, "checkpoint")) continue;
    else if (!facts.isFile() || facts.nlink > 1) {
      throw new EngineError("invalid", `Import checkpoint: "${path.slice(root.length + 1)}" is not a plain file`);
    }
  }
}
