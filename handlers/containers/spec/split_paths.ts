/** Splits lists of paths: `--security-opt mask=/a:/b` comes as one text from some clients, and split from others. */
export function splitPaths(list: readonly string[] = []): string[] {
  return list.flatMap((item) => item.split(":")).filter((item) => item !== "");
}
