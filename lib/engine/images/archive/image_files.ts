/**
 * The files that images are read from: of an archive, which comes once and in any order, or of a folder.
 *
 * @module
 */
import { readStream } from "../../../oci/registry/body.ts";
import { concatBytes } from "../../../oci/bytes/bytes.ts";
import { LayerError } from "../../../oci/tar/layer_error.ts";
import { tarEntries, type TarEntry } from "../../../oci/tar/tar_entries.ts";
import { EngineError } from "../../errors.ts";
import type { LocalFolder } from "../../ports/local_files_port.ts";
import type { Blobs } from "../../ports/ports.ts";
import { checkContent, checkSize } from "../../text/wrong_content.ts";
import { decompress } from "../ingest/decompress.ts";
import { admit, type Intake } from "../ingest/ingest.ts";

/** A blob in the store, claimed. */
export interface StoredBlob {
  digest: string;
  size: number;
}

/** Files by their paths. */
export interface ImageFiles {
  /** Reads a small file; `undefined` where there is none. Throws `EngineError("limit")` for a file larger than `limit`. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  /**
   * Stores a file as a blob, and claims it. Throws `EngineError("corrupt")` for a file that is not there or is not what its
   * digest says.
   */
  store(path: string, expected?: { digest: string; size?: number }): Promise<StoredBlob>;
}

/** Files of at most so many bytes stay in memory, as long as all of them are not more than {@linkcode MEMORY}. */
const SMALL = 64 * 1024;
const MEMORY = 8 * 1024 * 1024;
const ENTRIES = 65_536;
/** Links that lead to links, at most. */
const HOPS = 8;

/**
 * Reads an archive to its end, packed or plain. Small files are kept, large ones go to the store at once, and are claimed:
 * nothing is held twice, and nothing large in memory.
 */
export async function readArchive(intake: Intake, archive: ReadableStream<Uint8Array>): Promise<ImageFiles> {
  const { core: { ports, options } } = intake;
  const files = new ArchiveFiles(intake);
  const tar = await decompress(ports.codec, archive);
  const limits = { entries: ENTRIES, bytes: 2 * options.limits.layerBytes };
  let isArchive = false;
  try {
    for await (const entry of tarEntries(tar, limits)) {
      isArchive = true;
      await files.take(entry);
    }
  } catch (error) {
    if (isArchive || !(error instanceof LayerError) || error.code !== "corrupt") throw error;
    throw new EngineError("corrupt", `payload does not match any of the supported image formats: ${error.message}`);
  }
  return files;
}

/** The files of a folder. */
export function readFolder(intake: Intake, folder: LocalFolder): ImageFiles {
  return {
    async read(path, limit) {
      const file = await folder.file(path);
      if (!file) return undefined;
      if (file.size > limit) throw tooLarge(path, file.size);
      return await readStream(await file.open(), limit);
    },
    async store(path, expected) {
      const file = await folder.file(path);
      if (!file) throw missing(path);
      return await storeFile(intake, { path, size: file.size, open: () => file.open() }, expected);
    },
  };
}

class ArchiveFiles implements ImageFiles {
  readonly #intake: Intake;
  readonly #files = new Map<string, Uint8Array | StoredBlob>();
  readonly #links = new Map<string, string>();
  #memory = 0;

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  async take(entry: TarEntry): Promise<void> {
    const { path, kind, link, size } = entry;
    this.#intake.signal.throwIfAborted();
    if (kind === "symlink") this.#links.set(path, `${folderOf(path)}${link}`);
    else if (kind === "hardlink") this.#links.set(path, link);
    if (kind !== "file") return;
    this.#links.delete(path);
    if (size <= SMALL && this.#memory + size <= MEMORY) {
      this.#memory += size;
      this.#files.set(path, concatBytes(await Array.fromAsync(entry.content(), (bytes) => bytes.slice())));
      return;
    }
    const digest = digestOf(path);
    const source = { path, size, open: () => Promise.resolve(entry.content()) };
    const known = digest !== undefined && await this.#intake.core.ports.blobs.stat(digest) !== undefined;
    const stored = await storeFile(this.#intake, source, digest ? { digest } : undefined);
    this.#files.set(path, stored);
    // A blob that was stored before is unpacked already, as a rule.
    if (!known) this.#intake.early?.begin(stored.digest);
  }

  async read(path: string, limit: number): Promise<Uint8Array | undefined> {
    const file = this.#find(path);
    if (file === undefined) return undefined;
    const size = file instanceof Uint8Array ? file.length : file.size;
    if (size > limit) throw tooLarge(path, size);
    if (file instanceof Uint8Array) return file;
    return await readBlob(this.#intake.core.ports.blobs, file.digest, limit);
  }

  async store(path: string, expected?: { digest: string; size?: number }): Promise<StoredBlob> {
    const file = this.#find(path);
    if (file === undefined) throw missing(path);
    if (file instanceof Uint8Array) {
      // Copied into a buffer of its own: a Blob takes no shared one.
      const open = () => Promise.resolve(new Blob([file.slice()]).stream());
      return await storeFile(this.#intake, { path, size: file.length, open }, expected);
    }
    checkContent(expected ?? {}, file);
    return file;
  }

  #find(path: string): Uint8Array | StoredBlob | undefined {
    let at = resolve(path);
    for (let hops = 0; at !== undefined && hops <= HOPS; hops++) {
      const link = this.#links.get(at);
      if (link === undefined) return this.#files.get(at);
      at = resolve(link);
    }
    return undefined;
  }
}

/** A blob whole, of at most `limit` bytes. */
export async function readBlob(blobs: Blobs, digest: string, limit: number): Promise<Uint8Array> {
  const blob = await blobs.open(digest);
  if (!blob) throw new EngineError("internal", `Read ${digest}: its blob is not there`);
  return await readStream(blob, limit);
}

/** Stores what is not there yet. Content of unknown digest is claimed before it can be seen. */
async function storeFile(
  intake: Intake,
  file: { path: string; size: number; open(): Promise<ReadableStream<Uint8Array>> },
  expected?: { digest: string; size?: number },
): Promise<StoredBlob> {
  const { core: { ports: { blobs }, options }, signal } = intake;
  if (expected) {
    await admit(intake, `blob:${expected.digest}`);
    const known = await blobs.stat(expected.digest);
    if (known) {
      const stored = { digest: expected.digest, size: known.size };
      checkSize({ ...expected, size: known.size }, file.size);
      return stored;
    }
  }
  return await blobs.put(await file.open(), {
    size: file.size,
    limit: options.limits.layerBytes,
    signal,
    admit: async (digest) => {
      checkContent(expected ?? {}, { digest, size: file.size });
      await admit(intake, `blob:${digest}`);
    },
  });
}

/** The digest that a path of OCI's layout says its file has. */
function digestOf(path: string): string | undefined {
  const hex = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1];
  return hex === undefined ? undefined : `sha256:${hex}`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** A path without `.` and `..`; `undefined` for one that leaves the archive. */
function resolve(path: string): string | undefined {
  if (path.startsWith("/")) return undefined;
  const components: string[] = [];
  for (const component of path.split("/")) {
    if (component === "..") {
      if (components.pop() === undefined) return undefined;
    } else if (component !== "" && component !== ".") components.push(component);
  }
  return components.join("/");
}

function missing(path: string): EngineError {
  return new EngineError("corrupt", `Read archive: there is no file "${path.slice(0, 200)}"`);
}

function tooLarge(path: string, size: number): EngineError {
  return new EngineError("limit", `Read archive: "${path.slice(0, 200)}" has ${size} bytes`);
}

/** The error about an archive whose files contradict each other. */
export function brokenArchive(why: string): EngineError {
  return new EngineError("corrupt", `Read archive: ${why}`);
}
