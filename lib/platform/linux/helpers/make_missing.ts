import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder unless it is there. Its parents are looked for only where the nearest is missing: that takes longer than all the rest. */
export async function makeMissing(path: string, mode: number): Promise<void> {
  if (!existsSync(path)) await mkdir(path, { mode, recursive: !existsSync(dirname(path)) });
}
