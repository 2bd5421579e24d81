/**
 * Locks between processes.
 *
 * @module
 */
import { once } from "node:events";
import { EngineError } from "../../../engine/errors.ts";
import { cText, library } from "../calls/libc.ts";
import { startPipedProgram } from "./spawn.ts";

/** Seconds a lock is waited for. */
const PATIENCE = 60;
/** `O_RDWR | O_CREAT | O_CLOEXEC` of open(2), and the mode of a file that is made: all that the umask leaves. */
const LOCK_FILE = [0o2000102, 0o666] as const;
/** `LOCK_EX | LOCK_NB` of flock(2). */
const EXCLUSIVE_NOW = 2 | 4;

/**
 * Runs while no other process does so with the same file, which is made where it is missing. The kernel gives the lock back
 * when this process ends, however it ends. Throws `EngineError("limit")` after a minute of waiting, or with the system's reason.
 */
export function withFileLock<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  // Both are flock(2), so that servers under either runtime keep each other out; a program costs a hundred times a call.
  return "Deno" in globalThis ? withOwnLock(path, run) : withHeldLock(path, run);
}

/** By flock(2), which libc and Deno have. */
async function withOwnLock<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  // Most locks are free: a thread that waits for one costs more than the work done under it.
  const lock = lockNow(path);
  if (lock === undefined) return await withAwaitedLock(path, run);
  try {
    return await run();
  } finally {
    library()?.close(lock);
  }
}

/** Takes a lock that is free, by three calls of libc. Returns its descriptor; `undefined` where somebody has it, or for another reason. */
function lockNow(path: string): number | undefined {
  const calls = library();
  const file = calls?.open(cText(path), ...LOCK_FILE) ?? -1;
  if (calls === null || file < 0) return undefined;
  if (calls.flock(file, EXCLUSIVE_NOW) === 0) return file;
  calls.close(file);
  return undefined;
}

/** Waits for a lock on a thread of Deno's. */
async function withAwaitedLock<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { create: true, read: true, write: true });
  } catch (error) {
    throw new EngineError("limit", `Lock "${path}": ${error instanceof Error ? error.message : error}`);
  }
  const locked = file.lock(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new EngineError("limit", `Lock "${path}": another process keeps it`));
    timer = setTimeout(giveUp, PATIENCE * 1000);
  });
  try {
    await Promise.race([locked, late]);
    return await run();
  } finally {
    clearTimeout(timer);
    // A wait that was given up ends with the other process, and takes the lock to give it back.
    locked.then(() => file.close(), () => file.close());
  }
}

/** By flock(1), which holds the lock and ends with its standard input: Node has no flock(2). */
async function withHeldLock<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  // "cat" answers when the lock is held, and keeps it until its input ends.
  const holder = startPipedProgram("flock", ["--no-fork", "--timeout", `${PATIENCE}`, path, "cat"]);
  const ended = once(holder, "exit");
  ended.catch(() => {});
  let reason = "";
  holder.stderr.on("data", (chunk) => reason += chunk);
  try {
    await once(holder, "spawn");
    holder.stdin.on("error", () => {});
    holder.stdin.write("\n");
    const answer = await Promise.race([once(holder.stdout, "data"), ended.then(() => undefined)]);
    if (answer === undefined) {
      throw new EngineError("limit", `Lock "${path}": ${reason.trim() || "another process keeps it"}`);
    }
    return await run();
  } finally {
    holder.stdin.end();
    await ended.catch(() => {});
  }
}
