/** Signals of Linux by number, from 1 on. */
const NAMES = [
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
  "STKFLT",
  "CHLD",
  "CONT",
  "STOP",
  "TSTP",
  "TTIN",
  "TTOU",
  "URG",
  "XCPU",
  "XFSZ",
  "VTALRM",
  "PROF",
  "WINCH",
  "IO",
  "PWR",
  "SYS",
];
const RTMIN = 34;
const RTMAX = 64;

/** A signal's name, `SIGTERM`; real-time ones count from `SIGRTMIN`. */
export function signalName(signal: number): string {
  if (signal >= RTMIN && signal <= RTMAX) return signal === RTMIN ? "SIGRTMIN" : `SIGRTMIN+${signal - RTMIN}`;
  return `SIG${NAMES[signal - 1] ?? signal}`;
}

/** A signal by name (`TERM`, `SIGTERM`, any case) or number; `undefined` when there is none such. */
export function signalNumber(text: string): number | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= 1 && Number(text) <= RTMAX ? Number(text) : undefined;
  const name = text.toUpperCase().replace(/^SIG/, "");
  const index = NAMES.indexOf(name);
  if (index >= 0) return index + 1;
  const realTime = /^RT(MIN|MAX)(?:([+-])(\d{1,2}))?$/.exec(name);
  if (!realTime) return undefined;
  const offset = Number(realTime[3] ?? 0) * (realTime[2] === "-" ? -1 : 1);
  const signal = (realTime[1] === "MIN" ? RTMIN : RTMAX) + offset;
  return signal >= RTMIN && signal <= RTMAX ? signal : undefined;
}
