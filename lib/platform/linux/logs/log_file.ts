/**
 * Reading the supervisor's log files.
 *
 * @module
 */
import { type FileHandle, stat } from "node:fs/promises";
import { clearTimeout, setTimeout } from "node:timers";
import { EngineError } from "../../../engine/errors.ts";
import type { LogReadOptions } from "../../../engine/ports/host_port.ts";
import { watchGrowth } from "./growth_watch.ts";
import { fileID, type OpenFile, openOwn, readAt } from "./log_place.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Bytes of the first read, and of those of a long log. */
const FIRST_CHUNK = 16 * 1024;
const CHUNK = 256 * 1024;

/**
 * The log's bytes. One that is followed goes on as the file grows, and through its replacement (conmon starts a new file at
 * the size limit), until `followUntil` has resolved and the end is reached. A missing file is an empty one.
 */
export function readLogFile(
  path: string,
  options: LogReadOptions,
  openFile: OpenFile = openOwn,
): ReadableStream<Uint8Array> {
  const waiter = new GrowthWaiter(path, options.signal);
  const chunks = readChunks(path, options, openFile, waiter);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      // A generator returns when its wait is over.
      waiter.stop();
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* readChunks(
  path: string,
  options: LogReadOptions,
  openFile: OpenFile,
  waiter: GrowthWaiter,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { followUntil, from } = options;
  let ended = followUntil === undefined;
  const end = () => {
    ended = true;
    waiter.wake();
  };
  followUntil?.then(end, end);
  let file = await openExisting(path, openFile);
  let size = FIRST_CHUNK;
  try {
    let position = from?.offset ?? 0;
    if (from && from.file !== "" && (!file || await fileID(file) !== from.file)) throw fileReplaced();
    while (!waiter.isStopped) {
      waiter.look();
      // Asked before the read: what is written before the end is read then.
      const last = ended;
      if (!last && file) await waiter.watch(file);
      file ??= await openExisting(path, openFile);
      const chunk = file && await readAt(file, position, size);
      if (chunk && chunk.length > 0) {
        position += chunk.length;
        size = chunk.length === size ? CHUNK : FIRST_CHUNK;
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
        waiter.unwatch();
        await file.close();
        file = undefined;
        position = 0;
        continue;
      }
      if (last) return undefined;
      await waiter.wait();
    }
  } finally {
    waiter.unwatch();
    await file?.close();
  }
  return undefined;
}

/** Milliseconds between two looks at a file that grows all the time: its lines then come together. */
const BUSY = 10;
/** Milliseconds until a file is looked at though nothing was heard of it: one that is watched, and one that cannot be. */
const WATCHED = 2_000;
const UNWATCHED = 50;

/** Waits for something to read: for the file's growth or replacement, or for the end of reading. */
class GrowthWaiter {
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  #unwatch: (() => void) | undefined;
  #isStopped = false;
  /** Something was heard since the last look. */
  #isNews = false;
  #lastLook = 0;
  #resume = () => {};
  readonly #onAbort = () => this.#resume();

  constructor(path: string, signal: AbortSignal | undefined) {
    this.#path = path;
    this.#signal = signal;
  }

  /** Nothing more is to be read. */
  get isStopped(): boolean {
    return this.#isStopped || this.#signal?.aborted === true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#resume();
  }

  /** Watches the file, unless it does. Comes before a look at it, so that nothing is missed between. */
  async watch(file: FileHandle): Promise<void> {
    this.#unwatch ??= watchGrowth(this.#path, await fileID(file), () => this.wake());
  }

  unwatch(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Notes that the file is looked at now. */
  look(): void {
    this.#isNews = false;
    this.#lastLook = performance.now();
  }

  wake(): void {
    this.#isNews = true;
    this.#resume();
  }

  /** Resolves when the file is to be looked at again. */
  async wait(): Promise<void> {
    if (!this.#isNews) await this.#pause(this.#unwatch === undefined ? UNWATCHED : WATCHED);
    const rest = this.#lastLook + BUSY - performance.now();
    if (rest > 0 && !this.isStopped) await this.#pause(rest, false);
  }

  async #pause(milliseconds: number, endsWithNews = true): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#resume = () => {
      if (endsWithNews || this.isStopped) resolve();
    };
    this.#signal?.addEventListener("abort", this.#onAbort);
    await promise;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#resume = () => {};
    clearTimeout(timer);
  }
}

async function openExisting(path: string, openFile: OpenFile): Promise<FileHandle | undefined> {
  return await openFile(path).catch((error) => {
    if (hasSystemCode(error, "ENOENT")) return undefined;
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
