import { assertEquals } from "@std/assert";
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markDockerTree } from "../../../../lib/platform/linux/bundle/tree/docker_mark.ts";

const ignore = Deno.build.os !== "linux";
const OWNER = { uid: 0, gid: 0 };

Deno.test(
  { name: "markDockerTree() makes an empty file, and leaves what is there, links above all", ignore },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-mark-"));
    const mark = join(folder, ".dockerenv");
    try {
      await markDockerTree(folder, OWNER);
      const { mode, size } = await lstat(mark);
      assertEquals([mode & 0o7777, size], [0o755, 0]);
      await markDockerTree(folder, OWNER);
      await writeFile(mark, "the image's");
      await markDockerTree(folder, OWNER);
      assertEquals(await readFile(mark, "utf8"), "the image's");
      for (const target of [join(folder, "victim"), join(folder, "missing")]) {
        await writeFile(join(folder, "victim"), "kept");
        await rm(mark);
        await symlink(target, mark);
        await markDockerTree(folder, OWNER);
        assertEquals(await readFile(join(folder, "victim"), "utf8"), "kept");
        assertEquals(await lstat(join(folder, "missing")).catch(() => "none"), "none");
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
