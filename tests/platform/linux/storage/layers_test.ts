import { assert, assertEquals, assertRejects } from "@std/assert";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, statfs, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { Layers } from "../../../../lib/engine/ports/host_port.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { openLayers } from "../../../../lib/platform/linux/storage/layers.ts";
import { hostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { hasTopMark } from "../../../fixtures/platform/top_mark.ts";
import { Sweeper } from "../../../../lib/platform/linux/helpers/sweeper.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

/** A folder with layers in it, as `openHost` prepares it. */
async function open(root: string): Promise<Layers> {
  const paths = hostPaths(root, join(root, "run"));
  for (const folder of [paths.layers, paths.containers]) await mkdir(folder, { recursive: true });
  return await openLayers({ paths, runtime: "auto", log: () => {} });
}

async function withRoot(run: (layers: Layers, root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "gantry layers,a:b-"));
  const layers = await open(root);
  try {
    await run(layers, root);
  } finally {
    for (const id of await layers.containers()) await layers.destroy(id);
    await rm(root, { recursive: true });
  }
}

const diffID = (number: number) => `sha256:${number.toString(16).padStart(64, "0")}`;
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

/** An archive of what `fill` puts into a folder; `members` chooses what goes in (all but the root's own entry by default). */
async function archive(
  fill: (folder: string) => Promise<void>,
  members?: string[],
): Promise<ReadableStream<Uint8Array>> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-archive-"));
  try {
    await mkdir(join(folder, "tree"));
    await fill(join(folder, "tree"));
    const names = members ?? await readdir(join(folder, "tree"));
    const file = join(folder, "layer.tar");
    await pack(file, join(folder, "tree"), names);
    return new Blob([new Uint8Array(await readFile(file))]).stream();
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function pack(file: string, folder: string, names: string[]): Promise<void> {
  await runCommand("tar", ["-cf", file, "--xattrs", "--xattrs-include=*", "-C", folder, ...names]);
}

const oneFile = (name: string, content: string) => archive((folder) => writeFile(join(folder, name), content));

Deno.test(
  { name: "Layers.remove() takes a layer out of sight at once, and its files go behind the answer", ignore },
  async () => {
    const root = await mkdtemp(join(tmpdir(), "gantry-layers-"));
    const paths = hostPaths(root, join(root, "run"));
    for (const folder of [paths.layers, paths.containers]) await mkdir(folder, { recursive: true });
    const warnings: string[] = [];
    const sweeper = new Sweeper((_, message) => void warnings.push(message));
    const layers = await openLayers({ paths, runtime: "auto", sweeper, log: () => {} });
    const partial = join(paths.layers, "partial");
    try {
      await layers.apply(diffID(1), await oneFile("file", "content"));
      // The sweeper has something else to do first.
      const { promise: free, resolve: letGo } = Promise.withResolvers<void>();
      const busy = sweeper.add.bind(sweeper);
      sweeper.add = (doomed) => void free.then(() => busy(doomed));
      await layers.remove(diffID(1));
      assertEquals(await layers.has(diffID(1)), false);
      assertEquals(await layers.list(), []);
      const { bavail, bsize } = await statfs(root);
      // On a full disk the space is there with the answer.
      assertEquals((await readdir(partial)).length, bavail * bsize >= 5 * 1024 ** 3 ? 1 : 0);
      // The same layer may come back meanwhile.
      await layers.apply(diffID(1), await oneFile("file", "content"));
      letGo();
      await free;
      await sweeper.settled();
      assertEquals(await readdir(partial), []);
      assertEquals(await layers.has(diffID(1)), true);
      assertEquals(warnings, []);
    } finally {
      await sweeper.close();
      await rm(root, { recursive: true });
    }
  },
);

Deno.test(
  { name: "layers are unpacked apart from each other, where the file system has a mark for that", ignore },
  () =>
    withRoot(async (_, root) => {
      const mark = await hasTopMark(join(root, "layers", "partial"));
      if (mark !== undefined) assertEquals(mark, true);
    }),
);

Deno.test(
  { name: "Layers.apply() shows a layer only when it is whole", ignore },
  () =>
    withRoot(async (layers, root) => {
      const broken = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(512).fill(65)),
        pull: () => Promise.reject(new EngineError("corrupt", "Read layer: cut off")),
      });
      await assertRejects(() => layers.apply(diffID(1), broken), EngineError, "cut off");
      const noArchive = new Blob([new Uint8Array(4096).fill(65)]).stream();
      const error = await assertRejects(() => layers.apply(diffID(1), noArchive), EngineError);
      assertEquals(error.code, "corrupt");
      assertEquals(await layers.has(diffID(1)), false);
      assertEquals(await readdir(join(root, "layers", "partial")), []);

      await layers.apply(diffID(1), await oneFile("hello", "hello"));
      await layers.apply(diffID(1), await oneFile("hello", "hello"));
      await Promise.all([1, 2].map(async () => await layers.apply(diffID(2), await oneFile("a", "abc"))));
      // What it is called may come out last.
      await layers.apply(() => Promise.resolve(diffID(3)), await oneFile("a", "abc"));
      const unnamed = layers.apply(() => Promise.reject(new Error("no name")), await oneFile("a", "abc"));
      await assertRejects(() => unnamed, Error, "no name");
      assertEquals((await layers.list()).sort(), [diffID(1), diffID(2), diffID(3)]);
      assertEquals(await readdir(join(root, "layers", "partial")), []);

      await mkdir(join(root, "layers", "partial", "left", "over"), { recursive: true });
      const again = await open(root);
      assertEquals(await again.has(diffID(1)), true);
      assertEquals(await readdir(join(root, "layers", "partial")), []);
      await again.remove(diffID(1));
      await again.remove(diffID(1));
      assertEquals(await again.has(diffID(1)), false);
      assertEquals((await readdir(join(root, "layers", "links"))).sort(), ["1", "2"]);
      await assertRejects(() => layers.has("sha256:../../x"), TypeError);
    }),
);

Deno.test(
  { name: "Layers.mount() stacks 127 layers and keeps what a container writes", ignore },
  () =>
    withRoot(async (layers) => {
      const ids = Array.from({ length: 127 }, (_, index) => diffID(index + 1));
      for (const [index, id] of ids.entries()) {
        await layers.apply(
          id,
          await archive(async (folder) => {
            await writeFile(join(folder, "top"), `${index}`);
            await writeFile(join(folder, `own-${index}`), "");
          }),
        );
      }
      // An image may hold a layer more than once.
      const stack = [...ids, ids[3], ids[126]];
      await layers.create("many", stack);
      const [tree, same] = await Promise.all([layers.mount("many", stack), layers.mount("many", stack)]);
      assertEquals(same, tree);
      assertEquals(text(await layers.readFile("many", "/top", 100)), "126");
      assertEquals((await readdir(tree)).length, 128);
      await writeFile(join(tree, "written"), "12345");
      assertEquals(await layers.usage("many"), 5);
      await layers.unmount("many");
      await layers.unmount("many");
      assertEquals(await readdir(tree), []);
      await layers.mount("many", stack);
      assertEquals(text(await layers.readFile("many", "written", 3)), "123");
      assertEquals(await layers.containers(), ["many"]);
      await layers.destroy("many");
      await layers.destroy("many");
      assertEquals(await layers.containers(), []);
      await assertRejects(() => layers.create("gone", [diffID(999)]), EngineError, "is missing");
    }),
);

Deno.test(
  { name: "Layers.mount() gives an image without layers an empty tree", ignore },
  () =>
    withRoot(async (layers) => {
      await layers.create("empty", []);
      const tree = await layers.mount("empty", []);
      assertEquals(await readdir(tree), []);
      await writeFile(join(tree, "file"), "x");
      assertEquals((await stat(tree)).mode & 0o7777, 0o555);
    }),
);

Deno.test(
  { name: "Layers.apply() understands whiteouts, opaque folders, capabilities and root attributes", ignore },
  () =>
    withRoot(async (layers, root) => {
      const base = await archive(async (folder) => {
        await mkdir(join(folder, "covered"));
        for (const name of ["kept", "gone", "covered/below"]) await writeFile(join(folder, name), name);
        await chmod(folder, 0o1771);
      }, ["."]);
      await layers.apply(diffID(1), base);
      // A container makes the whiteouts, so that they are what this kernel makes of them.
      await layers.create("maker", [diffID(1)]);
      const made = await layers.mount("maker", [diffID(1)]);
      assertEquals((await stat(made)).mode & 0o7777, 0o1771);
      await rm(join(made, "gone"));
      await rm(join(made, "covered"), { recursive: true });
      await mkdir(join(made, "covered"));
      await writeFile(join(made, "covered", "new"), "new");
      await layers.unmount("maker");
      const file = join(root, "layer.tar");
      const upper = join(root, "containers", "maker", "upper");
      await pack(file, upper, await readdir(upper));
      await layers.apply(diffID(2), new Blob([new Uint8Array(await readFile(file))]).stream());

      await layers.create("reader", [diffID(1), diffID(2)]);
      const tree = await layers.mount("reader", [diffID(1), diffID(2)]);
      assertEquals((await readdir(tree)).sort(), ["covered", "kept"]);
      assertEquals(await readdir(join(tree, "covered")), ["new"]);
      // The upper layer's archive had no entry for its root: the base's holds.
      assertEquals((await stat(tree)).mode & 0o7777, 0o1771);
    }),
);

Deno.test({ name: "Layers.readFile() never leaves the tree", ignore }, () =>
  withRoot(async (layers, root) => {
    await writeFile(join(root, "secret"), "secret");
    const layer = await archive(async (folder) => {
      await mkdir(join(folder, "etc/deep"), { recursive: true });
      await writeFile(join(folder, "etc/passwd"), "inside");
      await symlink("/etc/passwd", join(folder, "absolute"));
      await symlink("../../../../../../../../etc/passwd", join(folder, "etc/deep/climbing"));
      await symlink("/etc", join(folder, "folder"));
      await symlink("ring", join(folder, "ring"));
      await symlink(join(root, "secret"), join(folder, "out"));
      await symlink("/proc/self/root/etc/passwd", join(folder, "magic"));
      await runCommand("mkfifo", [join(folder, "fifo")]);
    });
    await layers.apply(diffID(1), layer);
    await layers.create("c", [diffID(1)]);
    await layers.mount("c", [diffID(1)]);
    for (const path of ["etc/passwd", "/absolute", "etc/deep/climbing", "folder/passwd", "../../etc/./passwd"]) {
      assertEquals(text(await layers.readFile("c", path, 100)), "inside", path);
    }
    for (const path of ["out", "magic", "fifo", "etc", "etc/passwd/x", "missing", "/"]) {
      assertEquals(await layers.readFile("c", path, 100), undefined, path);
    }
    await assertRejects(() => layers.readFile("c", "ring", 100), EngineError, "symbolic links");
    const before = (await readdir("/proc/self/fd")).length;
    for (let round = 0; round < 50; round++) await layers.readFile("c", "etc/deep/climbing", 100);
    assert((await readdir("/proc/self/fd")).length <= before);
  }));
