/**
 * The clock of Deno and Node.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../engine/ports.ts";

/** The wall clock in fractions of a millisecond, which never steps back while the process lives, and real timers. */
export function hostClock(): Clock {
  return {
    now: () => Math.max(performance.timeOrigin + performance.now(), Date.now()),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        await setTimeout(ms, undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
