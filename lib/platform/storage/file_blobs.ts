import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  utimes,
} from "node:fs/promises";
import { EngineError } from "../../engine/errors.ts";
import { Locks } from "../../engine/store/locks.ts";
import type { Blobs, FileWriter, FillOptions, PutOptions } from "../../engine/ports/ports.ts";
import { BlobIntake, hexOf } from "./blob_intake.ts";
import { withRoom } from "./disk_room.ts";
import { FileHash } from "./file_hash.ts";
import { fileStream } from "./file_stream.ts";
import { ScratchFiles } from "./scratch_files.ts";
import { syncFolder } from "./sync_folder.ts";
import { type Receipt, writeStream } from "./write_stream.ts";
import { isID } from "../../oci/digest.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;
const PART = /^[0-9a-f]{64}\.part$/;
/** How long what is staged waits for its next try, in milliseconds. */
const STAGED_AGE = 7 * 24 * 60 * 60 * 1000;

/** The pages of a file that is being written. */
export interface FilePages {
  /** Tells that nobody reads the file up to there again soon. */
  release(end: number): void;
  close(): Promise<void>;
}

/** Choices for {@linkcode FileBlobs}. */
export interface FileBlobsOptions {
  /** Lets pages of a file go while it is written; `undefined` where that cannot be done. */
  openPages?: (path: string) => FilePages | undefined;
}

/**
 * {@linkcode Blobs} in a folder: `sha256/ab/ab…` holds what is whole, `staged/` what is on its way, `scratch/` what is whole and need not
 * last. A blob gets its lasting name after its bytes are on the disk, so it is there whole or not at all. Runs on Deno and Node.
 */
export class FileBlobs implements Blobs {
  readonly #root: string;
  readonly #openPages: FileBlobsOptions["openPages"];
  readonly #locks = new Locks();
  /** Scratch that was kept has a lasting name, too. */
  readonly #scratch: ScratchFiles;
  #count = 0;

  private constructor(root: string, scratch: ScratchFiles, { openPages }: FileBlobsOptions) {
    this.#root = root;
    this.#openPages = openPages;
    this.#scratch = scratch;
  }

  /** Opens the folder, making it where there is none. Bytes that were staged more than a week ago are deleted, and all scratch. */
  static async open(root: string, options: FileBlobsOptions = {}): Promise<FileBlobs> {
    await mkdir(`${root}/sha256`, { recursive: true, mode: 0o700 });
    await mkdir(`${root}/staged`, { recursive: true, mode: 0o700 });
    for (const name of await readdir(`${root}/staged`)) {
      const path = `${root}/staged/${name}`;
      const mtimeMs = await lstat(path).then((facts) => facts.mtimeMs, () => 0);
      // A file without a name to resume under is of no use to a new process.
      const isUseless = !PART.test(name) || mtimeMs < Date.now() - STAGED_AGE;
      // A file that is none of ours, and cannot be deleted, does no harm.
      if (isUseless) await unlink(path).catch(() => {});
    }
    return new FileBlobs(root, await ScratchFiles.open(`${root}/scratch`), options);
  }

  async stat(digest: string): Promise<{ size: number } | undefined> {
    const size = await sizeOf(this.#place(digest));
    return size === undefined ? undefined : { size };
  }

  async open(
    digest: string,
    range: { start: number; end?: number } = { start: 0 },
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const file = await openIfThere(this.#place(digest));
    return file && fileStream(file, range.start, range.end ?? Infinity);
  }

  async put(
    source: ReadableStream<Uint8Array>,
    options: PutOptions = {},
  ): Promise<{ digest: string; size: number }> {
    const { digest } = options;
    if (digest === undefined) return await this.#put(source, this.#unnamed(), options);
    const part = this.#part(digest);
    return await this.#locks.with(digest, async () => {
      const known = await this.stat(digest);
      if (!known) return await this.#put(source, part, options);
      await source.cancel();
      if (!options.isScratch) await this.#makeLast(digest);
      return { digest, size: known.size };
    }, options.signal);
  }

  async fill(write: FileWriter, options: FillOptions = {}): Promise<{ digest: string; size: number }> {
    const part = this.#unnamed();
    let pages: FilePages | undefined;
    const work = async ({ intake, hash }: Receipt, signal: AbortSignal) => {
      pages = this.#openPages?.(part);
      for await (const end of write(part, signal)) {
        intake.count(end - intake.size);
        hash.reach(end);
      }
    };
    try {
      return await this.#receive(part, options, work, (end) => pages?.release(end));
    } finally {
      await pages?.close();
    }
  }

  async keep(digest: string): Promise<void> {
    await this.#locks.with(digest, () => this.#makeLast(digest));
  }

  async staged(digest: string): Promise<number> {
    return await sizeOf(this.#part(digest)) ?? 0;
  }

  async listStaged(): Promise<string[]> {
    const names = (await readdir(`${this.#root}/staged`)).filter((name) => PART.test(name));
    return names.map((name) => `sha256:${name.slice(0, -".part".length)}`);
  }

  async unstage(digest: string): Promise<void> {
    await this.#locks.with(digest, () => rm(this.#part(digest), { force: true }));
  }

  async restage(digest: string): Promise<void> {
    await this.#locks.with(digest, async () => {
      await this.#scratch.delete(hexOf(digest));
      if (await sizeOf(this.#path(digest)) === undefined) return;
      await rename(this.#path(digest), this.#part(digest));
      // Its week begins now.
      await utimes(this.#part(digest), new Date(), new Date());
    });
  }

  async delete(digest: string): Promise<void> {
    await this.#scratch.delete(hexOf(digest));
    await rm(this.#path(digest), { force: true });
  }

  async *list(): AsyncIterable<{ digest: string; size: number }> {
    for (const folder of await readdir(`${this.#root}/sha256`)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for (const hex of await readdir(`${this.#root}/sha256/${folder}`)) {
        if (!isID(hex)) continue;
        const size = await sizeOf(`${this.#root}/sha256/${folder}/${hex}`);
        if (size !== undefined) yield { digest: `sha256:${hex}`, size };
      }
    }
    for (const digest of this.#scratch.list().map((hex) => `sha256:${hex}`)) {
      const isKept = await sizeOf(this.#path(digest)) !== undefined;
      const found = isKept ? undefined : await this.stat(digest);
      if (found) yield { digest, ...found };
    }
  }

  async file(digest: string): Promise<{ folder: string; path: string } | undefined> {
    const path = this.#place(digest);
    try {
      // The folders above it are closed: this is for those who get the file itself.
      await chmod(path, 0o444);
    } catch (error) {
      if (hasSystemCode(error, "ENOENT")) return undefined;
      throw error;
    }
    return { folder: this.#root, path: path.slice(this.#root.length + 1) };
  }

  /** Writes to `part`, checks, and moves it to its place. */
  async #put(
    source: ReadableStream<Uint8Array>,
    part: string,
    options: PutOptions,
  ): Promise<{ digest: string; size: number }> {
    try {
      return await this.#receive(part, options, async (receipt, signal) => {
        await resumeIntake(receipt, options);
        await writeStream(source, receipt, signal);
      });
    } catch (error) {
      if (!source.locked) await source.cancel(error).catch(() => {});
      throw error;
    }
  }

  /** Has work write to `part` while there is room, checks what it wrote, and moves it to its place. */
  async #receive(
    part: string,
    options: PutOptions,
    work: (receipt: Receipt, signal: AbortSignal) => Promise<void>,
    onDigested?: (end: number) => void,
  ): Promise<{ digest: string; size: number }> {
    const hash = new FileHash(part, onDigested);
    const intake = new BlobIntake(hash, options);
    try {
      const file = await open(part, options.offset ? "r+" : "w+", 0o600).catch((error) => {
        throw hasSystemCode(error, "ENOENT") ? nothingStaged(options, 0) : error;
      });
      try {
        await withRoom(
          this.#root,
          "Store blob",
          (signal) => work({ file, intake, hash }, signal),
          options.signal,
        );
        // This thread has time while another one digests.
        const isSyncedAside = hash.isFollowed && !options.isScratch;
        const [digest] = await Promise.all([intake.finish(), isSyncedAside ? file.sync() : undefined]);
        if (options.isScratch) {
          await this.#publishScratch(part, digest);
        } else {
          if (!isSyncedAside) await file.sync();
          await this.#publish(part, digest);
        }
        return { digest, size: intake.size };
      } finally {
        hash.close();
        await file.close();
      }
    } catch (error) {
      const isWrong = error instanceof EngineError && (error.code === "corrupt" || error.code === "limit");
      if (options.digest === undefined || isWrong) await rm(part, { force: true });
      throw error;
    }
  }

  /** Gives bytes that are on the disk their lasting name, by a rename or as another one. */
  async #publish(part: string, digest: string, name: typeof rename = rename): Promise<void> {
    const path = this.#path(digest);
    const folder = path.slice(0, path.lastIndexOf("/"));
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await name(part, path);
    // A rename lasts once the folder does; so does a new folder's own name.
    await syncFolder(folder);
    if (made !== undefined) await syncFolder(`${this.#root}/sha256`);
  }

  async #publishScratch(part: string, digest: string): Promise<void> {
    if (await this.stat(digest)) await unlink(part);
    else await this.#scratch.add(hexOf(digest), part);
  }

  /** Gives scratch a lasting name besides its own, under which others may be about to open it. */
  async #makeLast(digest: string): Promise<void> {
    const scratch = this.#scratch.find(hexOf(digest));
    if (scratch === undefined || await sizeOf(this.#path(digest)) !== undefined) return;
    const file = await openIfThere(scratch);
    if (file === undefined) return;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#publish(scratch, digest, link).catch((error) => {
      // Deleted meanwhile, or stored once more.
      if (!hasSystemCode(error, "ENOENT", "EEXIST")) throw error;
    });
  }

  /** The path that a blob is found at now. */
  #place(digest: string): string {
    return this.#scratch.find(hexOf(digest)) ?? this.#path(digest);
  }

  #path(digest: string): string {
    const hex = hexOf(digest);
    return `${this.#root}/sha256/${hex.slice(0, 2)}/${hex}`;
  }

  #unnamed(): string {
    return `${this.#root}/staged/unnamed-${++this.#count}`;
  }

  #part(digest: string): string {
    return `${this.#root}/staged/${hexOf(digest)}.part`;
  }
}

/** Digests what is staged up to the offset, and cuts off what lies behind it. */
async function resumeIntake({ file, intake }: Receipt, options: PutOptions): Promise<void> {
  const { offset = 0 } = options;
  if (offset === 0) return;
  const { size } = await file.stat();
  if (size < offset) throw nothingStaged(options, size);
  await file.truncate(offset);
  const buffer = new Uint8Array(CHUNK);
  for (let at = 0; at < offset;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) throw new Error(`Read a staged blob: it ended at ${at}`);
    intake.take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function nothingStaged({ digest, offset }: PutOptions, size: number): EngineError {
  return new EngineError("invalid", `Resume ${digest} at ${offset}: only ${size} bytes are staged`);
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
