import { runCommand } from "../helpers/command.ts";
import { syncFileSystemOf } from "../calls/libc.ts";

/** Resolves when everything that was written before the call to the file system of a path lasts. */
export async function syncFileSystem(path: string): Promise<void> {
  if (await syncFileSystemOf(path)) return;
  await runCommand("sync", ["--file-system", "--", path], { timeout: Infinity });
}
