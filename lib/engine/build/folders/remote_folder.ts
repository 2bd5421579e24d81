import type { Attributes } from "../../../oci/tar/attributes.ts";

/**
 * A folder at the caller, whose files are listed first, and then read one by one: a build asks for those alone that it has not kept from an
 * earlier one.
 */
export interface RemoteFolder {
  /** The caller's name of it: `context`. */
  name: string;
  /** Names it among the folders of all callers, with what is left out of it. Without one, nothing of it is kept. */
  key?: string;
  /** Lists the files. They can be read until the signal aborts or the folder is disposed of. */
  open(signal: AbortSignal): Promise<OpenFolder>;
}

/** A folder whose files are listed. */
export interface OpenFolder extends AsyncDisposable {
  /** A folder comes before what is in it, and a file before further names of it. */
  readonly files: readonly ListedFile[];
  /**
   * Reads files, by their numbers in the list, one behind the other. The pieces of a file have the bytes that were listed, or it fails; nothing comes
   * of what is empty or no file.
   */
  read(numbers: readonly number[]): AsyncIterable<{ number: number; bytes: Uint8Array }>;
}

/** The facts about one file of a folder. */
export interface ListedFile {
  /** Below the folder, with slashes. */
  path: string;
  kind: "file" | "folder" | "symlink" | "hardlink" | "other";
  /** The target of a link, as it is written; of a further name the file's path. */
  link: string;
  /** Permissions, with set-ID and sticky bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Bytes of a file. */
  size: number;
  /** The extended attributes that a copy keeps, where it has some. */
  attributes?: Attributes;
  /** The time of its last change in nanoseconds since the epoch, as near as a number has it. */
  time: number;
}
