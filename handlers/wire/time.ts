import { z } from "./zod.ts";

/** A moment on the wire: RFC 3339, with as many as nine digits of a second. Other texts have another schema and another zero value. */
export const time = z.string().clone();

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
export function toNanoseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}
