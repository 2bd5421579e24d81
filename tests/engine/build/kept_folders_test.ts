/** Folders of callers that are kept between builds: what is asked for again, what goes, and what no folder can do. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ArchiveReader } from "../../../lib/engine/build/context/archive_reader.ts";
import type { FileTree } from "../../../lib/engine/build/context/file_tree.ts";
import { walkFolder } from "../../../lib/engine/build/context/select_files.ts";
import { KeptFolders } from "../../../lib/engine/build/folders/kept_folders.ts";
import { readRemoteFolder } from "../../../lib/engine/build/folders/read_folder.ts";
import type { ListedFile, RemoteFolder } from "../../../lib/engine/build/folders/remote_folder.ts";
import type { Core } from "../../../lib/engine/core.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { FileBlobs } from "../../../lib/platform/storage/file_blobs.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { blobsOf, openImages, type RigOptions } from "../../fixtures/images/rig.ts";

const HOUR = 3600 * 1000;
const START = Date.UTC(2026, 0, 1);
/** A time long before it, in nanoseconds. */
const OLD = (START - HOUR) * 1e6;

type Files = Record<string, Partial<ListedFile> & { content?: string }>;

/** A folder that tells which of its files it was asked for. */
function folderOf(files: Files, key: string | undefined = "key") {
  const asked: string[] = [];
  const entries = Object.entries(files);
  const listed = entries.map(([path, { content = "", ...more }]): ListedFile => ({
    ...{ path, kind: "file", link: "", mode: 0o644, uid: 0, gid: 0, size: content.length, time: OLD },
    ...more,
  }));
  const folder: RemoteFolder = {
    name: "context",
    key,
    open: () =>
      Promise.resolve({
        files: listed,
        async *read(numbers: readonly number[]) {
          for (const number of numbers) {
            const [path, { content = "" }] = entries[number];
            asked.push(path);
            const bytes = new TextEncoder().encode(content);
            yield { number, bytes: bytes.slice(0, 2) };
            if (bytes.length > 2) yield { number, bytes: bytes.slice(2) };
          }
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
  return { folder, asked };
}

/** An engine's folders at a time that the test sets. */
async function openFolders(options: RigOptions = {}) {
  const rig = await openImages(options);
  let now = START;
  const core: Core = { ...rig.core, clock: { ...rig.core.clock, now: () => now } };
  const folders = new KeptFolders(core, rig.images);
  const begin = () => {
    const [claim, pins] = [rig.images.claimContent(), new DisposableStack()];
    const place = { core, folders, claim, pins, signal: new AbortController().signal };
    return {
      read: (folder: RemoteFolder) => readRemoteFolder(place, folder),
      async end() {
        pins.dispose();
        await claim.end("delete");
      },
    };
  };
  return {
    folders,
    rig,
    begin,
    pass: (ms: number) => void (now += ms),
    bytes: async () => {
      const blobs = await Array.fromAsync(rig.blobs.list());
      return blobs.reduce((sum, { size }) => sum + size, 0);
    },
    contentsOf: (tree: FileTree) => contentsOf(tree, core),
    /** One build that reads the folder: what it found, and what it asked for. */
    async build(files: Files, key?: string) {
      const { folder, asked } = folderOf(files, key);
      const build = begin();
      try {
        return { found: await contentsOf(await build.read(folder), core), asked };
      } finally {
        await build.end();
      }
    },
  };
}

async function contentsOf(tree: FileTree, { ports }: Core): Promise<Record<string, string>> {
  const reader = new ArchiveReader(ports.blobs);
  const found: Record<string, string> = {};
  for (const [path, node] of walkFolder(tree.root, "")) {
    if (node.kind !== "file") found[path] = `${node.kind} ${node.link}`.trim();
    else {
      const pieces = node.size === 0 ? [] : await Array.fromAsync(reader.read(node, node.size));
      found[path] = await new Response(new Blob(pieces.map((piece) => piece.slice()))).text();
    }
  }
  await reader.close();
  return found;
}

Deno.test("a folder that was built from before is asked for what has changed, and nothing else", async () => {
  const { build } = await openFolders();
  const files: Files = {
    "deep": { kind: "folder", mode: 0o755, size: 0 },
    "deep/a": { content: "aaaa" },
    "deep/again": { kind: "hardlink", link: "deep/a" },
    "empty": {},
    "link": { kind: "symlink", link: "deep/a" },
    "pipe": { kind: "other" },
    "z": { content: "zz" },
  };
  const all = {
    "deep": "folder",
    "deep/a": "aaaa",
    "deep/again": "aaaa",
    "empty": "",
    "link": "symlink deep/a",
    "z": "zz",
  };
  assertEquals(await build(files), { found: all, asked: ["deep/a", "z"] });
  assertEquals(await build(files), { found: all, asked: [] });

  const rows: [change: Files, asked: string[]][] = [
    [{ "z": { content: "ZZ", time: OLD + 256 } }, ["z"]],
    [{ "z": { content: "longer", time: OLD + 256 } }, ["z"]],
    [{ "deep/a": { content: "aaaa", mode: 0o755 } }, ["deep/a"]],
    [{ "deep/a": { content: "aaaa", uid: 7 } }, ["deep/a"]],
    [{ "deep/a": { content: "aaaa", gid: 7 } }, ["deep/a"]],
    [{ "new": { content: "new" } }, ["new"]],
    [{ "link": { content: "no link now" } }, ["link"]],
  ];
  for (const [change, asked] of rows) {
    const changed = await build({ ...files, ...change });
    assertEquals(changed.asked, asked, JSON.stringify(change));
    const [[path, { content }]] = Object.entries(change);
    assertEquals(changed.found[path], content);
    await build(files);
  }
  const { z: _, ...fewer } = files;
  assertEquals(Object.keys((await build(fewer)).found).includes("z"), false);
  assertEquals((await build(files)).asked, ["z"], "what was left out is not kept");
});

Deno.test("a file that is there no more is not kept, and leaves no more than half of a blob", async () => {
  const { build, bytes, folders } = await openFolders();
  const files: Files = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`file-${at}`, { content: `${at}`.repeat(1000) }]),
  );
  await build(files);
  const { "file-9": last, ...fewer } = files;
  assertEquals((await build(fewer)).asked, []);
  assertEquals((await build({ ...fewer, "file-9": last })).asked, ["file-9"]);
  const two = { "file-3": files["file-3"], "file-4": files["file-4"] };
  assertEquals((await build(two)).found, { "file-3": "3".repeat(1000), "file-4": "4".repeat(1000) });
  assertEquals(folders.list()[0].contents.map(({ size }) => size), [2000]);
  assertEquals(await bytes(), folders.list()[0].size);
});

Deno.test("a file that was changed shortly before it was listed is asked for again: it may have another content at the same time", async () => {
  const { build, pass } = await openFolders();
  const files: Files = { "settled": { content: "1" }, "fresh": { content: "22", time: (START - 1000) * 1e6 } };
  assertEquals((await build(files)).asked, ["settled", "fresh"]);
  files.fresh.content = "33";
  assertEquals(await build(files), { found: { settled: "1", fresh: "33" }, asked: ["fresh"] });
  pass(5000);
  assertEquals((await build(files)).asked, ["fresh"]);
  assertEquals((await build(files)).asked, []);
  // A clock that is ahead of ours is not believed.
  files.later = { content: "4", time: (START + HOUR) * 1e6 };
  assertEquals((await build(files)).asked, ["later"]);
  assertEquals((await build(files)).asked, ["later"]);
});

Deno.test("the blobs of a folder stay few, and less than half of them is waste", async () => {
  const { build, bytes, folders, rig } = await openFolders();
  const files: Files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`file-${at}`, { content: `${at} `.repeat(50 + at) }]),
  );
  await build(files);
  for (let round = 1; round <= 60; round++) {
    files[`file-${round - 1}`] = { content: `${round}.`.repeat(100), time: OLD + round * 1024 };
    const { found, asked } = await build(files);
    assertEquals(asked, [`file-${round - 1}`]);
    assertEquals(found, Object.fromEntries(Object.entries(files).map(([path, { content }]) => [path, content])));
    const [{ contents, size }] = folders.list();
    const live = Object.values(files).reduce((sum, { content = "" }) => sum + content.length, 0);
    const stored = contents.reduce((sum, blob) => sum + blob.size, 0);
    assert(contents.length <= 17, `${contents.length} blobs`);
    assert(stored <= 2 * live, `${stored} bytes for ${live}`);
    assertEquals(await bytes(), size, "nothing else is left");
  }
  assertEquals((await blobsOf(rig.blobs)).length, folders.list()[0].contents.length + 1);
});

Deno.test("a kept folder whose blobs are gone is read anew, and one without a key leaves nothing", async () => {
  const { build, folders, rig, bytes, begin } = await openFolders();
  const files: Files = { "a": { content: "one" }, "b": { content: "two" } };
  await build(files);
  for (const gone of ["index", "contents"] as const) {
    const [{ index, contents }] = folders.list();
    await rig.blobs.delete(gone === "index" ? index.digest : contents[0].digest);
    assertEquals(await build(files), { found: { a: "one", b: "two" }, asked: ["a", "b"] }, gone);
    assertEquals((await build(files)).asked, []);
  }
  assertEquals(await folders.forget(folders.list()[0].id), true);
  assertEquals([await bytes(), folders.list()], [0, []]);
  const build2 = begin();
  await build2.read({ ...folderOf(files).folder, key: undefined });
  await build2.end();
  assertEquals([await bytes(), folders.list()], [0, []]);
});

Deno.test("an engine that is opened anew has the folders of the one before, and lets those go that were kept too long", async () => {
  const { build, rig: { store, blobs } } = await openFolders();
  const files: Files = { "a": { content: "one" } };
  await build(files);
  const again = await openFolders({ store, blobs });
  assertEquals(await again.build(files), { found: { a: "one" }, asked: [] });
  again.pass(49 * HOUR);
  await again.folders.trim();
  assertEquals([again.folders.list(), await again.bytes()], [[], 0]);
});

Deno.test("a list that cannot be read, or kept, fails no build", async () => {
  const { build, folders, rig } = await openFolders();
  const files: Files = { "a": { content: "one" } };
  await build(files);
  const { open } = rig.blobs;
  const [{ index }] = folders.list();
  rig.blobs.open = (digest, range) => {
    if (digest !== index.digest) return open.call(rig.blobs, digest, range);
    return Promise.resolve(new Blob(["[[".padEnd(index.size)]).stream());
  };
  assertEquals(await build(files), { found: { a: "one" }, asked: ["a"] });
  rig.blobs.open = open;
  const { put } = rig.blobs;
  let puts = 0;
  rig.blobs.put = (source, options) => {
    if (++puts === 1) return put.call(rig.blobs, source, options);
    return Promise.reject(new EngineError("limit", "no room"));
  };
  assertEquals(await build({ ...files, "b": { content: "two" } }), { found: { a: "one", b: "two" }, asked: ["b"] });
  assertEquals(puts, 2);
  rig.blobs.put = put;
  assertEquals((await build({ ...files, "b": { content: "two" } })).asked, ["b"]);
  // Four thousand paths, as long as paths can be.
  const long = Array.from({ length: 4200 }, (_, at) => `${at}/`.padEnd(4000, "x"));
  const many = Object.fromEntries(long.map((path) => [path, { content: "x" }]));
  assertEquals((await build(many)).asked.length, long.length);
  assertEquals(folders.list(), []);
});

Deno.test("content that a build writes while the same is being deleted for another one stays", async () => {
  const { begin, contentsOf, rig } = await openFolders();
  const files: Files = { "a": { content: "the same" } };
  const [first, second] = [begin(), begin()];
  await first.read({ ...folderOf(files).folder, key: undefined });
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const remove = rig.blobs.delete;
  rig.blobs.delete = async (digest) => {
    begun.resolve();
    await gate.promise;
    await remove.call(rig.blobs, digest);
  };
  const ending = first.end();
  await begun.promise;
  const reading = second.read({ ...folderOf(files).folder, key: undefined });
  setTimeout(gate.resolve, 20);
  assertEquals(await contentsOf(await reading), { a: "the same" });
  await ending;
  assertEquals((await blobsOf(rig.blobs)).length, 1);
  await second.end();
  assertEquals(await blobsOf(rig.blobs), []);
});

Deno.test("two builds of one folder at once have each what they were sent, and what is kept is of the last one", async () => {
  const { begin, build, contentsOf, folders, bytes } = await openFolders();
  await build({ "a": { content: "before" } });
  const [first, second] = [begin(), begin()];
  const [one, two] = await Promise.all([
    first.read(folderOf({ "a": { content: "one", time: OLD + 1024 } }).folder),
    second.read(folderOf({ "a": { content: "second", time: OLD + 2048 } }).folder),
  ]);
  assertEquals(await folders.forget(folders.list()[0].id), false, "builds have it");
  await first.end();
  assertEquals(await contentsOf(two), { a: "second" });
  await second.end();
  assertEquals(await bytes(), folders.list()[0].size);
  assertEquals(folders.list().map(({ isUsed, contents }) => [isUsed, contents.length]), [[false, 1]]);
  assertEquals(one.find("a")?.size, 3);

  // One that began before another one, and ends after it.
  const { folder } = folderOf({ "a": { content: "slow", time: OLD + 4096 } });
  const gate = Promise.withResolvers<void>();
  const slow = begin();
  const reading = slow.read({
    ...folder,
    async open(signal) {
      const open = await folder.open(signal);
      const read = open.read.bind(open);
      return Object.assign(open, {
        async *read(numbers: readonly number[]) {
          await gate.promise;
          yield* read(numbers);
        },
      });
    },
  });
  await build({ "a": { content: "quick one", time: OLD + 8192 } });
  gate.resolve();
  assertEquals(await contentsOf(await reading), { a: "slow" });
  await slow.end();
  assertEquals(await bytes(), folders.list()[0].size, "nothing of the quick one is left");
});

Deno.test("a record that is replaced while another build writes its list leaves no blobs", async () => {
  const { begin, build, folders, rig, bytes } = await openFolders();
  await build({ "a": { content: "before" } });
  const { put } = rig.blobs;
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let puts = 0;
  rig.blobs.put = async (source, options) => {
    // The second one is the slow build's list.
    if (++puts === 2) {
      begun.resolve();
      await gate.promise;
    }
    return await put.call(rig.blobs, source, options);
  };
  const slow = begin();
  const reading = slow.read(folderOf({ "a": { content: "slow", time: OLD + 1024 } }).folder);
  await begun.promise;
  await build({ "a": { content: "quick one", time: OLD + 2048 } });
  gate.resolve();
  await reading;
  await slow.end();
  assertEquals(await bytes(), folders.list()[0].size);
});

Deno.test("folders that no build has taken for two days go, and those used longest ago where there are too many", async () => {
  const { build, folders, pass, bytes } = await openFolders();
  const files: Files = { "a": { content: "one" } };
  await build(files, "first");
  pass(HOUR);
  await build({ "a": { content: "two" } }, "second");
  const [, { id }] = folders.list();
  pass(46 * HOUR);
  await build(files, "first");
  pass(3 * HOUR);
  await folders.trim();
  assertEquals(folders.list().map((kept) => [kept.id, kept.name, kept.uses]), [[id, "context", 1]]);
  for (let at = 0; at < 101; at++) {
    pass(1);
    await build(files, `one of many ${at}`);
  }
  const left = folders.list();
  assertEquals([left.length, left.some((kept) => kept.id === id)], [100, false]);
  assertEquals(left[0].usedAt > left[99].usedAt, true);
  for (const kept of left) await folders.forget(kept.id);
  assertEquals(await bytes(), 0);
});

Deno.test("a folder cannot lead out of itself, and has bounds", async () => {
  const rows: [files: Files, message: string][] = [
    [{ "../x": { content: "x" } }, 'Read build context: "../x" leaves the archive'],
    [{ "a/../../x": { content: "x" } }, "leaves the archive"],
    [{ "/etc/passwd": { content: "x" } }, "is an absolute path"],
    [{ "x": { kind: "hardlink", link: "../../etc/shadow" } }, "leaves the archive"],
    [{ "x": { kind: "hardlink", link: "none" } }, "no file before it"],
    [{ "x": { content: "x", size: 2 ** 40 } }, "larger than 1000000 bytes"],
    [{ "x": { content: "x", size: 2 ** 40 }, "y": { size: -(2 ** 40) } }, '"y" has no size'],
    [{ ["x".repeat(5000)]: { content: "x" } }, "longer than"],
  ];
  for (const [files, message] of rows) {
    const { build, bytes } = await openFolders({ limits: { layerBytes: 1_000_000 } });
    await assertRejects(() => build(files), EngineError, message);
    assertEquals(await bytes(), 0);
  }
});

Deno.test("a folder that has not reached the disk when the server ends is sent anew, and one that has is not", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const store = new MemoryStore();
    const files: Files = { a: { content: "aaaa" }, b: { content: "bb" } };
    const open = async () => await openFolders({ store, blobs: await FileBlobs.open(root) });
    const first = (await open()).begin();
    await first.read(folderOf(files).folder);
    // The server ends while the build goes on.
    const second = await open();
    assertEquals((await second.build(files)).asked, ["a", "b"]);
    await second.folders.settled();
    const third = await open();
    assertEquals((await third.build(files)).asked, []);
    assertEquals((await third.build(files)).found, { a: "aaaa", b: "bb" });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
