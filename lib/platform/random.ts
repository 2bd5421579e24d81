/**
 * Randomness of Deno and Node.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { Random } from "../engine/ports/ports.ts";

/** The system's cryptographic random numbers. */
export function hostRandom(): Random {
  return { bytes: (length) => new Uint8Array(randomBytes(length)) };
}
