import { type Column, type ColumnSources, commandLine } from "./columns.ts";
import type { ProcessFacts } from "./process_facts.ts";

/** The longest share of a processor that `ps` shows. */
const MOST_PERCENT = 99;
const DAY = 24 * 60 * 60;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * The columns of `ps -ef`, which Docker's clients ask for unless told otherwise. `ps` itself reads the whole command line of
 * every process on the machine, and one of them can keep it waiting for ever.
 */
export const FULL_FORMAT: readonly Column[] = [
  { title: "UID", of: ({ uids }, { here }) => here.user(uids[1]) },
  { title: "PID", of: ({ innerPid }) => innerPid },
  { title: "PPID", of: ({ parent }) => parent },
  { title: "C", of: processorPercent },
  { title: "STIME", of: ({ startedAt }, { now }) => startTime(new Date(startedAt), new Date(now)) },
  { title: "TTY", of: ({ terminal }) => terminal },
  { title: "TIME", of: ({ cpuTime }) => clockTime(cpuTime) },
  { title: "CMD", of: (facts) => printable(facts.state === "Z" ? `[${facts.name}] <defunct>` : commandLine(facts)) },
];

/** As `ps` has it: a command line could steer the terminal that it is shown on. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ".");
}

function processorPercent({ cpuTime, startedAt }: ProcessFacts, { now }: ColumnSources): string {
  const seconds = Math.max(1, (now - startedAt) / 1000);
  return String(Math.min(MOST_PERCENT, Math.floor(100 * cpuTime / seconds)));
}

/** The local time of a start today, the day of one this year, or the year. */
function startTime(start: Date, now: Date): string {
  if (start.getFullYear() !== now.getFullYear()) return String(start.getFullYear());
  if (start.getMonth() !== now.getMonth() || start.getDate() !== now.getDate()) {
    return `${MONTHS[start.getMonth()]}${twoDigits(start.getDate())}`;
  }
  return `${twoDigits(start.getHours())}:${twoDigits(start.getMinutes())}`;
}

/** `HH:MM:SS`, behind the days and a hyphen where there are any. */
function clockTime(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const [hours, minutes] = [Math.floor(seconds % DAY / 3600), Math.floor(seconds / 60) % 60];
  const time = [hours, minutes, seconds % 60].map(twoDigits).join(":");
  return days > 0 ? `${days}-${time}` : time;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
