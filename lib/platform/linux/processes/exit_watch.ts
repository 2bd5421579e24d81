/**
 * Hearing of containers' ends: conmon writes an exit file for each.
 *
 * @module
 */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import type { ExitStatus } from "../../../engine/records/container_record.ts";
import { readTextBoundedSync } from "../helpers/bounded_read.ts";

/** Files may be made while the watch is overrun; a look from time to time finds them. */
const RESCAN = 2_000;
/** An exit file is a number. */
const LIMIT = 64;
/** The names conmon gives finished files; it writes them under another name first. */
const ID = /^[0-9A-Za-z_-]+$/;

type ExitCallback = (containerID: string, exit: ExitStatus) => void;

/** Reads an exit file; `undefined` where there is none. `oom` is the path of conmon's note about lack of memory. */
export function readExit(path: string, oom: string): ExitStatus | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const text = readTextBoundedSync(path, LIMIT) ?? "";
    if (!/^-?\d+\s*$/.test(text)) return undefined;
    const oomKilled = statSync(oom, { throwIfNoEntry: false }) !== undefined;
    return { code: Number(text), time: statSync(path).mtimeMs, oomKilled };
  } catch {
    return undefined;
  }
}

/** Tells of every exit file that appears. Until it is closed it keeps this process from ending, as a server does. */
export class ExitWatch {
  readonly #folder: string;
  readonly #read: (containerID: string) => ExitStatus | undefined;
  readonly #callbacks = new Set<ExitCallback>();
  readonly #told = new Set<string>();
  readonly #watcher: FSWatcher;
  readonly #timer: ReturnType<typeof setInterval>;

  /** Files that are there already belong to ends before this process's time, and are not told of. */
  constructor(folder: string, read: (containerID: string) => ExitStatus | undefined) {
    this.#folder = folder;
    this.#read = read;
    this.#watcher = watch(folder, (_, name) => {
      if (name !== null && ID.test(name)) this.check(name);
    });
    this.#watcher.on("error", () => {});
    for (const name of this.#names()) this.#told.add(name);
    this.#timer = setInterval(() => this.#rescan(), RESCAN);
    this.#timer.unref();
  }

  /** Calls back for every end from now on. Returns a function that stops it. */
  on(callback: ExitCallback): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  /** Looks whether the container has ended, and tells of it once. */
  check(containerID: string): void {
    if (this.#told.has(containerID)) return;
    const exit = this.#read(containerID);
    if (exit === undefined) return;
    this.#told.add(containerID);
    for (const callback of this.#callbacks) callback(containerID, exit);
  }

  /** Its exit file is gone: the next one is news. */
  forget(containerID: string): void {
    this.#told.delete(containerID);
  }

  close(): void {
    this.#watcher.close();
    clearInterval(this.#timer);
    this.#callbacks.clear();
  }

  #names(): string[] {
    return readdirSync(this.#folder).filter((name) => ID.test(name));
  }

  #rescan(): void {
    try {
      for (const name of this.#names()) this.check(name);
    } catch {
      // The folder itself is gone: nothing can end here any more.
    }
  }
}
