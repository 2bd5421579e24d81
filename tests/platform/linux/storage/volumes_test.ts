import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layers, Volumes } from "../../../../lib/engine/ports/host_port.ts";
import { openLayers } from "../../../../lib/platform/linux/storage/layers.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { hostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { Sweeper } from "../../../../lib/platform/linux/helpers/sweeper.ts";
import { openVolumes } from "../../../../lib/platform/linux/storage/volumes.ts";
import { exchange, folderAndLink } from "../../../hostile/exchange.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

async function withVolumes(
  run: (volumes: Volumes, tree: string, root: string, layers: Layers) => Promise<void>,
  sweeper?: Sweeper,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "gantry-volumes-"));
  const paths = hostPaths(root, join(root, "run"));
  for (const folder of [paths.layers, paths.containers, paths.volumes]) await mkdir(folder, { recursive: true });
  const context = { paths, runtime: "auto", sweeper, log: () => {} };
  const layers: Layers = await openLayers(context);
  await layers.create("c", []);
  try {
    await run(await openVolumes(context, layers), await layers.mount("c", []), root, layers);
  } finally {
    await layers.destroy("c");
    await rm(root, { recursive: true });
  }
}

Deno.test(
  { name: "Volumes.copyUp() takes owner, mode, links and content of the image's folder", ignore },
  () =>
    withVolumes(async (volumes, tree) => {
      await mkdir(join(tree, "srv/data"), { recursive: true });
      await writeFile(join(tree, "srv/data/file"), "content");
      await symlink("/etc/passwd", join(tree, "srv/data/link"));
      await symlink("srv", join(tree, "alias"));
      await chown(join(tree, "srv/data"), 1234, 4321);
      await chmod(join(tree, "srv/data"), 0o2750);
      const path = await volumes.create("v1");
      assertEquals(path, volumes.path("v1"));
      await volumes.copyUp("v1", "c", "/alias/../alias/data");
      const { mode, uid, gid } = await stat(path);
      assertEquals([mode & 0o7777, uid, gid], [0o2750, 1234, 4321]);
      assertEquals(await readFile(join(path, "file"), "utf8"), "content");
      assertEquals(await readlink(join(path, "link")), "/etc/passwd");
      // A volume that has something is left alone.
      await writeFile(join(tree, "srv/data/more"), "");
      await volumes.copyUp("v1", "c", "srv/data");
      assertEquals((await readdir(path)).sort(), ["file", "link"]);
    }),
);

Deno.test(
  { name: "Volumes.copyUp() never follows links out of the tree", ignore },
  () =>
    withVolumes(async (volumes, tree, root) => {
      await mkdir(join(root, "outside"));
      await writeFile(join(root, "outside/secret"), "secret");
      await symlink(join(root, "outside"), join(tree, "absolute"));
      await symlink(`../../../../../../../../..${root}/outside`, join(tree, "climbing"));
      await writeFile(join(tree, "file"), "");
      for (const path of ["absolute", "climbing", "missing", "file", "/absolute/.."]) {
        await volumes.copyUp("v", "c", path);
        const names = await readdir(volumes.path("v"));
        assert(!names.includes("secret"), path);
        await volumes.remove("v");
      }
      await volumes.copyUp("v", "no-such-container", "/");
      assertEquals(await readdir(volumes.path("v")), []);
    }),
);

Deno.test(
  { name: "Volumes.copyUp() reads nothing outside of a tree whose folders change places with links", ignore },
  () =>
    withVolumes(async (volumes, _tree, root, layers) => {
      const outside = join(root, "outside");
      await mkdir(outside);
      const files = Array.from({ length: 50 }, (_, i) => String(i));
      for (const file of files) await writeFile(join(outside, file), "secret");
      const rootfs = join(root, "rootfs");
      await mkdir(join(rootfs, "data"), { recursive: true });
      const [folder, link] = await folderAndLink(join(rootfs, "data"), outside);
      for (const file of files) await writeFile(join(folder, file), "its own");
      await layers.create("shared", []);
      await layers.mount("shared", [], { rootfs: { path: rootfs, overlay: false } });
      const race = exchange(folder, link);
      for (let round = 0; round < 30; round++) {
        // A copy that comes upon a link in the place of a folder fails, as it should.
        await volumes.copyUp("v", "shared", "/data").catch(() => {});
        for (const name of ["way", "link"]) {
          const found = join(volumes.path("v"), name);
          // A link that was copied as one would lead this test itself.
          if ((await lstat(found).catch(() => undefined))?.isDirectory() !== true) continue;
          for (const file of await readdir(found)) {
            const text = file === "inner" ? "" : await readFile(join(found, file), "utf8");
            assert(text !== "secret", `round ${round}`);
          }
        }
        await volumes.remove("v");
      }
      await race[Symbol.asyncDispose]();
      await volumes.copyUp("v", "shared", "/data");
      assertEquals((await readdir(volumes.path("v"))).sort(), ["link", "way"]);
      await layers.destroy("shared");
    }),
);

Deno.test(
  { name: "Volumes.create() gives its folders their mode, whatever the umask", ignore },
  () =>
    withVolumes(async (volumes, _tree, root) => {
      for (const mask of [0o077, 0]) {
        const name = `mask${mask}`;
        const umask = Deno.umask(mask);
        try {
          await volumes.create(name);
        } finally {
          Deno.umask(umask);
        }
        for (const folder of [join(root, "volumes", name), volumes.path(name)]) {
          assertEquals((await stat(folder)).mode & 0o7777, 0o755);
        }
      }
    }),
);

Deno.test(
  { name: "Volumes.remove() removes a volume once and for all", ignore },
  () =>
    withVolumes(async (volumes, _tree, root) => {
      await volumes.create("a");
      await volumes.create("b");
      await writeFile(join(volumes.path("a"), "file"), "kept");
      assertEquals((await stat(await volumes.create("a"))).mode & 0o7777, 0o755);
      assertEquals((await readdir(volumes.path("a"))).length, 1);
      assertEquals((await volumes.list()).sort(), ["a", "b"]);
      await volumes.remove("a");
      await volumes.remove("a");
      assertEquals(await volumes.list(), ["b"]);
      assertEquals(await readdir(join(root, "volumes")), ["b"]);
      assertThrows(() => volumes.path("../b"), TypeError);
    }),
);

Deno.test(
  {
    name: "Volumes.remove() has the folders of an empty volume removed behind the answer, whatever ends meanwhile",
    ignore,
  },
  async () => {
    const warnings: string[] = [];
    const sweeper = new Sweeper((_, message) => void warnings.push(message));
    const taken: string[][] = [];
    const add = sweeper.add.bind(sweeper);
    sweeper.add = (paths) => void taken.push([...paths]);
    await withVolumes(async (volumes, _tree, root) => {
      const left = () => readdir(join(root, "volumes"));
      for (const name of ["empty", "full", "mount"]) await volumes.create(name);
      await writeFile(join(volumes.path("full"), "file"), "content");
      // The space of files is free with the answer.
      await volumes.remove("full");
      assertEquals((await left()).sort(), ["empty", "mount"]);
      await volumes.remove("empty");
      assertEquals(await volumes.list(), ["mount"]);
      assertEquals((await left()).length, 2);
      // Somebody's own mount: it goes, and what is on it stays.
      await mkdir(join(root, "outside"));
      await runCommand("mount", ["--bind", join(root, "outside"), volumes.path("mount")]);
      await volumes.remove("mount");
      await writeFile(join(root, "outside/file"), "kept");
      assertEquals(await volumes.list(), []);
      // A volume of that name may come back meanwhile.
      await volumes.create("empty");
      const [first, ...others] = taken.flat();
      add(others);
      await sweeper.settled();
      await sweeper.close();
      // A server that ends still takes empty folders along.
      add([first]);
      await sweeper.settled();
      assertEquals(await left(), ["empty"]);
      assertEquals(await readdir(join(root, "outside")), ["file"]);
      assertEquals(warnings, []);
    }, sweeper);
  },
);
