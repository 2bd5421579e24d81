import { assert, assertEquals, assertRejects } from "@std/assert";
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Bench, ignore } from "../../../../fixtures/platform/process_bench.ts";
import { runCommand } from "../../../../../lib/platform/linux/helpers/command.ts";
import { Launcher } from "../../../../../lib/platform/linux/processes/nursery/launcher.ts";
import { openNursery } from "../../../../../lib/platform/linux/processes/nursery/nursery.ts";

/** A launcher, beside folders of its server with something mounted in each. */
async function withLauncher(
  run: (rig: { launch: Launcher; link: string; mounted: string[]; told: string[] }) => Promise<void>,
): Promise<void> {
  await using bench = await Bench.open();
  const told: string[] = [];
  const log = (_: string, message: string) => void told.push(message);
  const nursery = await openNursery(bench.paths, log);
  const launch = await Launcher.open({ paths: bench.paths, runtime: "auto", log }, nursery);
  assert(launch !== undefined);
  const mounted = ["one", "two", "three"].map((name) => join(bench.paths.containers, name));
  try {
    for (const place of mounted) {
      await mkdir(place, { recursive: true });
      await runCommand("mount", ["-t", "tmpfs", "tmpfs", place]);
      await writeFile(join(place, "file"), place);
    }
    await run({ launch, link: join(bench.root, "link"), mounted, told });
  } finally {
    for (const place of mounted) await runCommand("umount", [place]);
    await nursery.close();
  }
}

const CRUN = { name: "crun", path: "/usr/bin/crun", version: "", program: "/usr/bin/crun", args: [], filters: true };

/** The mount points of the namespace to which a link leads. */
async function mountsAt(link: string): Promise<string[]> {
  const { stdout } = await runCommand("nsenter", [`--mount=${link}`, "cat", "/proc/self/mountinfo"]);
  return stdout.trim().split("\n").map((line) => line.split(" ")[4]);
}

Deno.test({
  name: "Launcher makes a mount namespace with the ground of a runtime and the container's parts only",
  ignore,
  fn: () =>
    withLauncher(async ({ launch, link, mounted: [one, two, three], told }) => {
      for (const [paths, others] of [[[one], [two, three]], [[two, three], [one]]]) {
        const made = await launch.open(link, { ...CRUN, hidden: "" }, paths);
        const found = await mountsAt(link);
        for (const path of [...paths, "/", "/proc", "/sys"]) assert(found.includes(path), path);
        for (const path of others) assert(!found.includes(path), path);
        const { stdout } = await runCommand("nsenter", [`--mount=${link}`, "cat", join(paths[0], "file")]);
        assertEquals(stdout, paths[0]);
        await made[Symbol.asyncDispose]();
        await assertRejects(() => lstat(link));
      }
      assertEquals(told, []);
      // Nothing of it is to be seen here.
      const here = await Deno.readTextFile("/proc/self/mountinfo");
      assertEquals(here.split("\n").filter((line) => line.split(" ")[4] === one).length, 1);
    }),
});

Deno.test({
  name: "Launcher gives the whole namespace for a container that needs more, and where a part is missing",
  ignore,
  fn: () =>
    withLauncher(async ({ launch, link, mounted, told }) => {
      const { ino: own } = await Deno.stat("/proc/self/ns/mnt");
      const isWhole = async () => (await Deno.stat(link)).ino === own;
      {
        await using _ = await launch.open(link, { ...CRUN, hidden: "" }, undefined);
        assert(await isWhole());
        assertEquals(told, []);
      }
      {
        // The runtime may be on a mount of its own.
        await using _ = await launch.open(link, { ...CRUN, path: "/opt/crun", hidden: "" }, [mounted[0]]);
        assert(await isWhole());
      }
      await using _ = await launch.open(link, { ...CRUN, hidden: "" }, [mounted[0], join(mounted[0], "missing")]);
      assert(await isWhole());
      assertEquals(told.length, 1);
      assert(told[0].includes(`open_tree ${join(mounted[0], "missing")}: `), told[0]);
    }),
});

Deno.test({
  name: "Launcher hides a tree from a runtime in both, and from nobody else",
  ignore,
  fn: () =>
    withLauncher(async ({ launch, link, mounted }) => {
      const hidden = "/usr/share";
      const names = [...Deno.readDirSync(hidden)].length;
      assert(names > 0);
      for (const paths of [[mounted[0]], undefined]) {
        await using _ = await launch.open(link, { ...CRUN, hidden }, paths);
        const { stdout } = await runCommand("nsenter", [`--mount=${link}`, "ls", "-A", hidden]);
        assertEquals(stdout, "");
        assertEquals([...Deno.readDirSync(hidden)].length, names);
      }
    }),
});
