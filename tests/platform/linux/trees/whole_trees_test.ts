import { assert, assertEquals } from "@std/assert";
import { chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { overlayLayer } from "../../../../lib/oci/tar/layer_tar.ts";
import { BASE, testTrees, UPPER } from "../../../fixtures/platform/tree_rig.ts";

const text = async (path: string) => await readFile(path, "utf8");
const isMissing = (path: string) => stat(path).then(() => false, () => true);

testTrees(
  "Trees.changeset() spells whiteouts and opaque folders as OCI does, and unpacks to the same tree",
  async (rig) => {
    const { root, layers, trees } = rig;
    await rm(join(root, "etc/passwd"));
    await rm(join(root, "again"), { recursive: true });
    await mkdir(join(root, "again"));
    await writeFile(join(root, "again/new"), "new");
    const { names } = await rig.unpack(trees.changeset("c"));
    assertEquals(names, ["again/", "again/.wh..wh..opq", "again/new", "etc/", "etc/.wh.passwd"]);
    const third = `sha256:${"c".repeat(64)}`;
    await layers.apply(third, trees.changeset("c").pipeThrough(overlayLayer()));
    await layers.create("copy", [BASE, UPPER, third]);
    const copy = await layers.mount("copy", [BASE, UPPER, third]);
    try {
      assertEquals([await isMissing(join(copy, "etc/passwd")), await isMissing(join(copy, "again/old"))], [true, true]);
      assertEquals(await text(join(copy, "again/new")), "new");
    } finally {
      await layers.destroy("copy");
    }
  },
);

testTrees("Trees.changes() tells what was added, modified and deleted, parents included", async (rig) => {
  const { root, trees } = rig;
  assertEquals(await all(trees.changes({ containerID: "c" }, [BASE, UPPER])), []);
  await writeFile(join(root, "etc/new"), "x");
  await writeFile(join(root, "etc/passwd"), "changed");
  await rm(join(root, "again"), { recursive: true });
  // A lower layer hides it already: it is new.
  await writeFile(join(root, "gone/inner"), "back");
  const changes = await all(trees.changes({ containerID: "c" }, [BASE, UPPER]));
  assertEquals(changes.map(({ kind, path }) => `${kind} ${path}`), [
    "deleted /again",
    "modified /etc",
    "added /etc/new",
    "modified /etc/passwd",
    "modified /gone",
    "added /gone/inner",
  ]);
  const ofImage = await all(trees.changes({ diffID: UPPER }, [BASE]));
  assertEquals(ofImage.map(({ kind, path }) => `${kind} ${path}`), ["modified /gone", "deleted /gone/inner"]);
});

testTrees("Trees.differences() compares trees of containers and layers", async (rig) => {
  const { root, trees } = rig;
  await mkdir(join(root, "made/deep"), { recursive: true });
  await writeFile(join(root, "etc/passwd"), "changed");
  await rm(join(root, "again"), { recursive: true });
  const told = async (...trees_: Parameters<typeof trees.differences>) => {
    return (await all(trees.differences(...trees_))).map(({ kind, path }) => `${kind} ${path}`);
  };
  assertEquals(await told({ diffIDs: [BASE] }, { root }), [
    "deleted /again",
    "modified /etc",
    "modified /etc/passwd",
    "modified /gone",
    "deleted /gone/inner",
    "added /made",
    "added /made/deep",
  ]);
  assertEquals(await told({ diffIDs: [BASE, UPPER] }, { diffIDs: [BASE] }), ["modified /gone", "added /gone/inner"]);
  assertEquals(await told({ root }, { root }), []);
});

testTrees("Trees.export() is the whole tree with its owners", async (rig) => {
  await writeFile(join(rig.root, "mine"), "x");
  await chown(join(rig.root, "mine"), 3_000_000, 4);
  const { names, folder } = await rig.unpack(rig.trees.export(rig.root));
  assert(names.includes("etc/passwd") && names.includes("dev/") && !names.includes("gone/inner"));
  assertEquals((await stat(join(folder, "mine"))).uid, 3_000_000);
});

/** All of them at once. */
async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const some of batches) found.push(...some);
  return found;
}
