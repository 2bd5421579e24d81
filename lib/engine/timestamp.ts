import { EngineError } from "./errors.ts";

const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, "µs": 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Reads a point in time as clients give it: seconds since the epoch (`1700000000.5`), RFC 3339 (the offset may be left
 * out: UTC), a date, or a Go duration counted back from `now` (`1h30m`; negative ones count forward). Milliseconds since the
 * epoch come out. Throws `EngineError("invalid")`.
 */
export function parseTimestamp(text: string, now: number): number {
  if (/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const duration = parseDuration(text);
  if (duration !== undefined) return now - duration;
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) ? parseRFC3339(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new EngineError("invalid", `failed to parse "${text}": not a timestamp and not a duration`);
}

/** Reads a Go duration (`1h30m`, `-1.5s`) into milliseconds; `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:[0-9]+(?:\.[0-9]*)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(text);
  if (!match) return undefined;
  let total = 0;
  for (const [, number, unit] of match[2].matchAll(/([0-9]+(?:\.[0-9]*)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(number) * UNITS[unit];
  }
  return match[1] === "-" ? -total : total;
}

/** Milliseconds, with the fraction's further digits kept; `NaN` for what is no time. */
export function parseRFC3339(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text);
  if (!match) return NaN;
  const [, date, clock = "00:00:00", fraction = "", zone = "Z"] = match;
  return Date.parse(`${date}T${clock}${zone.toUpperCase()}`) + (fraction ? Number(`0${fraction}`) * 1000 : 0);
}
