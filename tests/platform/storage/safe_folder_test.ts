import { assertEquals, assertRejects } from "@std/assert";
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../lib/engine/errors.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import { checkFolder, makeSafeFolder } from "../../../lib/platform/storage/safe_folder.ts";
import { run } from "../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

Deno.test({
  name: "checkFolder() refuses a folder that another user could replace or fill",
  ignore,
  async fn() {
    const scratch = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    const root = join(scratch, "above/root");
    try {
      await mkdir(root, { recursive: true });
      await checkFolder(root);
      await chmod(root, 0o1777);
      await assertRejects(() => checkFolder(root), EngineError, "every user may write");
      await chmod(root, 0o755);
      await chown(join(scratch, "above"), 12345, 12345);
      await assertRejects(() => checkFolder(root), EngineError, "belongs to user 12345");
      await symlink(root, join(scratch, "link"));
      await assertRejects(() => checkFolder(join(scratch, "link")), EngineError, "belongs to user 12345");
      await chown(join(scratch, "above"), 0, 0);
      await chmod(join(scratch, "above"), 0o1777);
      await checkFolder(root);
      await chmod(join(scratch, "above"), 0o777);
      await assertRejects(() => checkFolder(root), EngineError, "every user may write");
    } finally {
      await rm(scratch, { recursive: true });
    }
  },
});

Deno.test({
  name: "defect: checkFolder() refuses a folder, and one above it, that a group of others may write to",
  ignore,
  async fn() {
    const scratch = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    const root = join(scratch, "above/root");
    try {
      await mkdir(root, { recursive: true });
      for (const folder of [root, join(scratch, "above")]) {
        await chown(folder, 0, 12345);
        await chmod(folder, 0o775);
        await assertRejects(() => checkFolder(root), EngineError, "group 12345 may write");
        // Without the bit the group may do nothing; root's own group is root.
        await chmod(folder, 0o755);
        await checkFolder(root);
        await chown(folder, 0, 0);
        await chmod(folder, 0o775);
        await checkFolder(root);
        await chmod(folder, 0o755);
      }
      // Sticky above is as good as closed, as long as what is below is ours.
      await chown(join(scratch, "above"), 0, 12345);
      await chmod(join(scratch, "above"), 0o1775);
      await checkFolder(root);
      await chmod(root, 0o1775);
      await chown(root, 0, 12345);
      await assertRejects(() => checkFolder(root), EngineError, "group 12345 may write");
    } finally {
      await rm(scratch, { recursive: true });
    }
  },
});

Deno.test({
  name: "makeSafeFolder() makes nothing where it may not, and says why a folder cannot be made",
  ignore,
  async fn() {
    const scratch = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    const open = join(scratch, "open");
    try {
      await mkdir(open);
      await chmod(open, 0o777);
      const path = join(open, "a/b");
      await assertRejects(
        () => makeSafeFolder(path, 0o711),
        EngineError,
        `Use folder "${path}": every user may write to`,
      );
      assertEquals(await readdir(open), []);
      await chmod(open, 0o1777);
      await makeSafeFolder(path, 0o711);
      await makeSafeFolder(path, 0o711);
      for (const made of [join(open, "a"), path]) assertEquals((await lstat(made)).mode & 0o777, 0o711);
      await run(["mount", "-t", "tmpfs", "-o", "ro,mode=755", "tmpfs", open]);
      const error = await assertRejects(() => makeSafeFolder(path, 0o711), Error);
      assertEquals((error as NodeJS.ErrnoException).code, "EROFS");
    } finally {
      await run(["umount", open]);
      await rm(scratch, { recursive: true });
    }
  },
});

Deno.test({
  name: "defect: listen() makes no Unix socket where another user could exchange it",
  ignore,
  async fn() {
    const scratch = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    const address = `unix://${scratch}/in/gantry.sock`;
    const ok = () => Promise.resolve(new Response("ok"));
    try {
      await mkdir(join(scratch, "in"));
      const open = join(scratch, "in");
      const refused = async (why: string) => {
        await assertRejects(() => listen(address, ok), Error, why);
        await assertRejects(() => lstat(join(open, "gantry.sock")), Error, "ENOENT");
      };
      await chmod(open, 0o777);
      await refused("every user may write");
      await chmod(open, 0o775);
      await chown(open, 0, 12345);
      await refused("group 12345 may write");
      await chmod(open, 0o755);
      await chown(open, 12345, 0);
      await refused("belongs to user 12345");
      await chown(open, 0, 0);
      // In a sticky folder nobody else can take the socket away.
      for (const mode of [0o1777, 0o755]) {
        await chmod(open, mode);
        await (await listen(address, ok)).close();
      }
    } finally {
      await rm(scratch, { recursive: true });
    }
  },
});
