import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { chmod, chown, link, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { overlayLayer } from "../../../../lib/oci/tar/layer_tar.ts";
import { sha256 } from "../../../fixtures/images/image_builder.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { BASE, type Rig, testTrees, UPPER } from "../../../fixtures/platform/tree_rig.ts";

const run = async (...words: string[]) => (await runCommand(words[0], words.slice(1))).stdout;

/** Reads the changeset to its end, and gives its digest and what was said of the folder. */
async function finish({ trees }: Rig, paths: readonly string[] = [], entries = 100) {
  const { tar, isExact } = trees.finalChangeset("c", { mounted: { paths, diffIDs: [BASE, UPPER] }, entries });
  const bytes = new Uint8Array(await new Response(tar).arrayBuffer());
  return { bytes, diffID: sha256(bytes), isExact: await isExact() };
}

/** All that a layer's files have, as an archive's bytes, and their names; but for the overlay's own attributes. */
async function look({ folder }: Rig, diffID: string): Promise<{ digest: string; listed: string }> {
  const file = join(folder, "look.tar");
  const names = ["origin", "impure", "uuid"].map((name) => `--xattrs-exclude=trusted.overlay.${name}`);
  const format = ["--format=posix", "--pax-option=delete=atime,delete=ctime", "--sort=name", "--numeric-owner"];
  const diff = join(folder, "layers", diffID.slice("sha256:".length), "diff");
  // The time of a whiteout is nobody's, and is not kept to the fraction.
  await run("find", diff, "-type", "c", "-exec", "touch", "--no-create", "--date=@0", "{}", "+");
  const members = await readdir(diff);
  await run("tar", "-cf", file, "--xattrs", "--xattrs-include=*", ...names, ...format, "-C", diff, ...members.sort());
  const listed = await run("tar", "-tvf", file, "--full-time", "--numeric-owner");
  return { listed, digest: sha256(await readFile(file)) };
}

/** Gives a file in a folder an attribute, by way of an archive. */
async function setAttribute(folder: string, path: string, type: "file" | "dir", name: string): Promise<void> {
  const tar = buildTar([{ type, path, pax: { [`SCHILY.xattr.${name}`]: "value" } }]);
  const file = `${folder}.tar`;
  await writeFile(file, tar);
  await run("tar", "-xf", file, "--xattrs", "--xattrs-include=*", "-C", folder);
}

testTrees("Layers.adopt() makes of a writable layer what its changeset would be unpacked", async (rig) => {
  const { root, layers } = rig;
  await rm(join(root, "etc/passwd"));
  await rm(join(root, "again"), { recursive: true });
  await mkdir(join(root, "again"));
  await writeFile(join(root, "again/new"), "new");
  await mkdir(join(root, "made/deep"), { recursive: true });
  await writeFile(join(root, "made/file"), "x".repeat(5000));
  await chown(join(root, "made/file"), 1000, 1001);
  await chmod(join(root, "made/file"), 0o4750);
  await setAttribute(root, "made/noted", "file", "user.note");
  await link(join(root, "made/file"), join(root, "made/deep/same"));
  await symlink("../nowhere", join(root, "made/link"));
  await run("mkfifo", join(root, "made/pipe"));
  // Left out: a socket, and what was made for mounts alone.
  await run(
    "perl",
    "-MSocket",
    "-e",
    "socket(S,AF_UNIX,SOCK_STREAM,0);bind(S,pack_sockaddr_un($ARGV[0]))",
    join(root, "made/socket"),
  );
  await mkdir(join(root, "made/place/inner"), { recursive: true });
  await writeFile(join(root, "made/place/inner/file"), "");
  await utimes(join(root, "made"), 1_000_000, 1_000_000.5);

  const { bytes, diffID, isExact } = await finish(rig, ["/made/place", "/made/place/inner", "/made/place/inner/file"]);
  assertEquals(isExact, true);
  assertEquals(await layers.adopt("c", diffID), true);
  assertEquals(await layers.has(diffID), true);
  const adopted = await look(rig, diffID);
  const stream = () => new Blob([bytes]).stream();
  assertEquals(await layers.compare(diffID, stream().pipeThrough(overlayLayer())), []);
  await layers.apply(diffID, stream().pipeThrough(overlayLayer()), { replace: true });
  assertEquals(adopted, await look(rig, diffID));
  assertMatch(adopted.listed, /1970-01-12 13:46:40\.5 +made\/\n/);
  assertEquals(/socket|place/.test(adopted.listed), false, adopted.listed);
  // The container's own folders are the removal's.
  await layers.destroy("c");
  assertEquals(await layers.containers(), []);
});

const OTHERS: Record<string, (root: string) => Promise<unknown>> = {
  "an attribute that archives do not carry": (root) => setAttribute(root, "file", "file", "trusted.note"),
  "an attribute of the root": (root) => setAttribute(root, "./", "dir", "user.note"),
  "a name that hides another": (root) => writeFile(join(root, ".wh.etc"), ""),
  "a device": (root) => run("mknod", join(root, "device"), "c", "1", "3"),
  "a file that cannot be changed": async (root) => {
    await writeFile(join(root, "fixed"), "");
    await run("chattr", "+i", join(root, "fixed"));
  },
  "more entries than a layer may have": async (root) => {
    for (const name of ["a", "b", "c"]) await writeFile(join(root, name), "");
  },
};

for (const [what, make] of Object.entries(OTHERS)) {
  testTrees(`Trees.finalChangeset() tells that a writable layer has ${what}`, async (rig) => {
    await make(rig.root);
    try {
      const { bytes, isExact } = await finish(rig, [], 2);
      assertEquals(isExact, false);
      assertNotEquals(bytes.length, 0);
    } finally {
      if (what.includes("cannot")) await run("chattr", "-i", join(rig.folder, "containers/c/upper/fixed"));
    }
  });
}

testTrees("Trees.finalChangeset() writes its tar into a file as it is read, and tells how far it is", async (rig) => {
  const { root, folder, trees } = rig;
  for (let at = 0; at < 5; at++) await writeFile(join(root, `file${at}`), `${at}`.repeat(700_001));
  await run("truncate", "--size=3000001", join(root, "hole"));
  const path = join(folder, "written.tar");
  await writeFile(path, "");
  const changeset = (entries = 100) => {
    return trees.finalChangeset("c", { mounted: { paths: [], diffIDs: [BASE, UPPER] }, entries });
  };
  const { signal } = new AbortController();
  const { writeTo, isExact } = changeset();
  const told = await Array.fromAsync(writeTo(path, signal));
  const { bytes } = await finish(rig);
  assertEquals(await readFile(path), Buffer.from(bytes));
  assertEquals([told.at(-1), told.length > 3, await isExact()], [bytes.length, true, true]);
  assertEquals(told, told.toSorted((a, b) => a - b));
  const { blocks } = await stat(path);
  assertEquals(blocks * 512 < bytes.length - 2_500_000, true, "the hole takes no room");

  await writeFile(path, "");
  const few = changeset(2);
  for await (const _ of few.writeTo(path, signal)) continue;
  assertEquals(await few.isExact(), false);
  const nowhere = () => Array.fromAsync(changeset().writeTo(join(folder, "none"), signal));
  await assertRejects(nowhere, EngineError, "no such file or directory");
  await symlink(path, join(folder, "way"));
  await assertRejects(() => Array.fromAsync(changeset().writeTo(join(folder, "way"), signal)), EngineError);
  const gone = AbortSignal.abort(new Error("not any more"));
  await assertRejects(() => Array.fromAsync(changeset().writeTo(path, gone)), Error, "not any more");
});

testTrees("Layers.adopt() leaves a layer alone that is another file system's", async (rig) => {
  await writeFile(join(rig.root, "file"), "x");
  const { diffID } = await finish(rig);
  const storage = join(rig.folder, "containers/c");
  await rig.layers.unmount("c");
  // Nothing can be moved out of a mount, even of the same file system.
  await run("mount", "--bind", storage, storage);
  try {
    assertEquals(await rig.layers.adopt("c", diffID), false);
    assertEquals(await rig.layers.list(), [BASE, UPPER]);
    assertEquals((await stat(join(storage, "upper"))).isDirectory(), true);
  } finally {
    await run("umount", storage);
  }
});
