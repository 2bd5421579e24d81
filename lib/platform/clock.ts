/**
 * The clock of Deno and Node.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import type { Clock } from "../engine/ports/ports.ts";
import { sleep } from "../oci/sleep.ts";

/** The wall clock in fractions of a millisecond, which never steps back while the process lives, and real timers. */
export function hostClock(): Clock {
  return { now: () => Math.max(performance.timeOrigin + performance.now(), Date.now()), sleep };
}
