/**
 * The clock of Deno and Node.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../engine/ports/ports.ts";

/** The longest wait of a timer, in milliseconds; a timer set to a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/** The wall clock in fractions of a millisecond, which never steps back while the process lives, and real timers. */
export function hostClock(): Clock {
  return {
    now: () => Math.max(performance.timeOrigin + performance.now(), Date.now()),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        let rest = ms;
        for (; rest > LONGEST; rest -= LONGEST) await setTimeout(LONGEST, undefined, { signal });
        await setTimeout(rest, undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
