import { constants, createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { EngineError } from "../../../engine/errors.ts";
import { checkpointTar, volumeTar } from "../../../oci/tar/checkpoint_tar.ts";
import { LayerError } from "../../../oci/tar/layer_error.ts";
import { withRoom } from "../../storage/disk_room.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { removeFolder } from "../helpers/tree.ts";

const TEXT_LIMIT = 16 * 1024 * 1024;

/** Writes a file below a folder, with the folders it needs. */
export async function writeInto(
  folder: string,
  name: string,
  content: string | ReadableStream<Uint8Array>,
): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (typeof content === "string") return await writeFile(path, content, { mode: 0o600 });
  await withRoom(dirname(path), "Export checkpoint", (signal) => {
    return content.pipeTo(Writable.toWeb(createWriteStream(path, { mode: 0o600 })), { signal });
  });
}

/** Opens a file, unless it is a link; `undefined` where there is none. */
export async function openIn(folder: string, name: string): Promise<ReadableStream<Uint8Array> | undefined> {
  const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
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

/**
 * Unpacks an archive into a new folder: plain files of which there are not too many, and nothing else. Throws `invalid` for
 * what is no archive, or leads out of it; nothing of it stays then.
 */
export async function unpackInto(folder: string, archive: ReadableStream<Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const args = ["--extract", "--file=-", `--directory=${folder}`, "--no-same-owner", "--no-same-permissions"];
    const checked = archive.pipeThrough(checkpointTar());
    await withRoom(folder, "Import checkpoint", (signal) => {
      return runCommand("tar", args, { stdin: checked, timeout: Infinity, signal });
    });
  } catch (error) {
    await removeFolder(folder);
    throw importError(error);
  }
}

/** Unpacks a checked archive of a volume's files. A missing one is no error. */
export async function unpackVolume(file: string, folder: string, args: readonly string[]): Promise<void> {
  const archive = await openIn(dirname(file), basename(file));
  if (archive === undefined) return;
  try {
    const checked = archive.pipeThrough(volumeTar());
    await withRoom(folder, "Import checkpoint", (signal) => {
      const extract = ["--extract", "--file=-", ...args, `--directory=${folder}`];
      return runCommand("tar", extract, { stdin: checked, timeout: Infinity, signal });
    });
  } catch (error) {
    throw importError(error);
  }
}

function importError(error: unknown): unknown {
  if (error instanceof LayerError) {
    return new EngineError("invalid", `Import checkpoint: ${error.message}`, { cause: error });
  }
  if (!(error instanceof CommandError)) return error;
  return new EngineError("invalid", `Import checkpoint: ${error.stderr.trim() || error.message}`, { cause: error });
}

/** Moves a folder to a place where none is. */
export async function moveTo(from: string, to: string): Promise<void> {
  await removeFolder(to);
  await rename(from, to);
}
