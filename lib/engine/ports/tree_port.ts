/**
 * The engine's port to the files of containers on a host.
 *
 * @module
 */

import type { IDMaps } from "../records/id_maps.ts";
import type { FileWriter } from "./ports.ts";

/** A path of a container, and what it is to be looked up in. */
export interface TreePath {
  /** The container's tree, where `Layers.mount` has it. */
  root: string;
  /** Absolute. `/` at its end, or `/.`, as the client spelled it. */
  path: string;
  /** The process that sees the container's mounts; without one the mounted tree is all there is. */
  pid?: number;
  /** A folder or file of the host, mounted at a path of the container that has no process: the lookup begins there. */
  mount?: {
    source: string;
    destination: string;
    subPath?: string;
    readOnly: boolean;
    /** Of a bind: the folders of the host that containers may write to, which a link below one of them never leads out of. */
    writtenFolders?: readonly string[];
  };
  /** The container's IDs, where they are not the host's: archives speak of these. */
  idMaps?: IDMaps;
}

/** The facts about a path. */
export interface FileFacts {
  /** As `stat(2)` has it, with the type: that of a link itself. */
  mode: number;
  /** Bytes. */
  size: number;
  /** Nanoseconds since the epoch. */
  modified: bigint;
  /** Whether the path leads to a folder. */
  isFolder: boolean;
  /** The target of a symbolic link, in the container; absent for everything else. */
  target?: string;
  /** False for a symbolic link to nothing. */
  exists: boolean;
}

/** Choices for {@linkcode Trees.read}. */
export interface TreeReadOptions {
  /** The owner of all entries, as `ProcessConfig.user`. */
  owner: string;
  /** Begin names with `./` where a path ends in `/.`, and name the folder so itself. */
  dotted?: boolean;
  /**
   * Read a symbolic link itself, and not the file or folder to which it leads; also one that leads to nothing, which `exists` then. The place
   * of a mount is no link, whatever is mounted there.
   */
  keepLink?: boolean;
  /** Ends the look at the path. */
  signal?: AbortSignal;
}

/** Choices for {@linkcode Trees.write}. */
export interface TreeWriteOptions {
  /** The new owner of all entries, as `ProcessConfig.user`; the archive's own owners where absent. */
  owner?: string;
  /** Never put a folder in place of something else, nor the other way round. */
  keepKinds?: boolean;
  /** Throw `no_such_file` where the folder is missing, instead of making it. */
  mustExist?: boolean;
  /** The files that {@linkcode StoredEntries} name; other entries name none. */
  files?: readonly string[];
  signal?: AbortSignal;
}

/** Entries of files whose contents lie in files of this machine; see `STORED_LETTER` of `lib/oci/tar/entry_frame.ts`. */
export interface StoredEntries {
  entries: ReadableStream<Uint8Array>;
  /** Paths of the files, which entries name by their numbers. Nothing changes them meanwhile. */
  files: readonly string[];
}

/** One difference between a tree and what is below it. */
export interface TreeChange {
  path: string;
  kind: "modified" | "added" | "deleted";
}

/** Times of files in an archive, in place of their own. */
export interface FileTimes {
  /** Since the epoch. */
  seconds: number;
  /** All files get them, or those that are later. */
  only: "all" | "later";
}

/** Choices for {@linkcode Trees.export}. */
export interface ExportOptions {
  idMaps?: IDMaps;
  /** Places where something was mounted, or the engine made an empty file: what was made for that alone is left out. */
  mounted?: {
    paths: readonly string[];
    /** The layers below, from base to top. */
    diffIDs: readonly string[];
  };
}

/** Choices for {@linkcode Trees.changeset}. */
export interface ChangesetOptions extends ExportOptions {
  times?: FileTimes;
}

/** Choices for {@linkcode Trees.finalChangeset}. */
export interface FinalChangesetOptions extends Pick<ExportOptions, "mounted"> {
  /** The entries that a layer may have. */
  entries: number;
}

/** The changeset of a writable layer that has no further use. */
export interface FinalChangeset {
  /** A plain tar, its entries in a fixed order. */
  tar: ReadableStream<Uint8Array>;
  /** Writes the tar into a file of this machine, in place of its reading. */
  writeTo: FileWriter;
  /** Whether the writable layer is now what the tar would be unpacked; asked when that has been read or written to its end. */
  isExact(): Promise<boolean>;
}

/** A mounted tree, or the one that layers make; `diffIDs` go from base to top. */
export type TreeName = { root: string } | { diffIDs: readonly string[] };

/**
 * Files in the trees of containers. Paths are resolved inside the tree, links included, also while the container changes it.
 * `EngineError("no_such_file")` where nothing is.
 */
export interface Trees {
  /** Returns what is at the path. The signal ends the work: a container can serve its own files, and never answer. */
  stat(path: TreePath, signal?: AbortSignal): Promise<FileFacts>;
  /** Reads the path as a tar archive. Cancelling it ends the work. */
  read(path: TreePath, options: TreeReadOptions): Promise<{ facts: FileFacts; archive: ReadableStream<Uint8Array> }>;
  /** Makes entries (see `lib/oci/tar/archive_entries.ts`) below a path, which is made where it is missing. */
  write(path: TreePath, entries: ReadableStream<Uint8Array>, options: TreeWriteOptions): Promise<void>;
  /** A mounted tree as a tar archive, without what is mounted inside it. */
  export(root: string, options?: ExportOptions): ReadableStream<Uint8Array>;
  /** The parts of a mounted tree that paths lead to, with all below them, the links on the way to them and the folders above, as a tar archive. */
  pick(root: string, paths: readonly string[]): ReadableStream<Uint8Array>;
  /** The container's writable layer as an OCI changeset, a plain tar, its entries in a fixed order. */
  changeset(containerID: string, options?: ChangesetOptions): ReadableStream<Uint8Array>;
  /**
   * The same of a container without ID mappings that nothing will use again: what a changeset leaves out is deleted from the
   * writable layer, so that it can be adopted as an image's.
   */
  finalChangeset(containerID: string, options: FinalChangesetOptions): FinalChangeset;
  /**
   * Lists the changes of the top one (a container's writable layer, or an unpacked layer) to those below it, some at a time, as
   * their number has no bound. `diffIDs` go from base to top.
   */
  changes(top: { containerID: string } | { diffID: string }, diffIDs: readonly string[]): AsyncIterable<TreeChange[]>;
  /** How one tree differs from another: mounted ones of containers, or stacks of layers. */
  differences(from: TreeName, to: TreeName): AsyncIterable<TreeChange[]>;
  /** Whether the container's tree is mounted. */
  isMounted(containerID: string): Promise<boolean>;
}
