import { namesItself, type PathFacts, type ReadOptions } from "../../lib/engine/containers/files/archive.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { badParameter } from "../errors.ts";
import type { FileInfo } from "../wire/files/file.ts";
import { RequestError } from "../request_error.ts";

const STAT_HEADER = "X-Docker-Container-Path-Stat";

/** Tells of a path, in a header. */
export async function headArchive(
  engine: Engine,
  name: string,
  path: string | undefined,
  context: Context,
  { keepLink = false }: Pick<ReadOptions, "keepLink"> = {},
): Promise<void> {
  const wanted = requirePath(path);
  const facts = await engine.containers.files.stat(name, wanted, context.signal);
  tellFacts(context, facts);
  const isLink = keepLink && namesItself(wanted) && facts.target !== undefined;
  if (!facts.exists && !isLink) throw noSuchFile(name, wanted);
}

/** Gives what is at a path. */
export async function getArchive(
  engine: Engine,
  name: string,
  path: string | undefined,
  context: Context,
  options?: ReadOptions,
): Promise<ReadableStream<Uint8Array>> {
  const wanted = requirePath(path);
  const { facts, archive } = await engine.containers.files.read(name, wanted, { ...options, signal: context.signal });
  tellFacts(context, facts);
  if (archive === undefined) throw noSuchFile(name, wanted);
  return archive;
}

/** The options of a client for unpacking an archive; `chown` is the tree's own default. */
export interface PutOptions {
  path?: string;
  copyUIDGID?: boolean;
  noOverwriteDirNonDir?: boolean;
  rename?: string;
  /** Make no folder where the path is missing. */
  mustExist?: boolean;
}

/** Unpacks an archive at a path. */
export async function putArchive(
  engine: Engine,
  name: string,
  { path = "", copyUIDGID, noOverwriteDirNonDir, rename, mustExist }: PutOptions,
  archive: ReadableStream<Uint8Array>,
  { signal }: Context,
): Promise<void> {
  await engine.containers.files.write(name, path, archive, {
    chown: copyUIDGID,
    keepKinds: noOverwriteDirNonDir,
    mustExist,
    rename: rename === undefined ? undefined : parseRenames(rename),
    signal,
  });
}

function requirePath(path: string | undefined): string {
  if (path === undefined || path === "") throw new RequestError("malformed", "missing `path` parameter");
  return path;
}

/** The facts go out with the error too: clients follow a link that leads nowhere themselves. */
function tellFacts({ headers }: Context, facts: PathFacts): void {
  const info: FileInfo = {
    name: facts.name,
    size: facts.size,
    mode: goMode(facts.mode),
    mtime: momentOf(facts.modified),
    isDir: facts.isFolder,
    linkTarget: facts.linkTarget,
  };
  headers.set(STAT_HEADER, encodeFacts(info));
}

function noSuchFile(container: string, path: string): EngineError {
  // Clients match on this sentence.
  const sentinel = "no such file or directory";
  return new EngineError("no_such_file", `"${path}" in container ${container}: ${sentinel}`, { sentinel });
}

/**
 * Base64 of the JSON. Docker's client reads the alphabet of RFC 4648 section 4, Podman's that of section 5: what would be
 * spelled differently in the two is escaped in the JSON, so that it is both.
 */
function encodeFacts(info: FileInfo): string {
  const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return btoa(JSON.stringify(info).replace(/[^ -}]|[>?]/g, escape));
}

const TYPES = new Map([
  [0o040000, 2 ** 31],
  [0o120000, 2 ** 27],
  [0o060000, 2 ** 26],
  [0o010000, 2 ** 25],
  [0o140000, 2 ** 24],
  [0o020000, 2 ** 26 + 2 ** 21],
]);

/** `st_mode` as Go's `os.FileMode`. */
function goMode(mode: number): number {
  const special = (mode & 0o4000 ? 2 ** 23 : 0) + (mode & 0o2000 ? 2 ** 22 : 0) + (mode & 0o1000 ? 2 ** 20 : 0);
  return (mode & 0o777) + special + (TYPES.get(mode & 0o170000) ?? 0);
}

/** The last second Go writes, of the year 9999. */
const LAST_SECOND = 253_402_300_799n;

/** Nanoseconds since the epoch as RFC 3339; times before it, which few file systems keep, as the epoch. */
function momentOf(nanoseconds: bigint): string {
  const second = 1_000_000_000n;
  const bounded = nanoseconds < 0n ? 0n : nanoseconds > LAST_SECOND * second ? LAST_SECOND * second : nanoseconds;
  const fraction = bounded % second;
  const text = new Date(Number(bounded / second) * 1000).toISOString();
  return `${text.slice(0, 19)}${fraction ? `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}` : ""}Z`;
}

function parseRenames(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {};
    const isMap = typeof value === "object" && !Array.isArray(value);
    if (isMap && Object.values(value).every((name) => typeof name === "string")) return value as Record<string, string>;
    throw new TypeError("it is no map of texts");
  } catch (error) {
    throw badParameter("rename", text, error);
  }
}
