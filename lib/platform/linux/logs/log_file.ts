/**
 * Reading the supervisor's log files.
 *
 * @module
 */
import { type FileHandle, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../engine/errors.ts";
import type { LogReadOptions } from "../../../engine/ports/host_port.ts";
import { fileID, type OpenFile, openOwn, readAt } from "./log_place.ts";

const CHUNK = 256 * 1024;
/** How often a followed file is looked at: often while it grows. */
const BUSY = 10;
const IDLE = 50;

/**
 * The log's bytes. One that is followed goes on as the file grows, and through its replacement (conmon starts a new file at
 * the size limit), until `followUntil` has resolved and the end is reached. A missing file is an empty one.
 */
export function readLogFile(
  path: string,
  options: LogReadOptions,
  openFile: OpenFile = openOwn,
): ReadableStream<Uint8Array> {
  const chunks = readChunks(path, options, openFile);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* readChunks(
  path: string,
  options: LogReadOptions,
  openFile: OpenFile,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { followUntil, signal, from } = options;
  let ended = followUntil === undefined;
  followUntil?.then(() => ended = true, () => ended = true);
  let file = await openExisting(path, openFile);
  let pause = BUSY;
  try {
    let position = from?.offset ?? 0;
    if (from && from.file !== "" && (!file || await fileID(file) !== from.file)) throw fileReplaced();
    while (!signal?.aborted) {
      // Asked before the read: what is written before the end is read then.
      const last = ended;
      file ??= await openExisting(path, openFile);
      const chunk = file && await readAt(file, position, CHUNK);
      if (chunk && chunk.length > 0) {
        position += chunk.length;
        pause = BUSY;
        yield chunk;
        continue;
      }
      if (file && await isReplaced(file, path)) {
        // Between the read above and the replacement more may have been written.
        const rest = await readAt(file, position, CHUNK);
        if (rest.length > 0) {
          position += rest.length;
          yield rest;
          continue;
        }
        await file.close();
        file = undefined;
        position = 0;
        continue;
      }
      if (last) return undefined;
      await sleep(pause, undefined, { signal }).catch(() => {});
      pause = Math.min(IDLE, pause * 1.5);
    }
  } finally {
    await file?.close();
  }
  return undefined;
}

async function openExisting(path: string, openFile: OpenFile): Promise<FileHandle | undefined> {
  return await openFile(path).catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  const [own, named] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return named !== undefined && (named.ino !== own.ino || named.dev !== own.dev);
}

function fileReplaced(): EngineError {
  return new EngineError("state", "Read log: its file was replaced");
}
