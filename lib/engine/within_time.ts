import { EngineError } from "./errors.ts";
import type { Clock } from "./ports/ports.ts";

/** The bounds of {@linkcode withinTime}. */
export interface TimeBounds {
  clock: Clock;
  /** Milliseconds; `Infinity`: as long as it takes. */
  ms: number;
  /** Ends the work before its time. */
  signal: AbortSignal;
}

/** Does work that must be done within a time. Throws `timeout` otherwise; the work's own signal is aborted then. */
export async function withinTime<T>(
  { clock, ms, signal }: TimeBounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === Infinity) return await work(signal);
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const late = Promise.withResolvers<never>();
  void clock.sleep(ms, either).then(() => {
    const error = new EngineError("timeout", `it was not ready within ${ms / 1000} s`);
    done.abort(error);
    late.reject(error);
    // The sleep ends early when the work is done: then nobody is late.
  }, () => {});
  try {
    return await Promise.race([work(either), late.promise]);
  } finally {
    done.abort();
  }
}
