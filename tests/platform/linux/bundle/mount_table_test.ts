import { assertEquals, assertRejects } from "@std/assert";
import { lstat, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkMountTable } from "../../../../lib/platform/linux/bundle/mounts/mount_table.ts";

const ignore = Deno.build.os !== "linux";
const OWNER = { uid: 0, gid: 0 };

Deno.test(
  { name: "linkMountTable() makes the link where an image has none, and leaves all else", ignore },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-mtab-"));
    const tree = async (name: string) => {
      await mkdir(join(folder, name));
      return join(folder, name);
    };
    try {
      const empty = await tree("empty");
      await linkMountTable(empty, OWNER);
      await linkMountTable(empty, OWNER);
      assertEquals(await readlink(join(empty, "etc/mtab")), "/proc/mounts");

      const own = await tree("own");
      await mkdir(join(own, "etc"));
      await writeFile(join(own, "etc/mtab"), "mine");
      await linkMountTable(own, OWNER);
      assertEquals((await lstat(join(own, "etc/mtab"))).isFile(), true);

      // A link out of the tree leads nowhere, as it would in the container.
      const outside = await tree("outside");
      const hostile = await tree("hostile");
      await symlink(outside, join(hostile, "etc"));
      await linkMountTable(hostile, OWNER);
      await assertRejects(() => lstat(join(outside, "mtab")), Error, "ENOENT");

      const odd = await tree("odd");
      await writeFile(join(odd, "etc"), "no folder");
      await linkMountTable(odd, OWNER);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
