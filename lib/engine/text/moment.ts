import { parseDuration } from "./duration.ts";

/** Go's zero `time.Time` in milliseconds since the epoch: clients send it for "not given". */
const ZERO = Date.parse("0001-01-01T00:00:00Z");
const UNIX_SECONDS = /^-?\d{1,12}(?:\.\d{1,9})?$/;
const RFC3339 = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?([Zz]|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads a moment in every form that clients send: Unix seconds with a fraction (`1700000000.5`), RFC 3339 whose time, parts
 * of the time and offset may be left out (UTC then), or a Go duration before `now` (`1h30m`; a negative one lies ahead).
 *
 * Returns milliseconds since the epoch; `undefined` for no text and for Go's zero time. Throws `SyntaxError`.
 */
export function parseMoment(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  const time = parseRFC3339(text);
  if (!Number.isNaN(time)) return time === ZERO ? undefined : time;
  try {
    return now - parseDuration(text);
  } catch {
    throw new SyntaxError(`Parse time "${text.slice(0, 64)}": want Unix seconds, RFC 3339 or a duration`);
  }
}

/** Returns milliseconds since the epoch, with the digits of a second beyond milliseconds as a fraction; `NaN` for no time. */
export function parseRFC3339(text: string): number {
  const match = RFC3339.exec(text);
  if (!match) return NaN;
  const [, date, hours = "00", minutes = "00", seconds = "00", fraction, zone = "Z"] = match;
  const whole = Date.parse(`${date}T${hours}:${minutes}:${seconds}${zone.toUpperCase()}`);
  return fraction === undefined ? whole : whole + Number(`0.${fraction}`) * 1000;
}
