import type { Clock } from "../ports/ports.ts";

/**
 * Yields at regular times from now on, the first after one interval. Times that passed while its reader was busy are left
 * out; those to come stay where they are. Ends with the signal.
 */
export async function* everySoOften(clock: Clock, ms: number, signal?: AbortSignal): AsyncGenerator<void> {
  const start = clock.now();
  for (let tick = 1;; tick = Math.max(tick + 1, Math.ceil((clock.now() - start) / ms))) {
    try {
      await clock.sleep(Math.max(0, start + tick * ms - clock.now()), signal);
    } catch (error) {
      if (signal?.aborted) return;
      throw error;
    }
    yield;
  }
}
