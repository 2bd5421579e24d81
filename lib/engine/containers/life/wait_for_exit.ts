import type { ExitStatus } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { isLive } from "../context.ts";

/** A wait for a container's end, in place from the moment it is made. */
export interface ExitWatch extends Disposable {
  /** Resolves when the process has ended or the container is gone; with the exit where there was one. */
  readonly ended: Promise<ExitStatus | undefined>;
}

/** Watches for a container's end. One that has no process has ended. */
export function watchExit(context: Context, id: string): ExitWatch {
  const { promise: ended, resolve } = Promise.withResolvers<ExitStatus | undefined>();
  const off = context.changes.on(id, ({ exit, record }) => {
    if (exit || !record || !isLive(record)) resolve(exit);
  });
  const record = context.records.get(id);
  if (!record || !isLive(record)) resolve(undefined);
  return { ended, [Symbol.dispose]: off };
}

/** Waits for a container's end, but no longer than `ms`. Resolves with whether it came. */
export async function exitsWithin(context: Context, ended: Promise<unknown>, ms: number): Promise<boolean> {
  // Timers cannot count further than this, which is as good as for ever.
  if (ms > 0x7fffffff) return await ended.then(() => true);
  const timer = new AbortController();
  const late = context.core.clock.sleep(ms, timer.signal).then(() => false, () => false);
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
