/** The most characters of a list of process IDs: the kernel takes an argument of 128 KiB. */
const LIST = 100_000;

/** Letters of a word with `-` that choose columns or their width alone; `e` and `A`, which choose all processes, are taken away. */
const UNIX_FORMAT = /^-([eAfFlyjwL]*)(o(.*))?$/s;
/** The same of a word in BSD's manner. Processes of all users (`a`), with and without a terminal (`x`), are all there are. */
const BSD_FORMAT = /^([axujlvw]*)(o(.*))?$/s;

/**
 * The arguments by which `ps` lists some processes alone, where the given ones choose columns and nothing else: it then reads no other process of the
 * machine, one of which may keep it waiting. They are numbered by the list, in its order. `undefined` where an argument sorts, nests or selects, or is
 * not known here.
 *
 * @param args Arguments of `ps`: `-eo` `pid,comm`, or `aux`
 * @param pids Numbers of processes, as the kernel has them here
 */
export function ownProcesses(args: readonly string[], pids: Iterable<string>): string[] | undefined {
  const kept: string[] = [];
  const chosen = { a: false, x: false };
  for (let i = 0; i < args.length; i++) {
    const isUnix = args[i].startsWith("-");
    const [, letters, column, value] = (isUnix ? UNIX_FORMAT : BSD_FORMAT).exec(args[i]) ?? [];
    if (letters === undefined || args[i] === "-") return undefined;
    if (!isUnix) { for (const letter of ["a", "x"] as const) chosen[letter] ||= letters.includes(letter); }
    const format = letters.replaceAll(isUnix ? /[eA]/g : /[ax]/g, "");
    const dash = isUnix ? "-" : "";
    if (format !== "") kept.push(dash + format);
    if (column === undefined) continue;
    // The columns stand in the same word, or are the next one.
    const columns = value || args[++i];
    if (columns === undefined) return undefined;
    kept.push(`${dash}o`, columns);
  }
  // One of the two alone leaves processes out.
  if (chosen.a !== chosen.x) return undefined;
  const list = [...pids].sort((one, other) => Number(one) - Number(other)).join();
  return list === "" || list.length > LIST ? undefined : [...kept, `-q${list}`];
}
