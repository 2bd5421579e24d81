const UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
// Each digit fits in one place only: with a second way to cut a text, the number of ways to try grows with its length.
const DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const LONGEST = 64;

/**
 * Reads a duration as Go writes it (`1h30m`, `-1.5s`, `.5h`, `0`). Returns milliseconds. Throws `SyntaxError`.
 *
 * Source: `ParseDuration` of Go's package `time`, the format of every duration in both APIs.
 */
export function parseDuration(text: string): number {
  if (/^[+-]?0$/.test(text)) return 0;
  if (text.length > LONGEST || !DURATION.test(text)) {
    throw new SyntaxError(`Parse duration "${text.slice(0, LONGEST)}": invalid duration`);
  }
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(count) * UNITS[unit];
  }
  return text.startsWith("-") ? -total : total;
}
