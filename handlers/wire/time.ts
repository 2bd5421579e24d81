import { z } from "./zod.ts";

/** A moment on the wire: RFC 3339, with as many as nine digits of a second. */
export const time = z.string();

/** Go's zero `time.Time`: "never" in replies, "not given" in requests. */
export const ZERO_TIME = "0001-01-01T00:00:00Z";

/** What Go's zero `time.Time` gives as Unix seconds, which some fields hold. */
export const ZERO_TIME_SECONDS = -62135596800;

/** Milliseconds since the epoch as a wire time; 0 and `undefined` are Go's zero time. */
export function wireTime(ms: number | undefined): string {
  if (!ms) return ZERO_TIME;
  const whole = Math.floor(ms);
  const text = new Date(whole).toISOString();
  const nanos = Math.round((ms - whole) * 1e6);
  return nanos === 0 ? text : `${text.slice(0, -1)}${String(nanos).padStart(6, "0")}Z`;
}

/** Milliseconds since the epoch as whole Unix seconds; 0 and `undefined` are Go's zero time. */
export function wireSeconds(ms: number | undefined): number {
  return ms ? Math.floor(ms / 1000) : ZERO_TIME_SECONDS;
}

/** Milliseconds since the epoch as exact nanoseconds. */
export function nanoseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}

const DURATION_UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
// Each digit fits in one place only: else what does not fit is tried in as many ways as there are to cut it.
const DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Reads a Go duration (`1h30m`, `-1.5s`, `0`) as milliseconds. Throws `SyntaxError`. */
export function parseDuration(text: string): number {
  if (/^[+-]?0$/.test(text)) return 0;
  if (text.length > 64 || !DURATION.test(text)) throw new SyntaxError(`Parse duration "${text}": invalid duration`);
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(count) * DURATION_UNITS[unit];
  }
  return text.startsWith("-") ? -total : total;
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads what clients send as a moment: Unix seconds with a fraction, RFC 3339 (parts of it may be left out), or a Go
 * duration before `now`. Milliseconds since the epoch; `undefined` for nothing and for Go's zero time. Throws
 * `SyntaxError`.
 */
export function parseMoment(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text === "" || text === ZERO_TIME) return undefined;
  if (/^-?\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const date = DATE.exec(text);
  if (date) {
    const clock = (date[2] ?? "00:00:00").split(":");
    while (clock.length < 3) clock.push("00");
    const [seconds, fraction = ""] = clock[2].split(".");
    const ms = Date.parse(`${date[1]}T${clock[0]}:${clock[1]}:${seconds}${date[3] ?? "Z"}`);
    if (!Number.isNaN(ms)) return ms + Number(`0.${fraction || "0"}`) * 1000;
  }
  try {
    return now - parseDuration(text);
  } catch {
    throw new SyntaxError(`Parse time "${text}": want Unix seconds, RFC 3339 or a duration`);
  }
}
