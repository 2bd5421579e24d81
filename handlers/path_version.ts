/** Whether the version in a path is older than another. Without one the client takes what is new. */
export function isBefore(version: string | undefined, major: number, minor: number): boolean {
  if (version === undefined) return false;
  const [first = 0, second = 0] = version.split(".").map((part) => parseInt(part, 10) || 0);
  return first < major || (first === major && second < minor);
}
