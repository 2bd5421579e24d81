/**
 * One layer entry after the other: checked against what came before, and written for overlay.
 *
 * @module
 */
import { decodeLatin1, fromLatin1 } from "../bytes/bytes.ts";
import { ATTRIBUTE_KEY, checkAttribute } from "./attributes.ts";
import { LayerError } from "./layer_error.ts";
import type { LayerLimits } from "./layer_limits.ts";
import { type FolderFacts, layerPath, LayerTree, showPath } from "./layer_tree.ts";
import { type PAXRecord, paxRecord } from "./pax.ts";
import { type TarHeader, writeHeader } from "./tar_header.ts";

/**
 * Takes an entry's header with its PAX records. `long` says which names GNU blocks gave: they win over PAX.
 *
 * @returns how many bytes of content follow in the input, and whether they belong into the output.
 */
export type EntryRewriter = (
  header: TarHeader,
  records: readonly PAXRecord[],
  long: { name: boolean; link: boolean },
) => { size: number; keep: boolean };

const OPAQUE = paxRecord(`${ATTRIBUTE_KEY}trusted.overlay.opaque`, Uint8Array.of(0x79));
/** The same for an overlay that is mounted in a user namespace with `userxattr`, where nobody may set the attributes of root. */
const USERS_OPAQUE = paxRecord(`${ATTRIBUTE_KEY}user.overlay.opaque`, Uint8Array.of(0x79));
const ID_LIMIT = 2 ** 32 - 2;
const EMPTY = new Uint8Array(0);
const NOTHING = { size: 0, keep: false };

/**
 * A rewriter for one layer. Throws {@linkcode LayerError}.
 *
 * @param isUsers Whether the overlay is mounted with `userxattr`
 */
export function layerRewriter(
  limits: LayerLimits,
  write: (bytes: Uint8Array) => void,
  isUsers = false,
): EntryRewriter {
  const tree = new LayerTree(limits);
  const count = { entries: 0, devices: 0 };

  const folder = (path: string, facts: FolderFacts) => {
    tree.putFolder(path, facts);
    const records = facts.opaque ? [...facts.records, isUsers ? USERS_OPAQUE : OPAQUE] : facts.records;
    const name = fromLatin1(path === "" ? "./" : `${path}/`);
    const { mode, uid, gid, mtime } = facts;
    write(writeHeader({ name, link: EMPTY, flag: "5", mode, uid, gid, mtime, size: 0, major: 0, minor: 0 }, records));
  };
  /** Gives a folder, made or not, the mark that hides what is below it. */
  const makeOpaque = (path: string, mtime: number) => {
    const known = tree.folder(path) ?? { mode: 0o755, uid: 0, gid: 0, mtime, records: [], opaque: false };
    if (!known.opaque) folder(path, { ...known, opaque: true });
  };
  const whiteout = (path: string, mtime: number) => {
    const kind = tree.kind(path);
    // The layer's own entries are not hidden by its whiteouts; a folder of its own hides only what is below.
    if (kind === "folder") return makeOpaque(path, mtime);
    if (kind !== undefined) return;
    tree.put(path, "whiteout");
    write(writeHeader({ ...ROOT_OWNED, name: fromLatin1(path), flag: "3", mtime }));
  };

  return (raw, records, long) => {
    if (++count.entries > limits.entries) throw new LayerError("limit", `more than ${limits.entries} entries`);
    const { header, kept } = applyRecords(raw, records, long);
    checkNumbers(header);
    const name = decodeLatin1(header.name);
    const path = layerPath(name, limits.path);
    const kind = kindOf(header.flag, name);
    const size = kind === "file" ? header.size : 0;
    for (const hidden of tree.enter(path)) makeOpaque(hidden, header.mtime);

    const base = path.slice(path.lastIndexOf("/") + 1);
    if (base.startsWith(".wh.")) {
      const folderPath = path.slice(0, Math.max(0, path.length - base.length - 1));
      const hides = base.slice(".wh.".length);
      if (base === ".wh..wh..opq") makeOpaque(folderPath, header.mtime);
      else if (hides === "" || hides === "." || hides === "..") {
        throw new LayerError("unsafe", `"${showPath(path)}" hides a folder's own name`);
      } // Other .wh..wh. names are aufs' own bookkeeping.
      else if (!hides.startsWith(".wh.")) whiteout(folderPath === "" ? hides : `${folderPath}/${hides}`, header.mtime);
      return { size, keep: false };
    }
    if (kind === "folder") {
      const opaque = tree.kind(path) === "whiteout" || tree.folder(path)?.opaque === true;
      const { mode, uid, gid, mtime } = header;
      folder(path, { mode, uid, gid, mtime, records: kept, opaque });
      return NOTHING;
    }
    if (kind === "device" && ++count.devices > limits.devices) {
      throw new LayerError("limit", `more than ${limits.devices} device nodes`);
    }
    const link = linkOf(kind, header, tree, limits);
    tree.put(path, kind === "symlink" ? "symlink" : "file");
    const flag = kind === "file" ? "0" : header.flag;
    write(writeHeader({ ...header, name: fromLatin1(path), link, flag, size }, kind === "hardlink" ? [] : kept));
    return { size, keep: true };
  };
}

const ROOT_OWNED = { link: EMPTY, mode: 0, uid: 0, gid: 0, size: 0, major: 0, minor: 0 };

/** The kinds of entries. */
export type EntryKind = "file" | "hardlink" | "symlink" | "device" | "folder" | "fifo";

/** Returns the kind of an entry; throws for types that are neither files nor folders nor links nor devices. */
export function kindOf(flag: string, name: string): EntryKind {
  switch (flag) {
    case "\0":
      // Before POSIX a final slash made the folder.
      return name.endsWith("/") ? "folder" : "file";
    case "0":
    case "7":
      return "file";
    case "1":
      return "hardlink";
    case "2":
      return "symlink";
    case "3":
    case "4":
      return "device";
    case "5":
      return "folder";
    case "6":
      return "fifo";
  }
  throw new LayerError("unsupported", `"${showPath(name)}" is an entry of type "${showPath(flag)}"`);
}

function linkOf(kind: EntryKind, { link, name }: TarHeader, tree: LayerTree, limits: LayerLimits): Uint8Array {
  if (kind !== "hardlink" && kind !== "symlink") return EMPTY;
  if (link.length === 0 || link.length > limits.path) {
    throw new LayerError("corrupt", `"${showPath(decodeLatin1(name))}" is a link to nowhere`);
  }
  if (link.includes(0)) throw new LayerError("corrupt", "a link holds a zero byte");
  // A symbolic link's target is content: nothing follows it while the layer is unpacked.
  if (kind === "symlink") return link;
  // Some builders write the target from the image's root; it is meant, and looked up, inside the layer.
  const target = layerPath(decodeLatin1(link).replace(/^\/+/, ""), limits.path);
  const linked = tree.kind(target);
  if (linked !== "file" && linked !== "symlink") {
    throw new LayerError(
      "unsafe",
      `"${showPath(decodeLatin1(name))}" is a link out of the layer, to "${showPath(target)}"`,
    );
  }
  return fromLatin1(target);
}

/** Refuses owners and device numbers that no kernel takes. */
export function checkNumbers({ uid, gid, major, minor }: TarHeader): void {
  if (uid > ID_LIMIT || gid > ID_LIMIT) throw new LayerError("corrupt", "an owner is out of range");
  if (major >= 2 ** 12 || minor >= 2 ** 20) throw new LayerError("corrupt", "a device number is out of range");
}

/** The header with what its records override, and the records that the output keeps. */
export function applyRecords(
  header: TarHeader,
  records: readonly PAXRecord[],
  long: { name: boolean; link: boolean },
): { header: TarHeader; kept: Uint8Array[] } {
  if (records.length === 0) return { header, kept: [] };
  const changed = { ...header };
  const kept = new Map<string, Uint8Array>();
  for (const { key, value, raw } of records) {
    if (key.startsWith(ATTRIBUTE_KEY)) keepAttribute(kept, key, value, raw);
    else if (key.startsWith("GNU.sparse.")) throw new LayerError("unsupported", "sparse files are not supported");
    else if (value.length === 0) kept.delete(key);
    else if (key === "path" && !long.name) changed.name = value;
    else if (key === "linkpath" && !long.link) changed.link = value;
    else if (key === "size") changed.size = parseInteger(value, Number.MAX_SAFE_INTEGER);
    else if (key === "uid") changed.uid = parseInteger(value, ID_LIMIT);
    else if (key === "gid") changed.gid = parseInteger(value, ID_LIMIT);
    else if (key === "mtime") {
      changed.mtime = parseSeconds(value);
      kept.set(key, raw.slice());
    }
  }
  return { header: changed, kept: [...kept.values()] };
}

function keepAttribute(kept: Map<string, Uint8Array>, key: string, value: Uint8Array, raw: Uint8Array): void {
  const name = key.slice(ATTRIBUTE_KEY.length);
  if (name.startsWith("trusted.overlay.") || name.startsWith("user.overlay.")) return;
  checkAttribute(name, value.length);
  // A copy, since a folder's records are remembered and the whole extended header need not be.
  kept.set(key, raw.slice());
}

function parseInteger(value: Uint8Array, most: number): number {
  const text = decodeLatin1(value);
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || number > most) throw new LayerError("corrupt", "an extended header's number is wrong");
  return number;
}

function parseSeconds(value: Uint8Array): number {
  const text = decodeLatin1(value);
  if (!/^-?[0-9]{1,15}(?:\.[0-9]{0,18})?$/.test(text)) {
    throw new LayerError("corrupt", "an extended header's time is wrong");
  }
  return Math.floor(Number(text));
}
