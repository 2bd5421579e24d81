/**
 * Logs whose older files are kept, beside the log that a supervisor writes. `older_logs.pl` gives them their names: the folder
 * `older/ID` beside `ID.log` holds `1` (or `1.gz`), the youngest, `2`, and so on, and `0`, the log's second name.
 *
 * @module
 */
import { constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../engine/errors.ts";
import type { LogPlace, LogReadOptions } from "../../../engine/ports/host_port.ts";
import type { OlderLogs } from "../../../engine/records/container_record.ts";
import { readLogFile } from "./log_file.ts";
import { findLogPlace, openOwn, readAt } from "./log_place.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The folder of older files, in the folder of the logs. */
export const OLDER_FOLDER = "older";

const CHUNK = 256 * 1024;
/** The places that name the beginning of the oldest file have this before the log's own inode. */
const OLDEST = "oldest:";
/** How often the files of a log are looked for while they change their names, and the pause between, in milliseconds. */
const TRIES = 100;
const PAUSE = 5;

/** Prepares a log for its helper, before its supervisor starts. */
export async function prepareOlder(path: string, { files, gzip }: OlderLogs): Promise<void> {
  const folder = folderOf(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "files"), gzip ? `${files} gzip\n` : `${files}\n`);
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  await (await open(path, O_APPEND | O_CREAT | O_WRONLY, 0o640)).close();
  await link(path, join(folder, "0")).catch((error) => {
    if (!hasSystemCode(error, "EEXIST")) throw error;
  });
}

/** Deletes the older files of a log. None is no error. */
export async function deleteOlder(path: string): Promise<void> {
  await rm(folderOf(path), { recursive: true, force: true });
}

/** Returns the log's bytes from its oldest file on, as `readLogFile()` does for one file. */
export function readOlder(path: string, options: LogReadOptions): ReadableStream<Uint8Array> {
  const { from } = options;
  const isWithin = from !== undefined && from.file !== "" && !from.file.startsWith(OLDEST);
  if (isWithin) return readLogFile(path, options);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const chunks = readFiles(path, { ...options, signal });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      // A generator returns when its wait is over.
      stop.abort();
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

/** Returns the place at which the last records begin: in the log itself, or else the beginning of the oldest file. */
export async function olderPlace(path: string, records: number): Promise<LogPlace> {
  const held = await inodeOf(join(folderOf(path), "0"));
  const place = await findLogPlace(path, records);
  return place.offset > 0 || held === undefined ? place : { offset: 0, file: `${OLDEST}${held}` };
}

async function* readFiles(path: string, options: LogReadOptions): AsyncGenerator<Uint8Array, undefined> {
  const { from, signal } = options;
  const { older, current, held } = await openFiles(path);
  let handed = false;
  try {
    if (from !== undefined && from.file !== "" && from.file !== `${OLDEST}${held}`) throw filesReplaced();
    for (const { file, isPacked } of older) {
      if (signal?.aborted) return undefined;
      yield* isPacked ? unpackFile(file) : readWhole(file);
    }
    handed = true;
    let first = current;
    const rest = readLogFile(path, { ...options, from: undefined }, (named) => {
      const opened = first;
      first = undefined;
      return opened ? Promise.resolve(opened) : openOwn(named);
    });
    for await (const chunk of rest) yield chunk;
  } finally {
    for (const { file } of older) await file.close();
    if (!handed) await current?.close();
  }
  return undefined;
}

/** The open files of a log, oldest first. */
interface LogFiles {
  older: { file: FileHandle; isPacked: boolean }[];
  current: FileHandle | undefined;
  /** The inode of the log's second name. */
  held: string | undefined;
}

/** Opens all files of a log at a moment at which none gets another name. */
async function openFiles(path: string): Promise<LogFiles> {
  const folder = folderOf(path);
  const count = Number((await readFile(join(folder, "files"), "utf8").catch(() => "1")).split(/\s/, 1)[0]);
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const before = await inodesOf(folder, count);
    const older: LogFiles["older"] = [];
    for (let number = count - 1; number > 0; number--) {
      const plain = await openExisting(join(folder, String(number)));
      const file = plain ?? await openExisting(join(folder, `${number}.gz`));
      if (file) older.push({ file, isPacked: plain === undefined });
    }
    const second = await openExisting(join(folder, "0"));
    const current = await openExisting(path);
    const after = await inodesOf(folder, count);
    if (before.join() === after.join()) {
      // The supervisor has begun a file of which the helper has not heard.
      if (second && !await isSame(second, current)) older.push({ file: second, isPacked: false });
      else await second?.close();
      return { older, current, held: after[0] };
    }
    for (const file of [...older.map(({ file }) => file), second, current]) await file?.close();
    await sleep(PAUSE);
  }
  throw filesReplaced();
}

/** Returns the inodes of a log's files by their numbers. */
async function inodesOf(folder: string, count: number): Promise<(string | undefined)[]> {
  return await Promise.all(Array.from({ length: count }, async (_, number) => {
    return await inodeOf(join(folder, String(number))) ?? await inodeOf(join(folder, `${number}.gz`));
  }));
}

async function* readWhole(file: FileHandle): AsyncGenerator<Uint8Array, undefined> {
  for (let position = 0;;) {
    const chunk = await readAt(file, position, CHUNK);
    if (chunk.length === 0) return undefined;
    position += chunk.length;
    yield chunk;
  }
}

async function* unpackFile(file: FileHandle): AsyncGenerator<Uint8Array, undefined> {
  const packed = ReadableStream.from(readWhole(file) as AsyncIterable<Uint8Array<ArrayBuffer>>);
  for await (const chunk of packed.pipeThrough(new DecompressionStream("gzip"))) yield chunk;
  return undefined;
}

function folderOf(path: string): string {
  return join(dirname(path), OLDER_FOLDER, basename(path, ".log"));
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  return await openOwn(path).catch((error) => {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    throw error;
  });
}

async function inodeOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

async function isSame(file: FileHandle, other: FileHandle | undefined): Promise<boolean> {
  if (other === undefined) return false;
  const [own, its] = await Promise.all([file.stat(), other.stat()]);
  return own.ino === its.ino && own.dev === its.dev;
}

function filesReplaced(): EngineError {
  return new EngineError("state", "Read log: its files were replaced");
}
