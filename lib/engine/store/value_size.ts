import { EngineError } from "../errors.ts";

const encoder = new TextEncoder();

/** Throws `limit` where a text that is to be stored has more than `most` bytes in UTF-8. */
export function requireSize(operation: string, what: string, text: string, most: number): void {
  const size = encoder.encode(text).length;
  if (size <= most) return;
  throw new EngineError("limit", `${operation}: ${what} have ${size} bytes; at most ${most} bytes are kept`);
}
