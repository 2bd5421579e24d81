import { assert, assertEquals } from "@std/assert";
import { treeSize, treeSizes } from "../../../../lib/platform/linux/helpers/tree.ts";

Deno.test("treeSizes() counts hundreds of trees with a few programs: a file once however many names, gone trees as nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const paths = Array.from({ length: 600 }, (_, index) => `${folder}/a b ${index}`);
    for (const [index, path] of paths.entries()) {
      if (index % 100 === 99) continue;
      await Deno.mkdir(`${path}/deep`, { recursive: true });
      await Deno.writeTextFile(`${path}/deep/file`, "x".repeat(index));
      await Deno.link(`${path}/deep/file`, `${path}/again`);
      await Deno.symlink("/etc/passwd", `${path}/link`);
    }
    const begun = performance.now();
    const sizes = await treeSizes(paths);
    assertEquals(sizes, paths.map((_, index) => index % 100 === 99 ? 0 : index));
    assert(performance.now() - begun < 30_000, "far from a program for each");
    assertEquals(await treeSize(paths[42]), 42);
    assertEquals(await treeSizes([]), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("treeSizes() does not fail for files that are deleted while it counts", async () => {
  const folder = await Deno.makeTempDir();
  let isOver = false;
  const churn = (async () => {
    for (let i = 0; !isOver; i++) {
      await Deno.writeTextFile(`${folder}/${i}`, "x");
      await Deno.remove(`${folder}/${i}`);
    }
  })();
  try {
    // A walk may meet several files that were never there at once.
    for (let i = 0; i < 20; i++) assert(Number.isInteger((await treeSizes([folder]))[0]));
  } finally {
    isOver = true;
    await churn;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("treeSizes() counts trees that this process walks as it counts those that a program walks", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const outside = `${folder}/outside`;
    await Deno.mkdir(outside);
    await Deno.writeTextFile(`${outside}/file`, "x".repeat(1000));
    const make = async (name: string, { folders, files }: { folders: number; files: number }) => {
      const path = `${folder}/${name}`;
      let deepest = path;
      for (let depth = 0; depth < folders; depth++) deepest += "/d";
      await Deno.mkdir(deepest, { recursive: true });
      for (let at = 0; at < files; at++) await Deno.writeTextFile(`${deepest}/${at}`, "xyz");
      await Deno.symlink(outside, `${path}/folder`);
      await Deno.symlink(`${outside}/file`, `${path}/file`);
      await new Deno.Command("mkfifo", { args: [`${path}/pipe`] }).output();
      return path;
    };
    const small = await make("small", { folders: 3, files: 7 });
    const deep = await make("deep", { folders: 100, files: 7 });
    const wide = await make("wide", { folders: 1, files: 1000 });
    assertEquals(await treeSizes([small, deep, wide, outside, `${folder}/none`]), [21, 21, 3000, 1000, 0]);
    // A link in the place of a tree is none.
    await Deno.symlink(outside, `${folder}/link`);
    assertEquals(await treeSizes([`${folder}/link`, small]), [0, 21]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
