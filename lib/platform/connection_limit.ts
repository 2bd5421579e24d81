import { readFileSync } from "node:fs";

/** Where the limit of open files cannot be told. */
const USUAL = 256;
/** Connections that may be taken in one turn, before those beyond the limit are closed: what waits in the queue (511), twice. */
const BURST = 1024;

/**
 * How many connections may be open at once by default, from the number of files this process may have open: three quarters of
 * it, with room for a burst. Deno takes no connections any more once it could not take one for want of files (2.9.6), and ends
 * when it cannot open what it needs itself.
 */
export function connectionLimit(): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
    return soft > 0 ? Math.floor(Math.max(soft / 4, Math.min(soft * 3 / 4, soft - BURST))) : USUAL;
  } catch {
    return USUAL;
  }
}
