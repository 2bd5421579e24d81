import { EngineError } from "../errors.ts";

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
 * Finds a signal's number by a number, a name (`TERM`, `SIGTERM`, an alias such as `CLD`, in any case) or a real-time name
 * (`RTMIN+3`), with or without the hyphen of kill(1) before it (`-HUP`). Returns 0 for `0`, which only asks whether a process exists, and `undefined` for an unknown signal.
 */
export function findSignal(text: string | number): number | undefined {
  const word = String(text).trim().toUpperCase().replace(/^-?(?:SIG)?/, "");
  const number = /^[0-9]+$/.test(word) ? Number(word) : numberOf(word);
  return number !== undefined && number <= RTMAX ? number : undefined;
}

/** Reads a signal as {@linkcode findSignal} does. Throws `EngineError("invalid")` for an unknown one. */
export function parseSignal(text: string | number): number {
  const number = findSignal(text);
  if (number === undefined) throw new EngineError("invalid", `invalid signal: ${text}`);
  return number;
}

/** Returns a signal's name, `SIGTERM`; real-time ones count from `SIGRTMIN`, and a number without a name is `SIG33`. */
export function signalName(number: number): string {
  if (number >= RTMIN && number <= RTMAX) return number === RTMIN ? "SIGRTMIN" : `SIGRTMIN+${number - RTMIN}`;
  return `SIG${NAMES[number - 1] ?? number}`;
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
