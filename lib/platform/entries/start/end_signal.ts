import { readFileSync } from "node:fs";
import process from "node:process";

/** SIGHUP in the masks of `/proc/self/status` (proc(5)). */
const HANGUP = 1n;

/** Asked while the program is loaded: Deno ignores no signal any more once it listens for one, and `deno serve` does so by itself. */
const OUTLIVES_TERMINAL = ignoresHangUp();

/**
 * Resolves with the first signal that asks for an end; a second one ends the process at once.
 *
 * @param isPatient Whether further ones change nothing. A process that asks for a signal at its parent's death (prctl(2)) gets it once for
 * each of the parent's threads that it is handed to, while they die
 */
export function endSignal(isPatient = false): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => {
        // It has to be taken to be passed over.
        if (OUTLIVES_TERMINAL && signal === "SIGHUP") return;
        // A shell and the kernel each tell of a terminal that is closed.
        if (asked && signal !== "SIGHUP" && !isPatient) process.exit(130);
        asked = true;
        resolve(signal);
      });
    }
  });
}

/** Whether the process was started to outlive its terminal: by nohup(1). Node takes the sign of it away. */
function ignoresHangUp(): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & HANGUP) !== 0n;
  } catch {
    // No Linux: the signal of a terminal that is closed.
    return false;
  }
}
