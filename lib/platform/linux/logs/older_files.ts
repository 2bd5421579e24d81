/**
 * Logs that begin a new file at a greatest size, of which `older_logs.pl` misses none. The folder `older/ID` beside the link
 * `ID.log` holds the files, each by its number, `.gz` behind it once it is compressed; the greatest number is the file that is
 * written to.
 *
 * @module
 */
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { LogPlace, LogReadOptions } from "../../../engine/ports/host_port.ts";
import type { OlderLogs } from "../../../engine/records/container_record.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { type LogFiles, openExisting, readFollowing, readLogFile } from "./log_file.ts";
import { findLogPlace, openOwn } from "./log_place.ts";
import { unpackFile } from "./packed_file.ts";

/** The folder of the files, in the folder of the logs. */
export const OLDER_FOLDER = "older";

/** Names of files; anything else in the folder is the helper's. */
const NUMBERED = /^([1-9]\d*)(\.gz)?$/;
/** The settings of a log whose files were named by an earlier version: 1 was the youngest. */
const EARLIER = "files";
/** The numbers of an earlier version were smaller than this. */
const EARLIER_NUMBERS = 1000;
/** A log of an earlier version gets this number, and its older files the numbers before: none of them is one of that version's. */
const FIRST_AFTER_EARLIER = 10_000;

/**
 * Prepares a log for its supervisor and returns the path for that to write to, at which it goes on in the log's last file.
 * {@linkcode LogKeeper.arm} comes after the supervisor has opened it.
 */
export async function prepareOlder(path: string, { files, gzip }: OlderLogs): Promise<string> {
  const folder = folderOf(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "settings"), gzip ? `${files} gzip\n` : `${files}\n`);
  const last = (await numbersIn(folder)).at(-1) ?? await takeOver(path, folder);
  await linkAnew(join(folder, String(last)), join(folder, "next"));
  const name = join(folder, "log");
  // Both are one link: a rename between two names of one file does nothing.
  for (const old of [name, `${name}.tmp`]) await rm(old, { force: true });
  await symlink("next", name);
  await link(name, `${name}.tmp`);
  return name;
}

/** Deletes the files of a log. None is no error. */
export async function deleteOlder(path: string): Promise<void> {
  await rm(folderOf(path), { recursive: true, force: true });
}

/**
 * Returns the log's bytes from its oldest file on, or from a place. One that is followed goes on through all files, those that
 * are older than the log may have included as long as they are there.
 */
export function readOlder(path: string, options: LogReadOptions): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      reader ??= (await openOlder(path, options)).getReader();
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader?.cancel(),
  }, { highWaterMark: 0 });
}

async function openOlder(path: string, options: LogReadOptions): Promise<ReadableStream<Uint8Array>> {
  const folder = folderOf(path);
  const numbers = await numbersIn(folder);
  if (numbers.length === 0) return readLogFile(path, options);
  const { from } = options;
  const isPlaced = from !== undefined && from.file !== "";
  const number = isPlaced ? Number(from.file) : oldestOf(numbers, await greatestCount(folder));
  if (!numbers.includes(number)) throw fileGone();
  return readFollowing(new NumberedFiles(folder, number, isPlaced ? from.offset : 0), options);
}

/** A log that is read from a place on, and how far the reader has come. */
export interface PlacedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** The number of the file that the last chunk was from. */
  readonly number: number;
  /** The place of the first chunk in its file, in bytes. */
  readonly offset: number;
}

/**
 * Reads a log from a place on, or from the oldest file that is there where the place's is not; `undefined` where the log has no
 * files of its own.
 */
export async function readOlderFrom(
  path: string,
  place: { number: number; offset: number } | undefined,
  options: Omit<LogReadOptions, "from">,
): Promise<PlacedStream | undefined> {
  const folder = folderOf(path);
  const numbers = await numbersIn(folder);
  if (numbers.length === 0) return undefined;
  const isThere = place !== undefined && numbers.includes(place.number);
  const [number, offset] = isThere ? [place.number, place.offset] : [numbers[0], 0];
  const files = new NumberedFiles(folder, number, offset);
  const stream = readFollowing(files, { ...options, from: { offset, file: String(number) } });
  return {
    stream,
    offset,
    get number() {
      return files.number;
    },
  };
}

/** The path of what is kept beside a log's files, by its name. */
export function besideOlder(path: string, name: string): string {
  return join(folderOf(path), name);
}

/** The files of a log by their numbers. */
class NumberedFiles implements LogFiles {
  readonly #folder: string;
  #number: number;
  #next: number | undefined;
  /** The reader's beginning in the present file, in bytes that are not compressed. */
  #offset: number;

  constructor(folder: string, number: number, offset: number) {
    this.#folder = folder;
    this.#number = number;
    this.#offset = offset;
  }

  /** The present file's number. */
  get number(): number {
    return this.#number;
  }

  get path(): string {
    return join(this.#folder, String(this.#number));
  }

  async open(): Promise<FileHandle | undefined> {
    return await openExisting(this.path, openOwn);
  }

  async isOver(): Promise<boolean> {
    this.#next = await this.#findNext();
    return this.#next !== undefined;
  }

  advance(): void {
    this.#number = this.#next ?? this.#number + 1;
    this.#offset = 0;
  }

  async unpack(): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = await openExisting(`${this.path}.gz`, openOwn);
    this.#next = await this.#findNext();
    if (file === undefined) {
      // The reader was so late that its file is deleted: it goes on with the first that is there.
      return this.#next === undefined ? undefined : ReadableStream.from([]);
    }
    return unpackFile(file, this.#offset);
  }

  async #findNext(): Promise<number | undefined> {
    return (await numbersIn(this.#folder)).find((number) => number > this.#number);
  }
}

/** Returns the place at which the last records begin: in the last file, or else the beginning of the oldest. */
export async function olderPlace(path: string, records: number): Promise<LogPlace> {
  const folder = folderOf(path);
  const numbers = await numbersIn(folder);
  const last = numbers.at(-1);
  if (last === undefined) return await findLogPlace(path, records);
  const place = await findLogPlace(join(folder, String(last)), records);
  const oldest = oldestOf(numbers, await greatestCount(folder));
  return place.offset > 0 || records <= 0 || oldest === last
    ? { ...place, file: String(last) }
    : { offset: 0, file: String(oldest) };
}

/** Gives a log that has no numbered files its first, and returns its number. */
async function takeOver(path: string, folder: string): Promise<number> {
  const first = await readEarlier(folder);
  const file = join(folder, String(first));
  const isLink = await readlink(path).then(() => true, () => false);
  if (isLink) await rm(path);
  else await rename(path, file).catch(ignoreMissing);
  await (await open(file, "a", 0o640)).close();
  await symlink(join(OLDER_FOLDER, basename(folder), String(first)), path);
  // Last: a server that comes to its end before this begins again.
  for (const name of ["0", EARLIER]) await rm(join(folder, name), { force: true });
  return first;
}

/** Gives the files of a log that an earlier version kept their numbers, and returns the next. May be called again. */
async function readEarlier(folder: string): Promise<number> {
  const names = await readdir(folder);
  if (!names.includes(EARLIER)) return 1;
  for (const name of names) {
    const [, number, end = ""] = NUMBERED.exec(name) ?? [];
    const place = number !== undefined && Number(number) < EARLIER_NUMBERS;
    if (place) await rename(join(folder, name), join(folder, `${FIRST_AFTER_EARLIER - Number(number)}${end}`));
  }
  return FIRST_AFTER_EARLIER;
}

async function linkAnew(from: string, to: string): Promise<void> {
  await rm(`${to}.new`, { force: true });
  await link(from, `${to}.new`);
  await rename(`${to}.new`, to);
  // A rename between two names of one file leaves both.
  await rm(`${to}.new`, { force: true });
}

/** The numbers of a log's files, smallest first. */
async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(ignoreMissing) ?? [];
  if (names.includes(EARLIER)) return [];
  const numbers = names.flatMap((name) => Number(NUMBERED.exec(name)?.[1] ?? NaN) || []);
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** The oldest file that still belongs to the log; those before it are there for late readers only. */
function oldestOf(numbers: number[], count: number): number {
  const last = numbers.at(-1)!;
  return numbers.find((number) => number > last - count) ?? last;
}

async function greatestCount(folder: string): Promise<number> {
  const settings = await readFile(join(folder, "settings"), "utf8").catch(() => "1");
  return Math.max(1, Number(settings.split(/\s/, 1)[0]) || 1);
}

function ignoreMissing(error: unknown): void {
  if (!hasSystemCode(error, "ENOENT")) throw error;
}

function folderOf(path: string): string {
  return join(dirname(path), OLDER_FOLDER, basename(path, ".log"));
}

function fileGone(): EngineError {
  return new EngineError("state", "Read log: its files were replaced");
}
