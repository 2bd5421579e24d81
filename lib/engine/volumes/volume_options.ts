/** The options of the `local` volume driver. */
import { EngineError, invalid } from "../errors.ts";
import type { TreeLimit } from "../records/limits.ts";
import type { VolumeDevice } from "../records/volume_record.ts";
import { parseByteSize } from "../text/byte_size.ts";

/** The meaning of a volume's options. */
export interface LocalOptions {
  /** As inspection shows them. */
  shown: Record<string, string>;
  device?: VolumeDevice;
  uid?: number;
  gid?: number;
  /** Needs a file system that can limit a folder. */
  limit?: TreeLimit;
}

const KEYS = new Set(["type", "device", "o", "uid", "gid", "size", "inodes", "noquota", "copy", "nocopy"]);
/** Entries of `o` that are the driver's own; those with a name are shown under it too. */
const OWN_ENTRIES: Record<string, string | undefined> = {
  uid: "UID",
  gid: "GID",
  size: "SIZE",
  inodes: "INODES",
  noquota: "NOQUOTA",
  timeout: undefined,
};
/** The longest text that mount(2) takes for a device or for options: one page, its end marker included. */
const LONGEST = 4095;

/**
 * Reads the options of a volume: `type`, `device` and `o`, as mount(8) takes them, with `uid=` and `gid=` among the entries of
 * `o` for the owner of a folder, and `size=` and `inodes=` for its limits. Throws `invalid`, in Podman's words where it has
 * some.
 *
 * A size in `o` counts in thousands, as Podman reads it; the option `size`, which only Docker gives a meaning, counts in 1024.
 *
 * Source: `VolumeOptions` of Podman's `pkg/domain/infra/abi/parse`, and `libpod/runtime_volume_common.go`; `setOpts` of Moby's
 * `daemon/volume/local`.
 */
export function readVolumeOptions(options: Readonly<Record<string, string>>): LocalOptions {
  for (const [key, value] of Object.entries(options)) {
    if (!KEYS.has(key.toLowerCase())) {
      const sentinel = "invalid argument";
      throw new EngineError("invalid", `invalid mount option ${key} for driver 'local': ${sentinel}`, { sentinel });
    }
    if (value.length > LONGEST || value.includes("\0")) {
      throw invalid(`volume option ${key} is too long, or has a NUL byte`);
    }
  }
  const { shown, entries, own } = readEntries(options);
  const { type = "", device = "" } = options;
  const isMounted = type !== "" || device !== "";
  const foreign = entries.filter((entry) => !isOwn(entry));
  if (!isMounted && foreign.length > 0) {
    throw invalid(`volume options "o=${foreign.join(",")}" need a "type" or a "device" to be mounted with`);
  }
  const isTmpfs = type === "tmpfs";
  // Inspection shows a tmpfs's size as an option too; Docker's clients have it as an option alone.
  const limits = Object.keys(options).filter((key) => /^(?:size|inodes)$/i.test(key) && options[key] !== "");
  const bare = limits.find((key) => isTmpfs && own[key.toLowerCase()] === undefined);
  if (bare !== undefined) throw invalid(`volume option ${bare} of a tmpfs is none of its own: give it in "o"`);
  const isLimited = own.size !== undefined || own.inodes !== undefined || limits.length > 0;
  if (isLimited && own.noquota !== undefined) {
    throw invalid("volume options size and inodes cannot be used without quota");
  }
  if (isTmpfs && own.inodes !== undefined) throw invalid("volume option inodes not supported on tmpfs filesystem");
  if (isLimited && isMounted && !isTmpfs) {
    throw new EngineError("unsupported", "volume options size and inodes are not supported: a device has its own size");
  }
  const limit = isTmpfs ? undefined : readLimit(options, own);
  return {
    shown,
    ...isMounted && { device: { type, source: device || type, options: entries.filter(isForMount).join(",") } },
    ...own.uid !== undefined && { uid: ownerID("UID", own.uid) },
    ...own.gid !== undefined && { gid: ownerID("GID", own.gid) },
    ...limit && { limit },
  };
}

/** Reads the options of the driver `image`: the name of an image. Throws `invalid`, in Podman's words. */
export function readImageOption(options: Readonly<Record<string, string>>): string {
  const sentinel = "invalid argument";
  const foreign = Object.keys(options).find((key) => key.toLowerCase() !== "image");
  if (foreign !== undefined) throw invalid(`invalid mount option ${foreign} for driver 'image'`, sentinel);
  const [name = ""] = Object.values(options);
  if (name !== "") return name;
  throw invalid("must provide an image name when creating a volume with the image driver", sentinel);
}

function readEntries(options: Readonly<Record<string, string>>) {
  const shown: Record<string, string> = {};
  const own: Record<string, string> = {};
  const entries: string[] = [];
  for (const [key, value] of Object.entries(options)) {
    if (key !== "o") {
      shown[key] = value;
      continue;
    }
    for (const entry of value.split(",")) {
      const [name, text] = splitEntry(entry);
      if (!isOwn(entry)) {
        entries.push(entry);
        continue;
      }
      own[name] = text ?? "";
      const title = OWN_ENTRIES[name];
      if (title !== undefined) shown[title] = name === "noquota" ? "true" : text ?? "";
      if (name !== "noquota" && name !== "timeout") entries.push(entry);
    }
    const kept = entries.filter((entry) => entry !== "");
    if (kept.length > 0) shown.o = kept.join(",");
  }
  return { shown, own, entries: entries.filter((entry) => entry !== "") };
}

function isOwn(entry: string): boolean {
  return Object.hasOwn(OWN_ENTRIES, splitEntry(entry)[0]);
}

/** The kernel's tmpfs takes an owner and a size of its own. */
function isForMount(entry: string): boolean {
  return !["inodes", "noquota", "timeout"].includes(splitEntry(entry)[0]);
}

function splitEntry(entry: string): [name: string, value: string | undefined] {
  const at = entry.indexOf("=");
  return at < 0 ? [entry.toLowerCase(), undefined] : [entry.slice(0, at).toLowerCase(), entry.slice(at + 1)];
}

/** The limits of a folder; `undefined` without any: 0 is none. */
function readLimit(
  options: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): TreeLimit | undefined {
  const option = (key: string) =>
    Object.entries(options).find(([name]) => name.toLowerCase() === key)?.[1] || undefined;
  const { size: alone, inodes: count = own.inodes } = { size: option("size"), inodes: option("inodes") };
  const size = own.size !== undefined ? parseByteSize(own.size, 1000) : alone && parseByteSize(alone);
  if (count !== undefined && !/^[0-9]{1,15}$/.test(count)) throw invalid(`cannot convert inodes ${count} to integer`);
  const inodes = Number(count ?? 0);
  return size || inodes ? { ...size && { size }, ...inodes && { inodes } } : undefined;
}

function ownerID(title: string, text: string): number {
  if (text === "") throw invalid(`${title.toLowerCase()} option must provide a ${title}`, "invalid argument");
  if (!/^[0-9]{1,10}$/.test(text) || Number(text) > 0xffff_fffe) {
    throw invalid(`cannot convert ${title} ${text} to integer: it is none from 0 to 4294967294`);
  }
  return Number(text);
}
