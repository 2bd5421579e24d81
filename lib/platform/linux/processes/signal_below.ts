import { processesBelow, signalIfThere } from "../helpers/proc.ts";
import type { Facts } from "./facts.ts";

/** A process that goes on forking is looked at this many times: its last child may get away. */
const MOST_LOOKS = 16;

/**
 * Sends a signal to all processes of a container that has neither a pid namespace nor a control group of its own: those below its
 * supervisor, which adopts orphans. The first process comes last, since the supervisor ends with it.
 */
export function signalBelow({ container, conmon }: Pick<Facts, "container" | "conmon">, signal: number): void {
  const seen = new Set([container.pid]);
  for (let look = 0; look < MOST_LOOKS; look++) {
    const others = processesBelow(conmon.pid).filter((pid) => !seen.has(pid));
    if (others.length === 0) break;
    for (const pid of others) {
      seen.add(pid);
      signalIfThere(pid, signal);
    }
  }
  signalIfThere(container.pid, signal);
}
