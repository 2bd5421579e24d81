import type { Random } from "../../engine/ports/ports.ts";

/** The runtime's cryptographic random numbers. */
export function workersRandom(): Random {
  return { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) };
}
