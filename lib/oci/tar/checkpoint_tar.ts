/**
 * Checks the archives that checkpoints travel in, as streams: every header is read, checked and written anew, so that what
 * unpacks the result cannot understand it otherwise than it was checked.
 *
 * @module
 */
import { decodeLatin1, fromLatin1 } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";
import { LAYER_LIMITS, type LayerLimits } from "./layer_limits.ts";
import { applyRecords, checkNumbers, type EntryRewriter, kindOf } from "./layer_rewriter.ts";
import { rewriteTar } from "./layer_tar.ts";
import { layerPath, showPath } from "./layer_tree.ts";
import { writeHeader } from "./tar_header.ts";

/** CRIU makes some tens of images for each process. */
const MOST_FILES = 100_000;
/** `checkpoint/NAME`, `volumes/NAME.tar`: nothing lies deeper. */
const DEPTH = 4;
/** The one link in a checkpoint: from images to those they build upon. */
const PARENT = { path: "checkpoint/parent", link: "../pre-checkpoint" };
const EMPTY = new Uint8Array(0);

/**
 * A plain tar in, one of files and folders out, for their owner alone. The stream fails with {@linkcode LayerError} for links,
 * devices and pipes, for names that lead out or deep, for more files or bytes than a checkpoint has.
 */
export function checkpointTar(limits: Partial<LayerLimits> = {}): ReadableWritablePair<Uint8Array, Uint8Array> {
  return rewriteTar({ entries: MOST_FILES, ...limits }, (bounds, write): EntryRewriter => {
    let entries = 0;
    return (raw, records, long) => {
      if (++entries > bounds.entries) {
        throw new LayerError("limit", `more than ${bounds.entries} entries`, "Read archive");
      }
      const { header } = applyRecords(raw, records, long);
      const name = decodeLatin1(header.name);
      const path = layerPath(name, bounds.path);
      if (path.split("/").length > DEPTH) {
        throw new LayerError("limit", `"${showPath(path)}" is more than ${DEPTH} folders deep`, "Read archive");
      }
      const plain = { name: fromLatin1(path), link: EMPTY, uid: 0, gid: 0, mtime: 0, major: 0, minor: 0 };
      switch (kindOf(header.flag, name)) {
        case "folder":
          write(writeHeader({ ...plain, name: fromLatin1(`${path || "."}/`), flag: "5", mode: 0o700, size: 0 }));
          return { size: 0, keep: false };
        case "file":
          write(writeHeader({ ...plain, flag: "0", mode: 0o600, size: header.size }));
          return { size: header.size, keep: true };
        case "symlink":
          if (path !== PARENT.path || decodeLatin1(header.link) !== PARENT.link) break;
          write(writeHeader({ ...plain, flag: "2", link: header.link, mode: 0o777, size: 0 }));
          return { size: 0, keep: false };
      }
      throw new LayerError("unsafe", `"${showPath(path)}" is not a plain file`, "Read archive");
    };
  });
}

/**
 * A plain tar of a volume in, one without device nodes and of names below it out. Links come as they are: what unpacks them
 * must not follow them. The stream fails with {@linkcode LayerError}.
 */
export function volumeTar(limits: Partial<LayerLimits> = {}): ReadableWritablePair<Uint8Array, Uint8Array> {
  return rewriteTar({ entries: LAYER_LIMITS.entries, ...limits }, (bounds, write): EntryRewriter => {
    let entries = 0;
    return (raw, records, long) => {
      if (++entries > bounds.entries) {
        throw new LayerError("limit", `more than ${bounds.entries} entries`, "Read archive");
      }
      const { header, kept } = applyRecords(raw, records, long);
      checkNumbers(header);
      const name = decodeLatin1(header.name);
      const path = layerPath(name, bounds.path);
      const kind = kindOf(header.flag, name);
      if (kind === "device") throw new LayerError("unsafe", `"${showPath(path)}" is a device`, "Read archive");
      // A hard link to what is not there is refused by what unpacks it, which has the volume's folder for its root.
      const link = kind === "hardlink" ? fromLatin1(layerPath(decodeLatin1(header.link), bounds.path)) : header.link;
      const size = kind === "file" ? header.size : 0;
      const full = kind === "folder" ? `${path || "."}/` : path;
      write(writeHeader({ ...header, name: fromLatin1(full), link, size }, kept));
      return { size, keep: kind === "file" };
    };
  });
}
