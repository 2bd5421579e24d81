/**
 * Hearing of a log file's growth from the kernel: inotify, through `fs.watch()`.
 *
 * @module
 */
import { type FSWatcher, watch } from "node:fs";

/**
 * Files that are watched at once. Deno takes an inotify instance for each, of which a user has 128, other programs of theirs
 * included; readers of further files look from time to time.
 */
const MOST_FILES = 32;

/** A file's watcher, and its readers' callbacks. */
interface Watched {
  watcher: FSWatcher;
  callbacks: Set<() => void>;
}

const watched = new Map<string, Watched>();

/**
 * Calls back whenever a file is written to, replaced or deleted, until the function that it returns is called. Readers of one
 * file share its watch. Returns `undefined` where the file cannot be watched: it is not there, or too many are.
 *
 * @param path The file's path
 * @param id Tells the file from others that have the path at other times
 */
export function watchGrowth(path: string, id: string, callback: () => void): (() => void) | undefined {
  const entry = watched.get(id) ?? startWatch(path, id);
  if (entry === undefined) return undefined;
  // Each reader has a callback of its own, also where two give the same function.
  const own = () => callback();
  entry.callbacks.add(own);
  return () => {
    if (!entry.callbacks.delete(own) || entry.callbacks.size > 0) return;
    if (watched.get(id) === entry) watched.delete(id);
    entry.watcher.close();
  };
}

function startWatch(path: string, id: string): Watched | undefined {
  if (watched.size >= MOST_FILES) return undefined;
  const callbacks = new Set<() => void>();
  const tell = () => {
    for (const callback of [...callbacks]) callback();
  };
  try {
    const watcher = watch(path, { persistent: false }, tell);
    // Readers look from time to time in any case.
    watcher.on("error", tell);
    const entry = { watcher, callbacks };
    watched.set(id, entry);
    return entry;
  } catch {
    return undefined;
  }
}
