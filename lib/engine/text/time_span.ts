/** Milliseconds of systemd's units of time, systemd.time(7). */
const UNITS: ReadonlyMap<string, number> = new Map(
  ([
    [["us", "usec", "µs", "μs"], 1e-3],
    [["ms", "msec"], 1],
    [["", "s", "sec", "second", "seconds"], 1000],
    [["m", "min", "minute", "minutes"], 60_000],
    [["h", "hr", "hour", "hours"], 3_600_000],
    [["d", "day", "days"], 86_400_000],
    [["w", "week", "weeks"], 604_800_000],
  ] satisfies [string[], number][]).flatMap(([names, ms]) => names.map((name) => [name, ms] as const)),
);
const LONGEST = 64;

/**
 * Reads a span of time as systemd's units have it: `5`, `1min 30s`, `infinity`. Returns milliseconds, `Infinity` for `infinity`.
 *
 * @throws `SyntaxError`
 */
export function parseTimeSpan(text: string): number {
  if (text === "infinity") return Infinity;
  const bad = () => new SyntaxError(`"${text.slice(0, LONGEST)}" is no span of time`);
  if (text.length > LONGEST || !/^(?:\s*\d+(?:\.\d+)?\s*[a-zµμ]*)+$/.test(text)) throw bad();
  let total = 0;
  for (const [, count, name] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-zµμ]*)/g)) {
    const unit = UNITS.get(name);
    if (unit === undefined) throw bad();
    total += Number(count) * unit;
  }
  return total;
}
