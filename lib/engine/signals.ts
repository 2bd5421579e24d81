import { EngineError } from "./errors.ts";

/** Linux's signals by number, as on every architecture but MIPS and Alpha. */
const NAMES = [
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU",
  "XFSZ VTALRM PROF WINCH IO PWR SYS",
].join(" ").split(" ");

const ALIASES: Record<string, string> = { IOT: "ABRT", CLD: "CHLD", POLL: "IO" };
const RTMIN = 34;
const RTMAX = 64;

/** The number of SIGKILL. */
export const SIGKILL = 9;
/** The number of SIGTERM. */
export const SIGTERM = 15;

/**
 * Reads a signal: a number, a name (`TERM`, `SIGTERM`, in any case) or a real-time one (`RTMIN+3`). 0 is allowed: it only
 * asks whether a process is there. Throws `EngineError("invalid")`.
 */
export function parseSignal(text: string | number): number {
  const word = String(text).trim().toUpperCase().replace(/^SIG/, "");
  const number = /^[0-9]+$/.test(word) ? Number(word) : numberOf(word);
  if (number === undefined || number > RTMAX) throw new EngineError("invalid", `invalid signal: ${text}`);
  return number;
}

/** The signal's name without `SIG`, or its number where it has none. */
export function signalName(number: number): string {
  if (number >= RTMIN && number <= RTMAX) return number === RTMIN ? "RTMIN" : `RTMIN+${number - RTMIN}`;
  return NAMES[number - 1] ?? String(number);
}

function numberOf(word: string): number | undefined {
  const known = NAMES.indexOf(ALIASES[word] ?? word);
  if (known >= 0) return known + 1;
  const realTime = /^RT(MIN|MAX)(?:([+-])([0-9]{1,2}))?$/.exec(word);
  if (!realTime) return undefined;
  const offset = Number(realTime[3] ?? 0) * (realTime[2] === "-" ? -1 : 1);
  const number = (realTime[1] === "MIN" ? RTMIN : RTMAX) + offset;
  return number >= RTMIN && number <= RTMAX ? number : undefined;
}
