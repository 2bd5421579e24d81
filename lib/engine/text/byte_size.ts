import { EngineError } from "../errors.ts";

const UNITS: Record<string, number> = { "": 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Reads a size in bytes as clients write it: `64m`, `1GiB`, `4096`. Throws `EngineError("invalid")`. */
export function parseByteSize(text: string): number {
  const [, digits, unit = ""] = /^([0-9]{1,15})\s*([bkmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
  if (digits === undefined) throw new EngineError("invalid", `invalid size: "${text}"`);
  return Number(digits) * UNITS[unit.toLowerCase()];
}
