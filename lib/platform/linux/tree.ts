/**
 * Work on whole folder trees that programs do faster than this process could.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./command.ts";

/** Deletes a tree, never following links nor entering what is mounted in it. Missing is no error. */
export async function removeTree(path: string): Promise<void> {
  await runCommand("rm", ["-rf", "--one-file-system", "--", path], { timeout: Infinity });
}

/** Deletes a file. Missing is no error. */
export async function removeFile(path: string): Promise<void> {
  if (existsSync(path)) await unlink(path);
}

/** The bytes of a tree's regular files, each file with several names counted once. */
export async function treeSize(path: string): Promise<number> {
  const { stdout } = await runCommand(
    "find",
    [path, "-xdev", "-type", "f", "(", "-links", "1", "-printf", "%s\\n", "-o", "-printf", "%s %i\\n", ")"],
    { timeout: Infinity, limit: 256 * 1024 * 1024 },
  );
  const seen = new Set<string>();
  let total = 0;
  for (const line of stdout.split("\n")) {
    const space = line.indexOf(" ");
    if (space < 0) {
      total += Number(line);
    } else if (!seen.has(line)) {
      seen.add(line);
      total += Number(line.slice(0, space));
    }
  }
  return total;
}

/** Makes a folder's entries durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The names in a folder; none where it is missing. */
export async function namesIn(path: string): Promise<string[]> {
  // Most of those that are asked for are not there, and an error costs more than the question.
  if (!existsSync(path)) return [];
  return await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/** Deletes what is in a folder and keeps the folder. */
export async function emptyFolder(path: string): Promise<void> {
  for (const name of await namesIn(path)) await removeTree(join(path, name));
}
