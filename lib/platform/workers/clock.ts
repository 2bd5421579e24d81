import type { Clock } from "../../engine/ports/ports.ts";
import { sleep } from "../../oci/sleep.ts";

/** The clock of workerd, which stands still between one wait and the next. */
export function workersClock(): Clock {
  return { now: () => Date.now(), sleep };
}
