import { release } from "node:os";

/** Whether a kernel is older than a version, `5.14`; this machine's unless one is given. */
export function kernelOlderThan(wanted: string, kernel: string = release()): boolean {
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split(".").map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
