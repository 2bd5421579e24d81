/**
 * Returns whether the version in a path (`1.44`, `4.9.3-rhel`) is older than another. A path without a version belongs to a
 * client that takes the newest form.
 */
export function isBefore(version: string | undefined, major: number, minor: number): boolean {
  if (version === undefined) return false;
  const [first = 0, second = 0] = version.split(".").map((part) => parseInt(part, 10) || 0);
  return first < major || (first === major && second < minor);
}

/**
 * Returns whether Podman's service speaks this version of Docker's API, too. Its clients and its own suite read mounts and volumes in
 * Podman's words there; later versions are Docker's alone.
 */
export function isSpokenByPodman(version: string | undefined): boolean {
  return isBefore(version, 1, 42);
}
