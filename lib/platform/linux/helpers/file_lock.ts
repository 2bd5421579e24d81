/**
 * Locks between processes.
 *
 * @module
 */
import { once } from "node:events";
import { EngineError } from "../../../engine/errors.ts";
import { startPipedProgram } from "./spawn.ts";

/** Seconds a lock is waited for. */
const PATIENCE = 60;

/**
 * Runs while no other process does so with the same file, which is made where it is missing. The kernel gives the lock back
 * when this process ends, however it ends: flock(1) holds it and ends with its standard input. Throws `EngineError("limit")`
 * after a minute of waiting, or with flock's reason.
 */
export async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
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
