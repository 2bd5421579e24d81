import { assertEquals } from "@std/assert";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearMappedOwners, withMappedOwners } from "../../../../lib/platform/linux/storage/lower_folders.ts";
import { mapOwners } from "../../../../lib/platform/linux/mounts/mount_helper.ts";
import { hostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { deleteUserNamespace, openUserNamespaces } from "../../../../lib/platform/linux/user_namespaces.ts";
import { ignore } from "../../../fixtures/platform/process_bench.ts";

const MAP = [{ container: 0, host: 100_000, size: 1000 }];

Deno.test({
  name: "withMappedOwners() shows folders as a user namespace's users own them, and only for as long as that",
  ignore,
  async fn() {
    const root = await mkdtemp(join(tmpdir(), "gantry-mapped-"));
    const paths = hostPaths(root, join(root, "run"));
    const layer = join(root, "layer");
    await mkdir(layer);
    await mkdir(paths.runroot);
    await writeFile(join(layer, "file"), "kept");
    const users = openUserNamespaces(paths);
    const userns = await users.create("box", { maps: { uids: MAP, gids: MAP }, network: false });
    try {
      const seen = await withMappedOwners(userns, [layer], paths.shared, async (base, [name]) => {
        const { uid, gid } = await stat(join(base, name!, "file"));
        return [uid, gid];
      });
      assertEquals(seen, [100_000, 100_000]);
      assertEquals(await readdir(paths.shared), []);
      // What a server leaves that is killed in between.
      const left = join(paths.shared, "mapped-left", "0");
      await mkdir(left, { recursive: true });
      await mapOwners(userns, [{ source: layer, target: left }]);
      await clearMappedOwners(paths.shared, (_level, text) => assertEquals(text, "", "nothing is told of"));
      assertEquals(await readdir(paths.shared), []);
      assertEquals(await readFile(join(layer, "file"), "utf8"), "kept");
    } finally {
      await deleteUserNamespace(userns);
      await rm(root, { recursive: true });
    }
  },
});

Deno.test("UserNamespaces.subordinate() reads the ranges of one user", async () => {
  const root = await mkdtemp(join(tmpdir(), "gantry-subids-"));
  const [uids, gids] = [join(root, "subuid"), join(root, "missing")];
  await writeFile(uids, "other:1:2\ncontainers:100000:65536\ncontainers:300000:10\n");
  const users = openUserNamespaces(hostPaths(root, root), [uids, gids]);
  const ranges = [{ host: 100_000, size: 65_536 }, { host: 300_000, size: 10 }];
  assertEquals(await users.subordinate("containers"), { uids: ranges, gids: [] });
  await rm(root, { recursive: true });
});
