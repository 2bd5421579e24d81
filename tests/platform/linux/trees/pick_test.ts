import { assertEquals } from "@std/assert";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testTrees } from "../../../fixtures/platform/tree_rig.ts";

testTrees("Trees.pick() reads what paths lead to, the links on the way and the folders above", async (rig) => {
  const { root, trees } = rig;
  await mkdir(join(root, "usr/lib/deep"), { recursive: true });
  await writeFile(join(root, "usr/lib/deep/file"), "x");
  await writeFile(join(root, "usr/other"), "y");
  await link(join(root, "usr/other"), join(root, "usr/lib/same"));
  await symlink("usr/lib", join(root, "lib"));
  await symlink("/lib/.././other", join(root, "usr/lib/absolute"));
  await symlink("../../../../usr/other", join(root, "usr/lib/above"));
  await symlink("round", join(root, "about"));
  await symlink("about", join(root, "round"));
  await symlink("nowhere", join(root, "dangling"));
  const pick = async (...paths: string[]) => (await rig.unpack(trees.pick(root, paths))).names;

  assertEquals(await pick("usr/other"), ["usr/", "usr/other"]);
  assertEquals(await pick("etc"), ["etc/", "etc/", "etc/passwd"]);
  const deep = ["usr/lib/deep/", "usr/lib/deep/", "usr/lib/deep/file"];
  assertEquals(await pick("lib/deep"), ["lib", "usr/", "usr/lib/", ...deep]);
  // The content of a place is there once, and links below it are not followed.
  const whole = ["usr/lib/", "usr/lib/above", "usr/lib/absolute", "usr/lib/deep/", "usr/lib/deep/file", "usr/lib/same"];
  assertEquals(await pick("lib", "usr/lib/", "lib/."), ["lib", "usr/", "usr/lib/", ...whole]);
  assertEquals(await pick("usr/lib/absolute"), ["usr/", "usr/lib/", "usr/lib/absolute", "lib", "usr/other"]);
  assertEquals(await pick("lib/above"), ["lib", "usr/", "usr/lib/", "usr/lib/above", "usr/other"]);
  assertEquals(await pick("about/x", "dangling", "usr/other/below"), ["about", "round", "dangling", "usr/"]);
  assertEquals(await pick(), []);
  assertEquals((await pick("")).filter((name) => name.startsWith("etc")), ["etc/", "etc/passwd"]);
  assertEquals((await pick("../..", "/")).filter((name) => name.startsWith("etc")), ["etc/", "etc/passwd"]);
});
