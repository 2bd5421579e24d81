import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { TreePath, TreeWriteOptions } from "../../../lib/engine/tree_port.ts";
import { archiveEntries, type ArchiveOptions } from "../../../lib/oci/archive_entries.ts";
import { LayerError } from "../../../lib/oci/layer_error.ts";
import { overlayLayer } from "../../../lib/oci/layer_tar.ts";
import { runCommand } from "../../../lib/platform/linux/command.ts";
import { openLayers } from "../../../lib/platform/linux/layers.ts";
import { hostPaths } from "../../../lib/platform/linux/paths.ts";
import { openTrees } from "../../../lib/platform/linux/trees/trees.ts";
import { buildTar, type Entry } from "../../fixtures/tar_builder.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
const BASE = `sha256:${"a".repeat(64)}`;
const UPPER = `sha256:${"b".repeat(64)}`;

/** One container over two layers, its tree mounted. */
class Rig implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly layers: Awaited<ReturnType<typeof openLayers>>,
    readonly trees: ReturnType<typeof openTrees>,
    readonly root: string,
  ) {}

  static async open(): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), "gantry-trees-"));
    const paths = hostPaths(folder, join(folder, "run"));
    for (const each of [paths.layers, paths.containers]) await mkdir(each, { recursive: true });
    const layers = await openLayers({ paths, runtime: "auto", log: () => {} });
    const base: Entry[] = [
      { type: "dir", path: "etc" },
      { type: "file", path: "etc/passwd", content: "root:x:0:0::/:/bin/sh\nuser:x:1000:1001::/:/bin/sh\n" },
      { type: "dir", path: "gone" },
      { type: "file", path: "gone/inner", content: "x" },
      { type: "dir", path: "again" },
      { type: "file", path: "again/old", content: "x" },
      { type: "dir", path: "dev" },
    ];
    await layers.apply(BASE, stream(buildTar(base)).pipeThrough(overlayLayer()));
    await layers.apply(UPPER, stream(buildTar([{ type: "whiteout", path: "gone/inner" }])).pipeThrough(overlayLayer()));
    await layers.create("c", [BASE, UPPER]);
    return new Rig(folder, layers, openTrees(paths, layers), await layers.mount("c", [BASE, UPPER]));
  }

  at(path: string): TreePath {
    return { root: this.root, path };
  }

  async put(path: string, entries: Entry[] | Uint8Array, options: TreeWriteOptions & ArchiveOptions = {}) {
    const tar = entries instanceof Uint8Array ? entries : buildTar(entries);
    await this.trees.write(this.at(path), stream(tar).pipeThrough(archiveEntries(options)), options);
  }

  /** The archive of a path, listed and unpacked. */
  async get(path: string): Promise<{ names: string[]; folder: string }> {
    return await this.unpack((await this.trees.read(this.at(path), { owner: "" })).archive);
  }

  async unpack(tar: ReadableStream<Uint8Array>): Promise<{ names: string[]; folder: string }> {
    const folder = await mkdtemp(join(this.folder, "out-"));
    const file = join(folder, "..", `${folder.split("/").at(-1)}.tar`);
    await writeFile(file, new Uint8Array(await new Response(tar).arrayBuffer()));
    const { stdout } = await runCommand("tar", ["--quoting-style=literal", "-tf", file]);
    await runCommand("tar", ["--xattrs", "--xattrs-include=*", "-xf", file, "-C", folder]);
    return { names: stdout.split("\n").slice(0, -1), folder };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.layers.destroy("c");
    await rm(this.folder, { recursive: true });
  }
}

function stream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes as BlobPart]).stream();
}

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    fn: async () => {
      await using rig = await Rig.open();
      await run(rig);
    },
  });
}

const text = async (path: string) => await readFile(path, "utf8");
const isMissing = (path: string) => stat(path).then(() => false, () => true);

test("Trees.stat() tells of files, folders and links, and resolves links inside the tree", async (rig) => {
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

test("Trees.read() archives a folder, its contents, a file and what a link leads to", async (rig) => {
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

test("Trees.read() gives all of it to the container's user", async (rig) => {
  await writeFile(join(rig.root, "file"), "x");
  const { archive } = await rig.trees.read(rig.at("/file"), { owner: "user" });
  const { folder } = await rig.unpack(archive);
  const { uid, gid } = await stat(join(folder, "file"));
  assertEquals([uid, gid], [1000, 1001]);
});

test("Trees.write() keeps owners, modes, times, links and attributes", async (rig) => {
  await rig.put("/made/here", [
    { type: "dir", path: "d", mode: 0o2750, uid: 5, gid: 6, mtime: 1000 },
    { type: "file", path: "d/f", content: "hello", mode: 0o4711, uid: 7, gid: 8, mtime: 2000 },
    { type: "hardlink", path: "d/h", target: "d/f" },
    { type: "symlink", path: "d/s", target: "/etc/passwd" },
    { type: "fifo", path: "d/p" },
  ]);
  const inside = (path: string) => join(rig.root, "made/here", path);
  const [d, f, h, s, p] = await Promise.all(["d", "d/f", "d/h", "d/s", "d/p"].map((path) => lstat(inside(path))));
  assertEquals([d.mode & 0o7777, d.uid, d.gid, d.mtimeMs], [0o2750, 5, 6, 1_000_000]);
  assertEquals([f.mode & 0o7777, f.uid, f.gid, f.mtimeMs], [0o4711, 7, 8, 2_000_000]);
  assertEquals([h.ino, s.isSymbolicLink(), p.isFIFO()], [f.ino, true, true]);
  assertEquals(await text(inside("d/h")), "hello");
});

test("Trees.write() and read() carry attributes byte for byte", async (rig) => {
  const capability = new Uint8Array([1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const xattrs = { "security.capability": capability, "user.note": new Uint8Array([0, 255, 10]) };
  await rig.put("/x", [{ type: "file", path: "f", content: "x", uid: 5, xattrs }, {
    type: "dir",
    path: "d",
    xattrs: { "user.d": "1" },
  }]);
  const { archive } = await rig.trees.read(rig.at("/x/."), { owner: "" });
  const bytes = new Uint8Array(await new Response(archive).arrayBuffer());
  const raw = String.fromCharCode(...bytes);
  for (const [name, value] of Object.entries(xattrs)) {
    assert(raw.includes(`SCHILY.xattr.${name}=${String.fromCharCode(...value)}\n`), name);
  }
  assert(raw.includes("SCHILY.xattr.user.d=1\n"));
});

test("Trees.write() of random archives stays in the tree", async (rig) => {
  const outside = join(rig.folder, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "victim"), "safe");
  let seed = 7;
  const random = (count: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % count;
  const parts = ["a", "b", "..", ".", "", "link", outside.slice(1), "victim"];
  const path = () => Array.from({ length: 1 + random(4) }, () => parts[random(parts.length)]).join("/");
  const targets = [outside, "..", "/", `${"../".repeat(12)}${outside}`, "a", "link"];
  const entry = (): Entry => {
    const kinds: Entry[] = [
      { type: "file", path: path(), content: "hit" },
      { type: "dir", path: path() },
      { type: "symlink", path: path(), target: targets[random(targets.length)] },
      { type: "hardlink", path: path(), target: `${targets[random(targets.length)]}/victim` },
    ];
    return kinds[random(kinds.length)];
  };
  for (let round = 0; round < 60; round++) {
    await rig.put("/play", Array.from({ length: 12 }, entry), { keepKinds: round % 2 === 0 }).catch((error) => {
      if (!(error instanceof EngineError) && !(error instanceof LayerError)) throw error;
    });
  }
  assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["victim"]);
  assertEquals(await text(join(outside, "victim")), "safe");
});

test("Trees.write() replaces what is in the way, unless kinds are to be kept", async (rig) => {
  const inside = (path: string) => join(rig.root, path);
  await mkdir(inside("t/folder/deep"), { recursive: true });
  await writeFile(inside("t/file"), "old");
  await rig.put("/t", [{ type: "file", path: "file", content: "new" }], { keepKinds: true });
  assertEquals(await text(inside("t/file")), "new");
  const onFolder = () => rig.put("/t", [{ type: "file", path: "folder", content: "new" }], { keepKinds: true });
  const error = await assertRejects(onFolder, EngineError);
  assertEquals(error.code, "invalid");
  assertStringIncludes(error.message, 'copier: put: error creating file at "/t/folder"');
  await assertRejects(() => rig.put("/t", [{ type: "dir", path: "file" }], { keepKinds: true }), EngineError);
  await rig.put("/t", [{ type: "file", path: "folder", content: "new" }, { type: "dir", path: "file" }]);
  assertEquals(await text(inside("t/folder")), "new");
  assert((await stat(inside("t/file"))).isDirectory());
  await assertRejects(() => rig.put("/t/folder", []), EngineError, "exists but is not a directory");
});

test("Trees.write() renames, and gives all of it to an owner", async (rig) => {
  const entries: Entry[] = [{ type: "dir", path: "one" }, { type: "file", path: "one/two", content: "x", uid: 9 }];
  await rig.put("/r", entries, { rename: { one: "three" }, owner: "user" });
  const { uid, gid } = await stat(join(rig.root, "r/three/two"));
  assertEquals([uid, gid], [1000, 1001]);
});

test("Trees.write() never leaves the tree, whatever an archive or the tree says", async (rig) => {
  const outside = join(rig.folder, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "victim"), "safe");
  await symlink(outside, join(rig.root, "absolute"));
  await symlink(`${"../".repeat(20)}${outside}`, join(rig.root, "relative"));
  await rig.put("/t", [
    { type: "file", path: "../../../up", content: "x" },
    { type: "file", path: "/top", content: "x" },
    { type: "symlink", path: "out", target: outside },
    { type: "file", path: "out", content: "replaced" },
  ]);
  assertEquals(await text(join(rig.root, "t/up")), "x");
  assertEquals(await text(join(rig.root, "t/top")), "x");
  for (const way of ["absolute", "relative"]) {
    // The tree has no such folder: the link leads nowhere in it.
    await assertRejects(() => rig.put(`/${way}`, [{ type: "file", path: "victim", content: "hit" }]), EngineError);
    await assertRejects(() => rig.put("/", [{ type: "file", path: `${way}/victim`, content: "hit" }]), EngineError);
    await assertRejects(() => rig.trees.read(rig.at(`/${way}/victim`), { owner: "" }), EngineError);
  }
  await assertRejects(() =>
    rig.put("/t", [{ type: "symlink", path: "s", target: outside }, { type: "file", path: "s/victim", content: "hit" }])
  );
  await assertRejects(() => rig.put("/t", [{ type: "hardlink", path: "h", target: `${outside}/victim` }]));
  assertEquals(await text(join(outside, "victim")), "safe");
});

test("Trees.changeset() spells whiteouts and opaque folders as OCI does, and unpacks to the same tree", async (rig) => {
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
});

test("Trees.changes() tells what was added, modified and deleted, parents included", async (rig) => {
  const { root, trees } = rig;
  assertEquals(await trees.changes({ containerID: "c" }, [BASE, UPPER]), []);
  await writeFile(join(root, "etc/new"), "x");
  await writeFile(join(root, "etc/passwd"), "changed");
  await rm(join(root, "again"), { recursive: true });
  // A lower layer hides it already: it is new.
  await writeFile(join(root, "gone/inner"), "back");
  const changes = await trees.changes({ containerID: "c" }, [BASE, UPPER]);
  assertEquals(changes.map(({ kind, path }) => `${kind} ${path}`), [
    "deleted /again",
    "modified /etc",
    "added /etc/new",
    "modified /etc/passwd",
    "modified /gone",
    "added /gone/inner",
  ]);
  const ofImage = await trees.changes({ diffID: UPPER }, [BASE]);
  assertEquals(ofImage.map(({ kind, path }) => `${kind} ${path}`), ["modified /gone", "deleted /gone/inner"]);
});

test("Trees.differences() compares trees of containers and layers", async (rig) => {
  const { root, trees } = rig;
  await mkdir(join(root, "made/deep"), { recursive: true });
  await writeFile(join(root, "etc/passwd"), "changed");
  await rm(join(root, "again"), { recursive: true });
  const told = async (...trees_: Parameters<typeof trees.differences>) => {
    return (await trees.differences(...trees_)).map(({ kind, path }) => `${kind} ${path}`);
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

test("Trees.export() is the whole tree with its owners", async (rig) => {
  await writeFile(join(rig.root, "mine"), "x");
  await chown(join(rig.root, "mine"), 3_000_000, 4);
  const { names, folder } = await rig.unpack(rig.trees.export(rig.root));
  assert(names.includes("etc/passwd") && names.includes("dev/") && !names.includes("gone/inner"));
  assertEquals((await stat(join(folder, "mine"))).uid, 3_000_000);
});
