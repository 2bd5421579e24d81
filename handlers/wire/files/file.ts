/**
 * The requests and answers of the operations on containers' files.
 *
 * @module
 */
import { looseFlag, optionalFlag } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

/** The largest archive that is taken, in bytes: 4 TiB. It is never held whole. */
export const ARCHIVE_LIMIT = 2 ** 42;

const optionalLooseFlag = looseFlag.optional();

/** `define.FileInfo`, which the header `X-Docker-Container-Path-Stat` carries. */
export const FileInfo = z.object({
  name: z.string(),
  size: z.number(),
  /** Go's `os.FileMode`. */
  mode: z.number(),
  mtime: time,
  isDir: z.boolean(),
  linkTarget: z.string(),
});
export type FileInfo = z.output<typeof FileInfo>;

/** `archive.Change`. */
export const Change = z.object({
  Path: z.string(),
  /** 0 modified, 1 added, 2 deleted. */
  Kind: z.number(),
});
export type Change = z.output<typeof Change>;

/** The query of `ContainerArchive` and `ContainerArchiveHead`, in both trees. */
export const ArchiveQuery = z.object({ path: z.string().optional() });

/** The query of `PutContainerArchive`. */
export const PutArchiveQuery = z.object({
  path: z.string().optional(),
  copyUIDGID: optionalFlag,
  noOverwriteDirNonDir: optionalFlag,
  rename: z.string().optional(),
  /** Documented, and without effect: nothing is frozen for a copy. */
  pause: optionalFlag,
});
export type PutArchiveQuery = z.output<typeof PutArchiveQuery>;

/** The query of `CompatPutContainerArchive`. */
export const CompatPutArchiveQuery = z.object({
  path: z.string().optional(),
  copyUIDGID: optionalLooseFlag,
  noOverwriteDirNonDir: optionalLooseFlag,
  rename: z.string().optional(),
});

/** The query of `ContainerChanges`, in both trees. */
export const ChangesQuery = z.object({ parent: z.string().optional(), diffType: z.string().optional() });
export type ChangesQuery = z.output<typeof ChangesQuery>;

/** The query of `MountContainer`. */
export const MountQuery = z.object({ external: optionalFlag });
