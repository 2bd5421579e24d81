/**
 * Files of the host that a caller names: what is loaded without being sent.
 *
 * @module
 */

/** A file to read. */
export interface LocalFile {
  kind: "file";
  /** In bytes. */
  size: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** A folder whose files are read by their names, never through symbolic links. */
export interface LocalFolder {
  kind: "folder";
  /** A file by its path in the folder; `undefined` where there is none. */
  file(path: string): Promise<LocalFile | undefined>;
  /** Everything in it as a tar archive. Throws `EngineError("forbidden")` where a folder lies in it that may not be read. */
  archive(): ReadableStream<Uint8Array>;
}

/** The host's files. */
export interface LocalFiles {
  /**
   * Finds the file or folder at an absolute path. Throws `EngineError`: `invalid` for a path that is not absolute,
   * `no_such_file`, and `forbidden` for anything that is neither file nor folder (devices, pipes), for the kernel's own file
   * systems and for the engine's own folders.
   */
  find(path: string): Promise<LocalFile | LocalFolder>;
}
