import { capabilityNames } from "../../bundle/capabilities.ts";
import type { ProcessFacts } from "./process_facts.ts";
import type { UserNames } from "./user_names.ts";

/** The sources of a column. */
export interface ColumnSources {
  inside: UserNames;
  here: UserNames;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A column of the table. */
export interface Column {
  title: string;
  /** Its name in the manner of AIX, `%p`. */
  code?: string;
  of(facts: ProcessFacts, sources: ColumnSources): string;
}

/** The columns of `podman top`, by their names there. */
const COLUMNS: Record<string, Column> = {
  args: { title: "COMMAND", code: "%a", of: commandLine },
  capamb: { title: "AMBIENT CAPS", of: ({ capabilities }) => capabilitySet(capabilities.CapAmb) },
  capbnd: { title: "BOUNDING CAPS", of: ({ capabilities }) => capabilitySet(capabilities.CapBnd) },
  capeff: { title: "EFFECTIVE CAPS", of: ({ capabilities }) => capabilitySet(capabilities.CapEff) },
  capinh: { title: "INHERITED CAPS", of: ({ capabilities }) => capabilitySet(capabilities.CapInh) },
  capprm: { title: "PERMITTED CAPS", of: ({ capabilities }) => capabilitySet(capabilities.CapPrm) },
  comm: { title: "COMMAND", code: "%c", of: ({ name }) => name },
  etime: { title: "ELAPSED", code: "%t", of: ({ startedAt }, { now }) => goDuration((now - startedAt) / 1000) },
  group: { title: "GROUP", code: "%G", of: ({ gids }, { inside }) => inside.group(gids[1]) },
  groups: { title: "GROUPS", of: ({ groups }, { inside }) => groups.map((id) => inside.group(id)).join() },
  hgroup: { title: "HGROUP", of: ({ gids }, { here }) => here.group(gids[1]) },
  hgroups: { title: "HGROUPS", of: ({ groups }) => groups.join() },
  hpid: { title: "HPID", of: ({ pid }) => pid },
  huid: { title: "HUID", of: ({ uids }) => String(uids[1]) },
  huser: { title: "HUSER", of: ({ uids }, { here }) => here.user(uids[1]) },
  label: { title: "LABEL", of: ({ label }) => label },
  nice: { title: "NI", code: "%n", of: ({ nice }) => nice },
  pcpu: { title: "%CPU", code: "%C", of: (facts, { now }) => processorShare(facts, now) },
  pgid: { title: "PGID", code: "%r", of: ({ group }) => group },
  pid: { title: "PID", code: "%p", of: ({ innerPid }) => innerPid },
  ppid: { title: "PPID", code: "%P", of: ({ parent }) => parent },
  rgroup: { title: "RGROUP", code: "%g", of: ({ gids }, { inside }) => inside.group(gids[0]) },
  rss: { title: "RSS", of: ({ residentKiB }) => residentKiB },
  ruser: { title: "RUSER", code: "%u", of: ({ uids }, { inside }) => inside.user(uids[0]) },
  seccomp: { title: "SECCOMP", of: ({ seccomp }) => ["disabled", "strict", "filter"][Number(seccomp || "?")] ?? "?" },
  state: { title: "STATE", of: ({ state }) => state },
  stime: { title: "STIME", of: ({ startedAt }) => goTime(startedAt) },
  time: { title: "TIME", code: "%x", of: ({ cpuTime }) => goDuration(cpuTime) },
  tty: { title: "TTY", code: "%y", of: ({ terminal }) => terminal },
  uid: { title: "UID", of: ({ uids }, { inside }) => String(inside.uid(uids[1])) },
  user: { title: "USER", code: "%U", of: ({ uids }, { inside }) => inside.user(uids[1]) },
  vsz: { title: "VSZ", code: "%z", of: ({ virtualKiB }) => String(virtualKiB) },
};

/** The columns of these names or codes; `undefined` when one of them is none of Podman's. */
export function findColumns(words: readonly string[]): Column[] | undefined {
  const found = words.map((word) =>
    Object.hasOwn(COLUMNS, word) ? COLUMNS[word] : Object.values(COLUMNS).find(({ code }) => code === word)
  );
  return found.every((column) => column !== undefined) ? found : undefined;
}

/** A process's arguments, or its name where it has none or they are not to be had. */
export function commandLine({ args, name }: ProcessFacts): string {
  return args[0] === "" ? `[${name}]` : args.join(" ");
}

function capabilitySet(mask: bigint): string {
  const names = capabilityNames(mask);
  return names === "all" ? "full" : names.map((name) => name.replace("CAP_", "")).sort().join() || "none";
}

function processorShare({ cpuTime, startedAt }: ProcessFacts, now: number): string {
  return (100 * cpuTime / (Math.max(1, now - startedAt) / 1000)).toFixed(3);
}

/** Seconds in Go's way: `1h2m3.5s`, which clients show as it comes. */
function goDuration(seconds: number): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const [hours, minutes, rest] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1000];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}

function goTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}
