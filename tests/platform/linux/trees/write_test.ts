import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { lstat, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { entryFrame, lastFrame, STORED_LETTER } from "../../../../lib/oci/tar/entry_frame.ts";
import { LayerError } from "../../../../lib/oci/tar/layer_error.ts";
import { callNumbers } from "../../../../lib/platform/linux/calls/system_calls.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import type { Entry } from "../../../fixtures/images/tar_builder.ts";
import { testTrees } from "../../../fixtures/platform/tree_rig.ts";

const text = async (path: string) => await readFile(path, "utf8");

testTrees("Trees.write() keeps owners, modes, times, links and attributes", async (rig) => {
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

testTrees("Trees.write() and read() carry attributes byte for byte", async (rig) => {
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

testTrees("Trees.write() of random archives stays in the tree", async (rig) => {
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

testTrees("Trees.write() replaces what is in the way, unless kinds are to be kept", async (rig) => {
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

testTrees(
  "Trees.write() replaces one entry after the other, of every kind, and leaves what links lead to",
  async (rig) => {
    const inside = (path: string) => join(rig.root, "t", path);
    const outside = join(rig.folder, "outside");
    await mkdir(inside("c/deep"), { recursive: true });
    await Promise.all([...["a", "e", "f"].map((path) => writeFile(inside(path), "old")), writeFile(outside, "safe")]);
    await symlink(outside, inside("b"));
    const file = (path: string): Entry => ({ type: "file", path, content: "new" });
    const all: Entry[] = [
      ...[file("a"), file("b"), file("c"), file("d")],
      { type: "hardlink", path: "e", target: "a" },
      { type: "symlink", path: "f", target: "a" },
    ];
    for (let round = 0; round < 2; round++) {
      await rig.put("/t", all);
      const found = await Promise.all(["a", "b", "c", "d", "e", "f"].map((path) => lstat(inside(path))));
      assertEquals(found.map((facts) => facts.isSymbolicLink()), [false, false, false, false, false, true]);
      assertEquals(found[4].ino, found[0].ino);
      assertEquals(
        await Promise.all(["a", "b", "c", "d", "f"].map((path) => text(inside(path)))),
        Array(5).fill("new"),
      );
      assertEquals(await text(outside), "safe");
    }
    // A link to itself has nothing left to lead to, as in an archive that is unpacked by tar(1).
    await assertRejects(() => rig.put("/t", [file("a"), { type: "hardlink", path: "d", target: "d" }]), EngineError);
    await mkdir(inside("kept"));
    const onFolder = () => rig.put("/t", [file("a"), file("b"), file("kept")], { keepKinds: true });
    await assertRejects(onFolder, EngineError, 'copier: put: error creating file at "/t/kept"');
  },
);

testTrees(
  "Trees.write() gives a file its own owner and mode, whatever its folder gives to what is made there",
  async (rig) => {
    const inside = (path: string) => join(rig.root, "t", path);
    await rig.put("/t", [{ type: "dir", path: "group", mode: 0o2777, gid: 6 }, {
      type: "dir",
      path: "list",
      mode: 0o777,
    }]);
    // An access list for whatever is made there: owner and group may read and write, user 9 may read, and others nothing. `acl(5)`.
    const set = callNumbers("Set an attribute", ["fsetxattr"]).fsetxattr;
    const program = `open(my $folder, "<", $ARGV[0]); my $all = 0xffffffff;
    my $list = pack "L(SSL)5", 2, 1, 6, $all, 2, 4, 9, 4, 6, $all, 16, 6, $all, 32, 0, $all;
    syscall(${set}, fileno $folder, my $name = "system.posix_acl_default", $list, length $list, 0) == 0 or die $!`;
    await runCommand("perl", ["-e", program, inside("list")]);
    await rig.put(
      "/t",
      ["group", "list"].flatMap((folder): Entry[] => [
        { type: "file", path: `${folder}/roots`, content: "x", mode: 0o755 },
        { type: "file", path: `${folder}/users`, content: "x", mode: 0o755, uid: 5, gid: 7 },
        { type: "file", path: `${folder}/sets`, content: "x", mode: 0o6755 },
      ]),
    );
    for (const folder of ["group", "list"]) {
      for (
        const [name, mode, uid, gid] of [["roots", 0o755, 0, 0], ["users", 0o755, 5, 7], [
          "sets",
          0o6755,
          0,
          0,
        ]] as const
      ) {
        const facts = await stat(inside(`${folder}/${name}`));
        assertEquals([facts.mode & 0o7777, facts.uid, facts.gid], [mode, uid, gid], `${folder}/${name}`);
      }
    }
  },
);

testTrees("Trees.write() renames, and gives all of it to an owner", async (rig) => {
  const entries: Entry[] = [{ type: "dir", path: "one" }, { type: "file", path: "one/two", content: "x", uid: 9 }];
  await rig.put("/r", entries, { rename: { one: "three" }, owner: "user" });
  const { uid, gid } = await stat(join(rig.root, "r/three/two"));
  assertEquals([uid, gid], [1000, 1001]);
});

testTrees("Trees.write() never leaves the tree, whatever an archive or the tree says", async (rig) => {
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

testTrees("Trees.write() refuses a path while the archive's source is silent, and cancels the source", async (rig) => {
  const cancelled = Promise.withResolvers<void>();
  const silent = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
  const error = await assertRejects(
    () => rig.trees.write(rig.at("/nowhere/at/all"), silent, { mustExist: true }),
    EngineError,
  );
  assertEquals(error.code, "no_such_file");
  await cancelled.promise;
});

testTrees("Trees.write() says that a path is missing, whatever is wrong with the archive", async (rig) => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new LayerError("corrupt", "x")),
  });
  const error = await assertRejects(
    () => rig.trees.write(rig.at("/nowhere/at/all"), broken, { mustExist: true }),
    EngineError,
  );
  assertEquals(error.code, "no_such_file");
});

testTrees("Trees.write() leaves out zeros of files between other content, and keeps the content", async (rig) => {
  const content = new Uint8Array(3_000_000);
  crypto.getRandomValues(content.subarray(0, 50_000));
  crypto.getRandomValues(content.subarray(2_500_000, 2_560_000));
  await rig.put("/x", [{ type: "file", path: "f", content }, { type: "file", path: "after", content: "next" }]);
  const path = join(rig.root, "x/f");
  assertEquals(new Uint8Array(await readFile(path)), content);
  assertEquals(await text(join(rig.root, "x/after")), "next");
  // A block of stat(2) is 512 bytes, whatever the file system's are.
  assert((await stat(path)).blocks * 512 < 1_000_000);
});

testTrees("Trees.write() takes contents from files, and leaves holes where they have zeros", async (rig) => {
  const stored = join(rig.folder, "stored");
  const zeros = "\0".repeat(300_000);
  await writeFile(stored, `before${zeros}content`);
  const entry = (path: string, link: string, size: number) => {
    return entryFrame({ letter: STORED_LETTER, path, link, mode: 0o4750, uid: 5, gid: 6, mtime: 1000, size });
  };
  const write = (...frames: Uint8Array[]) => {
    const entries = new Blob([...frames, lastFrame()] as BlobPart[]).stream();
    return rig.trees.write(rig.at("/made"), entries, { files: [join(rig.folder, "other"), stored] });
  };
  await writeFile(join(rig.folder, "other"), "of the other");
  const whole = `before${zeros}content`.length;
  await write(entry("whole", "1:0", whole), entry("part", "0:3", 3), entry("end", `1:${whole - 7}`, 7));
  const inside = (path: string) => join(rig.root, "made", path);
  assertEquals(await text(inside("whole")), `before${zeros}content`);
  assertEquals([await text(inside("part")), await text(inside("end"))], ["the", "content"]);
  const { mode, uid, gid, mtimeMs, blocks } = await stat(inside("whole"));
  assertEquals([mode & 0o7777, uid, gid, mtimeMs], [0o4750, 5, 6, 1_000_000]);
  assert(blocks * 512 < 200_000, `${blocks} blocks`);
  const refused: [place: string, size: number, text: string][] = [
    ["1:0", whole + 1, "its content ends too early"],
    ["2:0", 1, "no such file of contents"],
    ["-1:0", 1, "no place of a content"],
    ["1", 1, "no place of a content"],
  ];
  for (const [place, size, text] of refused) {
    const error = await assertRejects(() => write(entry("refused", place, size)), EngineError, text);
    assertEquals(error.code, "invalid");
  }
  await symlink(stored, join(rig.folder, "link"));
  const entries = new Blob([lastFrame()] as BlobPart[]).stream();
  const linked = () => rig.trees.write(rig.at("/made"), entries, { files: [join(rig.folder, "link")] });
  await assertRejects(linked, EngineError, "too many levels of symbolic links");
});
