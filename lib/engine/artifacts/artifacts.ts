import type { ArtifactRecord } from "../records/artifact_record.ts";
import { requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { Track } from "../images/archive/archives.ts";
import type { ImageParts } from "../images/ingest/ingest.ts";
import { type AddArtifactOptions, addFile } from "./add.ts";
import { ArtifactStore } from "./artifact_store.ts";
import { extractFiles, type ExtractOptions } from "./extract.ts";
import { pullArtifact, pushArtifact, type TransferOptions } from "./transfer.ts";

/** The engine's artifacts: manifests whose layers are files of any kind. Their content is shared with that of images. */
export class Artifacts {
  readonly #parts: ImageParts;
  readonly #track: Track;
  readonly #store: ArtifactStore;

  constructor(parts: ImageParts, track: Track) {
    this.#parts = parts;
    this.#track = track;
    this.#store = new ArtifactStore(parts);
  }

  /** Every artifact. */
  list(): Readonly<ArtifactRecord>[] {
    return this.#store.values();
  }

  /** By full name, or the beginning of a digest. Throws `EngineError`: `no_such_artifact`, `ambiguous`, `invalid`. */
  resolve(nameOrDigest: string): Readonly<ArtifactRecord> {
    return this.#store.find(nameOrDigest);
  }

  /** Adds a file that is sent; see {@linkcode addFile}. */
  async add(
    name: string,
    file: { name: string; content: ReadableStream<Uint8Array> },
    options: AddArtifactOptions = {},
  ): Promise<ArtifactRecord> {
    try {
      const source = { name: file.name, open: () => Promise.resolve(file.content) };
      return await this.#track(options.signal, (signal) => {
        return addFile(this.#parts, this.#store, name, source, { ...options, signal });
      });
    } finally {
      if (!file.content.locked) await file.content.cancel().catch(() => {});
    }
  }

  /** Adds a file of the host. Throws as {@linkcode addFile} and `LocalFiles.find` do. */
  async addPath(
    name: string,
    file: { name: string; path: string },
    options: AddArtifactOptions = {},
  ): Promise<ArtifactRecord> {
    const found = await requireHost(this.#parts.core).localFiles.find(file.path);
    if (found.kind === "folder") throw new EngineError("invalid", `"${file.path}" is a folder`);
    return await this.#track(options.signal, (signal) => {
      return addFile(this.#parts, this.#store, name, { name: file.name, open: () => found.open() }, {
        ...options,
        signal,
      });
    });
  }

  /** Pulls an artifact; see {@linkcode pullArtifact}. */
  pull(name: string, options: TransferOptions = {}): Promise<ArtifactRecord> {
    return this.#track(options.signal, (signal) => {
      return pullArtifact(this.#parts, this.#store, name, { ...options, signal });
    });
  }

  /** Pushes an artifact to where its name says; gives the manifest's digest there. */
  push(name: string, options: TransferOptions = {}): Promise<string> {
    const record = this.#store.find(name);
    return this.#track(options.signal, (signal) => pushArtifact(this.#parts, record, { ...options, signal }));
  }

  /** An artifact's files as a tar; see {@linkcode extractFiles}. */
  extract(nameOrDigest: string, options: ExtractOptions = {}): ReadableStream<Uint8Array> {
    return extractFiles(this.#parts, this.#store.find(nameOrDigest), options);
  }

  /** Removes artifacts, up to the first that is not there; gives the digests of those that went. */
  async remove(namesOrDigests: readonly string[], { ignore = false } = {}): Promise<string[]> {
    const gone: string[] = [];
    for (const text of namesOrDigests) {
      try {
        gone.push(...await this.#remove(this.#store.find(text)));
      } catch (error) {
        if (!ignore || !(error instanceof EngineError) || error.code !== "no_such_artifact") throw error;
      }
    }
    return gone;
  }

  /** Removes all of them. */
  async removeAll(): Promise<string[]> {
    const gone: string[] = [];
    for (const record of this.list()) gone.push(...await this.#remove(record));
    return gone;
  }

  async #remove(record: ArtifactRecord): Promise<string[]> {
    const removed = await this.#store.remove(record);
    if (!removed) return [];
    this.#parts.core.events.emit({ type: "artifact", action: "remove", id: removed.digest, name: removed.name });
    return [removed.digest];
  }
}
