import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { mkdtemp, open, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { deleteNamespaceAt, hasNamespace } from "../../../../lib/platform/linux/networks/netns.ts";
import { unmountAll } from "../../../../lib/platform/linux/mounts/overlay.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

/** Page faults of the programs that this process has started and that have ended, as `proc_pid_stat(5)` counts them. */
async function faultsOfPrograms(): Promise<number> {
  const text = await readFile("/proc/self/stat", "utf8");
  return Number(text.slice(text.lastIndexOf(") ") + 2).split(" ")[8]);
}

Deno.test({
  name: "deleteNamespaceAt() lets a namespace go that somebody has open yet, and starts no program for it",
  ignore,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-netns-"));
  const path = join(folder, "netns");
  await writeFile(path, "");
  await runCommand("unshare", ["--net", "mount", "--bind", "/proc/self/ns/net", path]);
  assert(hasNamespace(path));
  const file = await open(path);
  try {
    const { ino } = await file.stat();
    const before = await faultsOfPrograms();
    await deleteNamespaceAt(path);
    assertEquals(await faultsOfPrograms(), before);
    assert(!existsSync(path));
    // It is still the namespace that it was for whoever has it open.
    assertEquals((await stat(`/proc/self/fd/${file.fd}`)).ino, ino);
    await deleteNamespaceAt(path);
  } finally {
    await file.close();
    await unmountAll(path);
    await rmdir(folder);
  }
});
