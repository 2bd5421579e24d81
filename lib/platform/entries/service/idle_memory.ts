/**
 * Memory of a server that has nothing to do.
 *
 * @module
 */
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { trimAllocations } from "../../linux/calls/libc.ts";

/** Milliseconds between two looks at how busy the process is. */
const INTERVAL = 5_000;
/** Milliseconds of processor time in an interval up to which it counts as idle. */
const QUIET = 50;
/** Milliseconds of processor time after which there may be enough to give back. */
const WORTH = 1_000;
/** Bytes of a heap that takes too long to be walked in one go. */
const LARGEST = 256 * 1024 * 1024;

/**
 * Has V8 collect its heap, and give back what is free, when the process has worked and is idle again, and libc after it: by themselves both keep
 * what the start of the server or a busy hour took, twice what is in use. Ends with its disposal.
 *
 * @param interval Milliseconds between two looks at how busy the process is
 */
export function giveBackWhenIdle(interval: number = INTERVAL): Disposable {
  const collect = findCollector();
  // The start was work, too.
  let unpaid = WORTH;
  let last = usedTime();
  const timer = setInterval(() => {
    const now = usedTime();
    const used = now - last;
    last = now;
    unpaid += used;
    if (used > QUIET || unpaid <= WORTH || getHeapStatistics().used_heap_size > LARGEST) return;
    collect?.();
    // A server that may not call libc keeps more than it needs, and works as well.
    trimAllocations().catch(() => {});
    unpaid = 0;
    last = usedTime();
  }, interval);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns V8's collector, which only contexts made under a flag have; `undefined` where the runtime does not give it. */
export function findCollector(): (() => void) | undefined {
  try {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
    setFlagsFromString("--no-expose-gc");
    return typeof collect === "function" ? () => void collect() : undefined;
  } catch {
    return undefined;
  }
}

/** The processor time of this process, in milliseconds. */
function usedTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
