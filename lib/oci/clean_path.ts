/**
 * Takes out of a path what means nothing: `.`, doubled and final slashes, and `..` with the name before it. The result is absolute, and a `..`
 * at the root stays there, as with the kernel's. Links are not followed: no file is looked at.
 */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
