/** The context of a build: what is in it, what a COPY takes of it, and what it never gives. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { copyArchive, digestItems } from "../../../lib/engine/build/context/copy_archive.ts";
import { copyEntries } from "../../../lib/engine/build/context/copy_entries.ts";
import { FileTree, NO_CONTENT } from "../../../lib/engine/build/context/file_tree.ts";
import { parseIgnoreFile } from "../../../lib/engine/build/context/ignore_file.ts";
import { compilePathPattern } from "../../../lib/engine/build/context/path_pattern.ts";
import { selectFiles, type SelectOptions, walkFolder } from "../../../lib/engine/build/context/select_files.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { archiveEntries } from "../../../lib/oci/tar/archive_entries.ts";
import { tarEntries } from "../../../lib/oci/tar/tar_entries.ts";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import { memoryPorts } from "../../fixtures/build/memory_ports.ts";
import { readFrames } from "../../fixtures/images/read_frames.ts";
import { buildTar, type Entry } from "../../fixtures/images/tar_builder.ts";

const LIMITS = { entries: 1000, bytes: 1e6 };
const COPY: SelectOptions = { keyword: "COPY" };

async function treeOf(entries: readonly Entry[]) {
  const ports = memoryPorts();
  const { digest } = await ports.blobs.put(new Blob([buildTar(entries).slice()]).stream());
  return { ports, tree: await FileTree.read(ports, digest, LIMITS) };
}

const FILES: readonly Entry[] = [
  { path: "a", type: "dir", mode: 0o700 },
  { path: "a/one", type: "file", content: "1" },
  { path: "a/two.md", type: "file", content: "22", mode: 0o755 },
  { path: "a/deep/three", type: "file", content: "333" },
  { path: "b", type: "file", content: "b" },
  { path: "same", type: "hardlink", target: "b" },
  { path: "to-a", type: "symlink", target: "a" },
  { path: "out", type: "symlink", target: "../../../etc/passwd" },
  { path: "root", type: "symlink", target: "/b" },
  { path: "loop", type: "symlink", target: "loop" },
];

Deno.test("FileTree follows links inside the context and never out of it", async () => {
  const { tree } = await treeOf(FILES);
  assertEquals(tree.find("to-a/deep/three")?.size, 3);
  assertEquals(tree.realPath("to-a/deep/three"), "a/deep/three");
  assertEquals(tree.find("root"), tree.find("b"));
  assertEquals(tree.find("same"), tree.find("b"));
  for (const path of ["out", "loop", "a/../../etc/passwd", "../b/x", "missing"]) {
    assertEquals(tree.find(path), undefined);
  }
});

Deno.test("FileTree.read() refuses archives that lead out of themselves, break off, or are too large", async () => {
  for (const path of ["../x", "/etc/passwd", "a/../../x"]) {
    await assertRejects(() => treeOf([{ path, type: "file", content: "x" }]), LayerError);
  }
  await assertRejects(
    () => treeOf([{ path: "x", type: "hardlink", target: "../../etc/shadow" }]),
    EngineError,
    "no file before it",
  );
  await assertRejects(
    () => treeOf(Array.from({ length: 1001 }, (_, at) => ({ path: `f${at}`, type: "file", content: "" }))),
    LayerError,
    "more than 1000 entries",
  );
});

const SELECTIONS: readonly [sources: string[], more: Partial<SelectOptions>, paths: string[]][] = [
  [["b"], {}, ["b"]],
  [["a"], {}, ["deep", "deep/three", "one", "two.md"]],
  [["./a/"], {}, ["deep", "deep/three", "one", "two.md"]],
  [["/a/one"], {}, ["one"]],
  [["a/*.md", "b"], {}, ["two.md", "b"]],
  [["a/[n-z]*"], {}, ["one", "two.md"]],
  [["a"], { exclude: ["**/*.md", "**/deep"] }, ["one"]],
  [["a/deep/three"], { parents: true }, ["a/deep/three"]],
  [["to-a"], {}, ["deep", "deep/three", "one", "two.md"]],
  [["a/../b"], {}, ["b"]],
];

Deno.test("selectFiles() finds what COPY names", async (t) => {
  const { tree } = await treeOf(FILES);
  for (const [sources, more, paths] of SELECTIONS) {
    await t.step(`${sources.join(" ")} ${JSON.stringify(more)}`, () => {
      assertEquals(selectFiles(tree, sources, { ...COPY, ...more }).items.map(({ path }) => path), paths);
    });
  }
});

Deno.test("selectFiles() refuses what is not there or leads out", async () => {
  const { tree } = await treeOf(FILES);
  const refused = (source: string, text: string) =>
    void assertThrows(() => selectFiles(tree, [source], COPY), EngineError, text);
  refused("missing", "COPY failed: file not found in build context or excluded by .dockerignore: stat missing");
  refused("../x", "forbidden path outside the build context: ../x");
  refused("a/../../etc", "forbidden path outside the build context");
  refused("out", "file not found");
  refused("loop", "file not found");
  refused("*.nothing", "no source files were specified");
  refused("a[", 'a "[" has no "]"');
});

Deno.test("copyArchive() writes the items as they are, files that are one as one", async () => {
  const { ports, tree } = await treeOf(FILES);
  const { items } = selectFiles(tree, ["."], COPY);
  const written: Record<string, unknown> = {};
  const archive = copyArchive(ports.blobs, items);
  for await (const { path, kind, link, mode, content } of tarEntries(archive, LIMITS)) {
    written[path] = [kind, mode.toString(8), kind === "file" ? await new Response(content()).text() : link];
  }
  assertEquals(written, {
    "a": ["folder", "700", ""],
    "a/deep": ["folder", "755", ""],
    "a/deep/three": ["file", "644", "333"],
    "a/one": ["file", "644", "1"],
    "a/two.md": ["file", "755", "22"],
    "b": ["file", "644", "b"],
    "loop": ["symlink", "644", "loop"],
    "out": ["symlink", "644", "../../../etc/passwd"],
    "root": ["symlink", "644", "/b"],
    "same": ["hardlink", "644", "b"],
    "to-a": ["symlink", "644", "a"],
  });
});

Deno.test("copyEntries() makes what the archive of the same items would, and names the places of contents", async () => {
  const { ports, tree } = await treeOf(FILES);
  const options = { chmod: 0o640, keepOwners: true };
  const { items: [...items] } = selectFiles(tree, ["."], COPY);
  const bytes = new TextEncoder().encode("inline");
  items.push({ path: "with ä", bytes, node: { ...tree.find("b")!, size: bytes.length } });
  assertEquals(await copyEntries(ports.blobs, items, options), undefined, "blobs in memory are no files");
  const blobs = Object.assign(Object.create(ports.blobs), {
    file: (path: string) => Promise.resolve({ folder: "/in", path }),
  });
  const stored = (await copyEntries(blobs, items, options))!;
  const frames = await readFrames(stored.entries);
  const places = frames.filter(([letter]) => letter === "s").map(([, path, place]) => [path, place]);
  const { archive } = tree.find("b")!;
  assertEquals(stored.files, [`/in/${archive}`]);
  assertEquals(
    places,
    ["a/deep/three", "a/one", "a/two.md", "b"].map((path) => [path, `0:${tree.find(path)!.offset}`]),
  );
  const carried = await readFrames(copyArchive(ports.blobs, items, options).pipeThrough(archiveEntries()));
  const alike = ([letter, path, link, ...rest]: string[]) =>
    letter === "s" ? ["f", path, "", ...rest] : [letter, path, link, ...rest];
  assertEquals(frames.map(alike), carried);
});

Deno.test("a copy keeps the extended attributes that go with a file, in archives and in entries", async () => {
  const own = { "security.capability": Uint8Array.of(1, 0, 255), "user.a": "one" };
  const { ports, tree } = await treeOf([
    { type: "dir", path: "d", xattrs: { "user.d": "folder" } },
    { type: "file", path: "d/f", content: "1", xattrs: { ...own, "trusted.t": "t", "user.overlay.x": "x" } },
    { type: "hardlink", path: "same", target: "d/f" },
    { type: "symlink", path: "way", target: "d/f", xattrs: { "security.capability": "no" } },
  ]);
  const { items } = selectFiles(tree, ["."], COPY);
  const kept = ["security.capability", "\u0001\u0000\u00ff", "user.a", "one"];
  const found: Record<string, unknown> = {};
  for await (const { path, attributes } of tarEntries(copyArchive(ports.blobs, items), LIMITS)) {
    found[path] = attributes;
  }
  assertEquals(found, { "d": ["user.d", "folder"], "d/f": kept, "same": undefined, "way": undefined });
  const blobs = Object.assign(Object.create(ports.blobs), {
    file: () => Promise.resolve({ folder: "/in", path: "x" }),
  });
  const frames = await readFrames((await copyEntries(blobs, items))!.entries);
  const carried = await readFrames(copyArchive(ports.blobs, items).pipeThrough(archiveEntries()));
  assertEquals(frames.map((fields) => fields.slice(3)), carried.map((fields) => fields.slice(3)));
  assertEquals(carried.find(([, path]) => path === "d/f")!.slice(-4), kept);
});

Deno.test("a tree takes no more extended attributes than fit in memory", () => {
  const tree = FileTree.empty();
  const attributes = ["user.x", "x".repeat(64 * 1024)];
  const add = (count: number) => {
    for (let at = 0; at < count; at++) {
      tree.add(`f${at}`, { ...NO_CONTENT, kind: "file", mode: 0o644, uid: 0, gid: 0, mtime: 0, attributes });
    }
  };
  add(1000);
  assertThrows(() => add(1000), EngineError, "bytes of extended attributes");
});

Deno.test("digestItems() changes with names, modes, contents and attributes, and not with times", async () => {
  const digest = async (
    file: { path?: string; mode?: number; mtime?: number; content?: string; xattrs?: Record<string, string> },
  ) => {
    const { ports, tree } = await treeOf([{ path: "x", type: "file", content: "1", ...file }]);
    return await digestItems(ports.codec, selectFiles(tree, ["."], COPY).items);
  };
  const first = await digest({});
  assertEquals(await digest({ mtime: 99 }), first);
  const others = [{ path: "y" }, { mode: 0o600 }, { content: "2" }, { xattrs: { "user.a": "b" } }];
  for (const other of others) assert(await digest(other) !== first);
});

const IGNORED: readonly [lines: string[], out: string[], kept: string[]][] = [
  [["*.md"], ["a.md"], ["b/a.md"]],
  [["**/*.md"], ["a.md", "b/c/a.md"], ["a.mdx"]],
  [["*", "!src"], ["a", "b/c"], ["src", "src/x"]],
  [["/build/"], ["build", "build/x"], ["a/build"]],
  [["a/**/z"], ["a/z", "a/b/c/z"], ["z", "b/a/z"]],
  [["*.txt", "!keep.txt", "keep.txt"], ["x.txt", "keep.txt"], []],
  [["# a", "", "  b  "], ["b"], ["a", "# a"]],
  [["temp?"], ["temp1"], ["temp", "temp12"]],
];

Deno.test("parseIgnoreFile() leaves out what its last fitting pattern says", async (t) => {
  for (const [lines, out, kept] of IGNORED) {
    await t.step(lines.join(" "), () => {
      const isOut = parseIgnoreFile(lines);
      assertEquals([out.filter((path) => !isOut(path)), kept.filter(isOut)], [[], []]);
    });
  }
});

Deno.test("FileTree.without() keeps a folder while something in it stays", async () => {
  const { tree } = await treeOf(FILES);
  const kept = tree.without(parseIgnoreFile(["*", "!a/deep"]));
  assertEquals([...walkFolder(kept.root, "")].map(([path]) => path), ["a", "a/deep", "a/deep/three"]);
});

Deno.test("compilePathPattern() stays quick for hostile patterns", () => {
  const fits = compilePathPattern(`${"**/a*a*a*".repeat(200)}b`);
  assertEquals(fits(`${"a/".repeat(500)}${"a".repeat(5000)}`), false);
});
