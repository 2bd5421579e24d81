import { sleep } from "../lib/oci/sleep.ts";

/** Waits between two reports of a stream. Resolves with whether anybody waits for what comes then. */
export function pauseBetween(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, signal).then(() => true, () => false);
}
