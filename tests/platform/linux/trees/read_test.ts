import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { chmod, chown, link, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { testTrees } from "../../../fixtures/platform/tree_rig.ts";

const text = async (path: string) => await readFile(path, "utf8");

testTrees("Trees.stat() tells of files, folders and links, and resolves links inside the tree", async (rig) => {
  const { trees, root } = rig;
  const at = (path: string) => rig.at(path);
  await writeFile(join(root, "file"), "12345");
  await utimes(join(root, "file"), 100.5, 100.5);
  await chmod(join(root, "file"), 0o4751);
  await symlink("/etc", join(root, "link"));
  await symlink("../../../../etc/passwd", join(root, "etc/out"));
  await symlink("/nowhere/else", join(root, "lost"));
  assertEquals(await trees.stat(at("/file")), {
    mode: 0o104751,
    size: 5,
    modified: 100_500_000_000n,
    isFolder: false,
    exists: true,
  });
  const linked = await trees.stat(at("/link"));
  assertEquals([linked.isFolder, linked.target, linked.mode & 0o170000], [true, "/etc", 0o120000]);
  assertEquals((await trees.stat(at("/link/out"))).target, "/etc/passwd");
  const lost = await trees.stat(at("/lost"));
  assertEquals([lost.exists, lost.target], [false, "/nowhere/else"]);
  for (const path of ["/no", "/file/no", "/lost/no"]) {
    const error = await assertRejects(() => trees.stat(at(path)), EngineError);
    assertEquals([error.code, error.message], ["no_such_file", "no such file or directory"]);
  }
  assertEquals((await trees.stat(at("/"))).isFolder, true);
});

testTrees("Trees.read() archives a folder, its contents, a file and what a link leads to", async (rig) => {
  const { root } = rig;
  await mkdir(join(root, "data/deep"), { recursive: true });
  const long = "n".repeat(120);
  await writeFile(join(root, "data/deep", long), "long");
  await writeFile(join(root, "data/a"), "a");
  await link(join(root, "data/a"), join(root, "data/b"));
  await symlink("/data/a", join(root, "data/z"));
  await chown(join(root, "data/a"), 7, 8);
  await runCommand("setfattr", ["-n", "user.note", "-v", "kept", join(root, "data/a")]).catch(() => {});
  await symlink("data", join(root, "to"));
  const expected = ["", "a", "b", "deep/", `deep/${long}`, "z"];
  assertEquals((await rig.get("/data")).names, expected.map((name) => `data/${name}`));
  assertEquals((await rig.get("/data/.")).names, expected.slice(1));
  assertEquals((await rig.get("/to")).names, expected.map((name) => `to/${name}`));
  assertEquals((await rig.get("/data/z")).names, ["z"]);
  const { folder } = await rig.get("/data");
  assertEquals(await text(join(folder, "data/deep", long)), "long");
  const [a, b] = await Promise.all([stat(join(folder, "data/a")), stat(join(folder, "data/b"))]);
  assertEquals([a.ino, a.uid, a.gid], [b.ino, 0, 0]);
  assertEquals((await rig.get("/")).names.filter((name) => name.startsWith("dev")), []);
});

testTrees("Trees.read() gives all of it to the container's user", async (rig) => {
  await writeFile(join(rig.root, "file"), "x");
  const { archive } = await rig.trees.read(rig.at("/file"), { owner: "user" });
  const { folder } = await rig.unpack(archive);
  const { uid, gid } = await stat(join(folder, "file"));
  assertEquals([uid, gid], [1000, 1001]);
});

testTrees("Trees.stat() tells the target of a link whole: with line ends, and as long as one can be", async (rig) => {
  for (const target of ["a\nb\n", `${"x/".repeat(2040)}y`, "ä\u{1f600}"]) {
    await symlink(target, join(rig.root, "odd"));
    const { exists, target: told } = await rig.trees.stat(rig.at("/odd"));
    assertEquals([exists, told], [false, `/${target}`]);
    await rm(join(rig.root, "odd"));
  }
});

testTrees("Trees.stat() of many paths at once tells each, and an aborted one nothing", async (rig) => {
  await rig.put(
    "/many",
    Array.from({ length: 40 }, (_, i) => ({ type: "file", path: `f${i}`, content: "x".repeat(i) })),
  );
  const aborted = AbortSignal.abort(new Error("gone"));
  await assertRejects(() => rig.trees.stat(rig.at("/many/f1"), aborted), Error, "gone");
  const facts = await Promise.all(Array.from({ length: 40 }, (_, i) => rig.trees.stat(rig.at(`/many/f${i}`))));
  assertEquals(facts.map(({ size }) => size), Array.from({ length: 40 }, (_, i) => i));
});

testTrees("Trees.read() of a path that is not there says so each time, however soon its agent ends", async (rig) => {
  for (let i = 0; i < 50; i++) {
    const error = await assertRejects(() => rig.trees.read(rig.at("/no/such"), { owner: "" }), EngineError);
    assertEquals([error.code, error.message], ["no_such_file", "no such file or directory"]);
  }
});

testTrees("Trees.changes() of a tree that is not there gives the reason", async (rig) => {
  const read = async () => {
    for await (const _ of rig.trees.changes({ containerID: "nobody" }, [])) continue;
  };
  const error = await assertRejects(read, EngineError);
  assertMatch(error.message, /^Work on files: open .*\/nobody\/upper: no such file or directory$/);
});
