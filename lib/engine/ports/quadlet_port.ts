/** A file of the folder of quadlets. */
export interface ShelfFile {
  /** A plain name, without a folder. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

/** The place of the quadlets on the host, where Podman and systemd's generator look for them. */
export interface QuadletShelf {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The names of its files, in order; none where there is no folder yet. */
  list(): Promise<string[]>;
  /** A file's content, but not of one that is larger than `limit` bytes: `EngineError("limit")`. `undefined` for none. */
  read(name: string, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes files in place of those of their names: all of them, or none. */
  write(files: readonly ShelfFile[]): Promise<void>;
  /** Removes files. One that is not there is no error. */
  remove(names: readonly string[]): Promise<void>;
}
