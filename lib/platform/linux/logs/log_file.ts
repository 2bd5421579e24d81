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
import { type OpenFile, openOwn, readAt } from "./log_place.ts";
import { factsOf } from "./read_now.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Bytes of the first read, and of those of a long log. */
const FIRST_CHUNK = 16 * 1024;
const CHUNK = 256 * 1024;

/** The files that follow each other in a log, of which a reader is at one. */
export interface LogFiles {
  /** The path of the present file. */
  readonly path: string;
  /** Opens the present file; `undefined` while it is not there. */
  open(): Promise<FileHandle | undefined>;
  /** Whether nobody writes to the present file any more, since the next one has begun. */
  isOver(file: FileHandle): Promise<boolean>;
  /** Goes on to the next file. */
  advance(): void;
  /** The bytes of the present file where that is compressed. */
  unpack?(): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/**
 * The log's bytes. One that is followed goes on as the file grows, and through its replacement (conmon starts a new file at
 * the size limit), until `followUntil` has resolved and the end is reached. A missing file is an empty one.
 */
export function readLogFile(
  path: string,
  options: LogReadOptions,
  openFile: OpenFile = openOwn,
): ReadableStream<Uint8Array> {
  const { from } = options;
  let isFirst = true;
  return readFollowing({
    path,
    isOver: (file) => isReplaced(file, path),
    advance: () => {},
    async open() {
      const file = await openExisting(path, openFile);
      if (isFirst && from && from.file !== "" && (!file || factsOf(file.fd).id !== from.file)) throw fileReplaced();
      isFirst = false;
      return file;
    },
  }, options);
}

/** The bytes of files that follow each other, from `from.offset` of the present one on, as {@linkcode readLogFile} gives them. */
export function readFollowing(files: LogFiles, options: LogReadOptions): ReadableStream<Uint8Array> {
  const waiter = new GrowthWaiter(options.signal);
  const chunks = readChunks(files, options, waiter);
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
  files: LogFiles,
  options: LogReadOptions,
  waiter: GrowthWaiter,
): AsyncGenerator<Uint8Array, undefined> {
  const { followUntil, from } = options;
  let ended = followUntil === undefined;
  const end = () => {
    ended = true;
    waiter.wake();
  };
  followUntil?.then(end, end);
  let file = await files.open();
  let size = FIRST_CHUNK;
  try {
    let position = from?.offset ?? 0;
    while (!waiter.isStopped) {
      waiter.look();
      // Asked before the read: what is written before the end is read then.
      const last = ended;
      if (!last && file) waiter.watch(file, files.path);
      file ??= await files.open();
      const chunk = file && await readAt(file, position, size);
      if (chunk && chunk.length > 0) {
        position += chunk.length;
        size = chunk.length === size ? CHUNK : FIRST_CHUNK;
        yield chunk;
        continue;
      }
      const packed = file === undefined ? await files.unpack?.() : undefined;
      if (packed) {
        for await (const part of packed) yield part;
        position = 0;
        files.advance();
        continue;
      }
      if (file && await files.isOver(file)) {
        // Between the read above and the next file's beginning more may have been written.
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
        files.advance();
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
  readonly #signal: AbortSignal | undefined;
  #unwatch: (() => void) | undefined;
  #isStopped = false;
  /** Something was heard since the last look. */
  #isNews = false;
  #lastLook = 0;
  #resume = () => {};
  readonly #onAbort = () => this.#resume();

  constructor(signal: AbortSignal | undefined) {
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
  watch(file: FileHandle, path: string): void {
    this.#unwatch ??= watchGrowth(path, factsOf(file.fd).id, () => this.wake());
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

/** Opens a log; `undefined` where there is none. */
export async function openExisting(path: string, openFile: OpenFile): Promise<FileHandle | undefined> {
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
