/**
 * Locks between processes.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import { closeOnExec } from "./libc.ts";

/** Seconds a lock is waited for. */
const PATIENCE = 60;

/**
 * Runs while no other process does so with the same file, which is made where it is missing. The kernel gives the lock back
 * when this process ends, however it ends: flock(1) holds it and ends with its standard input. Throws `EngineError("limit")`
 * after a minute of waiting, or with flock's reason.
 */
export async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  // "cat" answers when the lock is held, and keeps it until its input ends.
  closeOnExec();
  const holder = spawn("flock", ["--no-fork", "--timeout", `${PATIENCE}`, path, "cat"], {
    stdio: "pipe",
    env: { PATH: process.env["PATH"] },
  });
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
