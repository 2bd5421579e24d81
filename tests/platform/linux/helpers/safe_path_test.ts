import { assertEquals, assertRejects } from "@std/assert";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { openInside, readInside } from "../../../../lib/platform/linux/helpers/safe_path.ts";

const ignore = Deno.build.os !== "linux";

async function withTree(run: (root: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-path-"));
  try {
    await mkdir(join(folder, "root/etc"), { recursive: true });
    await writeFile(join(folder, "secret"), "secret");
    await writeFile(join(folder, "root/etc/own"), "own");
    await run(join(folder, "root"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test(
  { name: "readInside() never leaves the tree, and gives what is a file only", ignore },
  () =>
    withTree(async (root) => {
      const text = async (path: string) => new TextDecoder().decode(await readInside(root, path, 100));
      await symlink("/etc/own", join(root, "absolute"));
      await symlink("../../../etc/own", join(root, "etc/up"));
      await symlink("../secret", join(root, "out"));
      await symlink("/proc/self/root/etc/passwd", join(root, "magic"));
      await symlink("ring", join(root, "ring"));
      assertEquals(await text("/absolute"), "own");
      assertEquals(await text("etc/up"), "own");
      for (const path of ["/out", "../secret", "/magic", "etc", "/missing", "etc/own/below"]) {
        assertEquals(await readInside(root, path, 100), undefined, path);
      }
      await assertRejects(() => readInside(root, "ring", 100), EngineError, "symbolic links");
      assertEquals((await readInside(root, "etc/own", 2))?.length, 2);
    }),
);

Deno.test(
  { name: "openInside() holds no more folders open than a limit, however deep links lead", ignore },
  () =>
    withTree(async (root) => {
      const deep = Array<string>(100).fill("d").join("/");
      // Each link leads a hundred folders further down than the one before.
      for (let at = root, round = 0; round < 3; round++, at = join(at, deep)) {
        await mkdir(join(at, deep), { recursive: true });
        await symlink(`${deep}/next`, join(at, "next"));
      }
      const before = (await readdir("/proc/self/fd")).length;
      const error = await assertRejects(() => openInside(root, "next"), EngineError, "more than 256 folders");
      assertEquals((error as EngineError).code, "invalid");
      assertEquals((await readdir("/proc/self/fd")).length, before);
    }),
);
