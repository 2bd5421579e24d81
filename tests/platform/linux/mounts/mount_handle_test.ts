import { assert, assertEquals, assertRejects } from "@std/assert";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountHandle, unmount } from "../../../../lib/platform/linux/calls/libc.ts";
import { NO_DEVICES, NO_EXECUTION, NO_LINKS, NO_SETUID } from "../../../../lib/platform/linux/mounts/mount_handle.ts";
import { mountHandleByHelper } from "../../../../lib/platform/linux/mounts/mount_helper.ts";
import { openInside } from "../../../../lib/platform/linux/helpers/safe_path.ts";
import { ok, run } from "../../../fixtures/run.ts";
import { ignore } from "../../../fixtures/platform/process_bench.ts";

const ways = {
  "mountHandle()": async (handle: number, target: string, attributes: bigint, recursive?: boolean) => {
    assert(await mountHandle(handle, target, attributes, recursive));
  },
  "mountHandleByHelper()": mountHandleByHelper,
};

for (const [name, mountIt] of Object.entries(ways)) {
  Deno.test({
    name: `${name} shows what is mounted in it as well, and takes nothing else away with it`,
    ignore,
    async fn() {
      const folder = await mkdtemp(join(tmpdir(), "gantry-handle-"));
      const [tree, place] = [join(folder, "tree"), join(folder, "place")];
      try {
        for (const path of [join(tree, "inner"), place]) await mkdir(path, { recursive: true });
        // Shared, as the mounts of most machines are.
        for (
          const args of [["--bind", tree, tree], ["--make-shared", tree], ["-t", "tmpfs", "x", join(tree, "inner")]]
        ) {
          ok(await run(["mount", ...args]));
        }
        await writeFile(join(tree, "inner/file"), "there");
        const opened = await openInside(tree, ".");
        await mountIt(opened!.fd, place, 0n, true);
        await opened!.close();
        assertEquals(await readFile(join(place, "inner/file"), "utf8"), "there");
        ok(await run(["umount", "--recursive", place]));
        assertEquals([await readdir(place), await readFile(join(tree, "inner/file"), "utf8")], [[], "there"]);
      } finally {
        await run(["umount", "--recursive", place]);
        ok(await run(["umount", "--recursive", tree]));
        await rm(folder, { recursive: true });
      }
    },
  });

  Deno.test({
    name: `${name} mounts what was opened, whatever its path leads to by then, with attributes`,
    ignore,
    async fn() {
      const folder = await mkdtemp(join(tmpdir(), "gantry-handle-"));
      const place = join(folder, "place");
      try {
        for (const path of ["tree/part", "outside", "place"]) await mkdir(join(folder, path), { recursive: true });
        await writeFile(join(folder, "tree/part/inner"), "inner");
        await symlink("inner", join(folder, "tree/part/link"));
        const opened = await openInside(join(folder, "tree"), "part");
        assert(opened !== undefined);
        try {
          await rename(join(folder, "tree/part"), join(folder, "tree/moved"));
          await symlink(join(folder, "outside"), join(folder, "tree/part"));
          await mountIt(opened.fd, place, NO_LINKS | NO_DEVICES | NO_SETUID | NO_EXECUTION);
        } finally {
          await opened.close();
        }
        assertEquals(await readdir(place), ["inner", "link"]);
        const line = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").find((line) => line.includes(place))!;
        const options = line.split(" ")[5]!.split(",");
        assertEquals(["nosuid", "nodev", "noexec", "nosymfollow"].filter((option) => !options.includes(option)), []);
        assertEquals(await readFile(join(place, "inner"), "utf8"), "inner");
        await assertRejects(() => readFile(join(place, "link")), Error, "ELOOP");
      } finally {
        await unmount(place);
        await rm(folder, { recursive: true });
      }
    },
  });
}
