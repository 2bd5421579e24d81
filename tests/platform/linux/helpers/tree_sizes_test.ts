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
