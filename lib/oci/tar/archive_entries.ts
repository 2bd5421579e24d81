/**
 * An archive's entries, checked and spelled out for whoever makes them in a tree that is in use, as a stream of frames; see
 * {@linkcode entryFrame}.
 *
 * Names lose what leads out: an absolute path begins at the target, and `..` stops there. A file's content follows its frame, filled up to
 * whole blocks of 512 bytes.
 *
 * @module
 */
import { concatBytes, decodeLatin1 } from "../bytes/bytes.ts";
import { cleanPath } from "../clean_path.ts";
import { ATTRIBUTE_KEY } from "./attributes.ts";
import { ENTRY_LETTERS, entryFrame } from "./entry_frame.ts";
import { LayerError } from "./layer_error.ts";
import type { LayerLimits } from "./layer_limits.ts";
import { applyRecords, checkNumbers, type EntryKind, type EntryRewriter, kindOf } from "./layer_rewriter.ts";
import { rewriteTar } from "./layer_tar.ts";
import { parsePAX } from "./pax.ts";

/** Choices for {@linkcode archiveEntries}. */
export interface ArchiveOptions extends Partial<LayerLimits> {
  /** New names of paths, or of the folders they begin with, by their names in the archive. */
  rename?: Record<string, string>;
}

const COMPONENT_LIMIT = 255;

/** A plain tar in, entries out. The stream fails with `LayerError`. */
export function archiveEntries(options: ArchiveOptions = {}): ReadableWritablePair<Uint8Array, Uint8Array> {
  const { rename = {}, ...limits } = options;
  const renames = new Map(Object.entries(rename).map(([from, to]) => [bytesOf(from), bytesOf(to)]));
  return rewriteTar(limits, (bounds, write) => entryWriter(bounds, renames, write));
}

function entryWriter(
  limits: LayerLimits,
  renames: ReadonlyMap<string, string>,
  write: (bytes: Uint8Array) => void,
): EntryRewriter {
  const count = { entries: 0, devices: 0 };
  return (raw, records, long) => {
    if (++count.entries > limits.entries) throw new LayerError("limit", `more than ${limits.entries} entries`);
    const { header, kept } = applyRecords(raw, records, long);
    checkNumbers(header);
    const name = decodeLatin1(header.name);
    const kind = kindOf(header.flag, name);
    if (kind === "device" && ++count.devices > limits.devices) {
      throw new LayerError("limit", `more than ${limits.devices} device nodes`);
    }
    const size = kind === "file" ? header.size : 0;
    if (name === "") return { size, keep: false };
    const path = confinePath(renamePath(name, renames), limits);
    if (path === "" && kind !== "folder") throw new LayerError("corrupt", "an entry has the name of its own folder");
    const { attributes, nanos } = readExtended(kept);
    const link = linkOf(kind, header.link, renames, limits);
    const { mode, uid, gid, mtime, major, minor } = header;
    const letter = header.flag === "4" ? "b" : ENTRY_LETTERS[kind];
    write(entryFrame({ letter, path, link, mode, uid, gid, mtime, nanos, major, minor, size, attributes }));
    return { size, keep: true };
  };
}

/** The path below the target: no `.`, no `..`, no slashes that mean nothing. */
function confinePath(path: string, limits: LayerLimits): string {
  if (path.length > limits.path) throw new LayerError("limit", `a path is longer than ${limits.path} bytes`);
  if (path.includes("\0")) throw new LayerError("corrupt", "a path holds a zero byte");
  const confined = cleanPath(path).slice(1);
  if (confined.split("/").some(({ length }) => length > COMPONENT_LIMIT)) {
    throw new LayerError("limit", `a file name is longer than ${COMPONENT_LIMIT} bytes`);
  }
  return confined;
}

/** The longest beginning of the path that has another name gets it. */
function renamePath(path: string, renames: ReadonlyMap<string, string>): string {
  if (renames.size === 0) return path;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const to = renames.get(path.slice(0, end)) ?? renames.get(`${path.slice(0, end)}/`);
    if (to !== undefined) return `${to}${path.slice(end)}`;
  }
  return path;
}

function linkOf(
  kind: EntryKind,
  link: Uint8Array,
  renames: ReadonlyMap<string, string>,
  limits: LayerLimits,
): string {
  if (kind !== "hardlink" && kind !== "symlink") return "";
  const target = decodeLatin1(link);
  if (target.length === 0 || target.length > limits.path || target.includes("\0")) {
    throw new LayerError("corrupt", "a link leads nowhere");
  }
  // A symbolic link's target is content; a hard link's is a path below the target folder, like every entry's.
  return kind === "symlink" ? target : confinePath(renamePath(target, renames), limits);
}

function readExtended(records: readonly Uint8Array[]): { attributes: string[]; nanos: number } {
  const attributes: string[] = [];
  let nanos = 0;
  for (const { key, value } of parsePAX(concatBytes(records))) {
    if (key.startsWith(ATTRIBUTE_KEY)) attributes.push(key.slice(ATTRIBUTE_KEY.length), decodeLatin1(value));
    else if (key === "mtime") nanos = nanosOf(decodeLatin1(value));
  }
  return { attributes, nanos };
}

/** The fraction above the second that was rounded down to. */
function nanosOf(seconds: string): number {
  const digits = Number((seconds.split(".")[1] ?? "").slice(0, 9).padEnd(9, "0"));
  return seconds.startsWith("-") && digits > 0 ? 1e9 - digits : digits;
}

function bytesOf(text: string): string {
  return decodeLatin1(new TextEncoder().encode(text));
}
