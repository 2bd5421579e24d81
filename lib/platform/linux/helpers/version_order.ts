import { release } from "node:os";

/**
 * Whether a version is older than another. Both begin with numbers that are separated by dots; a number that `version` lacks is 0, those
 * that `least` lacks do not count: `5.14.0-427.el9` is not older than `5.14`.
 */
export function isOlder(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split(/[^0-9]+/).map(Number));
  const at = want.findIndex((number, i) => (have[i] ?? 0) !== number);
  return at >= 0 && (have[at] ?? 0) < want[at];
}

/** Whether a kernel is older than a version, `5.14`; this machine's unless one is given. */
export function kernelOlderThan(wanted: string, kernel: string = release()): boolean {
  return isOlder(kernel, wanted);
}
