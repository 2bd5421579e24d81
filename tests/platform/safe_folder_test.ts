import { assertRejects } from "@std/assert";
import { chmod, chown, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../lib/engine/errors.ts";
import { checkFolder } from "../../lib/platform/safe_folder.ts";

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
