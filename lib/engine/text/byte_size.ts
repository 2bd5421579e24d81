import { EngineError } from "../errors.ts";

/** The letters of units, each a thousand times the one before it, or 1024 times. */
const UNITS = "bkmgtp";

/**
 * Reads a size in bytes as clients write it: `64m`, `1.5GiB`, `4096`. Throws `EngineError("invalid")`.
 *
 * @param base The step from one unit to the next: 1000 for what Podman and Docker count in thousands
 */
export function parseByteSize(text: string, base: 1000 | 1024 = 1024): number {
  const [, count, unit = "b"] = /^([0-9]{1,15}(?:\.[0-9]{0,15})?)\s*([bkmgtp])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const bytes = count === undefined ? NaN : Math.trunc(Number(count) * base ** UNITS.indexOf(unit.toLowerCase()));
  if (!Number.isSafeInteger(bytes)) throw new EngineError("invalid", `invalid size: '${text}'`);
  return bytes;
}
