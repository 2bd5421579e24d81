/** A file of the folder of quadlets. */
export interface ShelfFile {
  /** A plain name, without a folder; of a drop-in with its own. */
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
  /**
   * The drop-ins beside them, `NAME.d/*.conf`, each by its folder and file (`web.container.d/10-more.conf`). Throws
   * `EngineError("limit")` where one is larger than `limit` bytes, or there are more than thousand.
   */
  dropIns(limit: number): Promise<ShelfFile[]>;
  /** Writes files in place of those of their names: all of them, or none. */
  write(files: readonly ShelfFile[]): Promise<void>;
  /** Removes files. One that is not there is no error. */
  remove(names: readonly string[]): Promise<void>;
}
