import { assertEquals, assertRejects } from "@std/assert";
import { archiveEntries, type ArchiveOptions } from "../../../lib/oci/tar/archive_entries.ts";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import { readFrames } from "../../fixtures/images/read_frames.ts";
import { buildTar, type Entry } from "../../fixtures/images/tar_builder.ts";

/** The frames of an archive: their fields as text, one character per byte. */
async function frames(entries: readonly Entry[] | Uint8Array, options?: ArchiveOptions): Promise<string[][]> {
  const tar = entries instanceof Uint8Array ? entries : buildTar(entries);
  return await readFrames(new Blob([tar as BlobPart]).stream().pipeThrough(archiveEntries(options)));
}

const paths = async (entries: readonly Entry[], options?: ArchiveOptions) => {
  return (await frames(entries, options)).map(([, path]) => path);
};

Deno.test("archiveEntries() gives every entry with all it says", async () => {
  const [file, folder, symlink, hard, device, pipe] = await frames([
    {
      type: "file",
      path: "f",
      content: "abc",
      mode: 0o4751,
      uid: 3_000_000,
      gid: 2,
      mtime: 7,
      xattrs: { "user.a": "v" },
    },
    { type: "dir", path: "d", mode: 0o700 },
    { type: "symlink", path: "s", target: "../../anywhere" },
    { type: "hardlink", path: "h", target: "/f" },
    { type: "block", path: "b", major: 8, minor: 300 },
    { type: "fifo", path: "p" },
  ]);
  assertEquals(file, ["f", "f", "", String(0o4751), "3000000", "2", "7", "0", "0", "0", "3", "user.a", "v"]);
  assertEquals(folder.slice(0, 4), ["d", "d", "", String(0o700)]);
  assertEquals([symlink.slice(0, 3), hard.slice(0, 3)], [["l", "s", "../../anywhere"], ["h", "h", "f"]]);
  assertEquals([device[0], device[8], device[9], pipe[0]], ["b", "8", "300", "p"]);
  const [timed] = await frames([{ type: "file", path: "t", pax: { mtime: "-1.25" } }]);
  assertEquals(timed.slice(6, 8), ["-2", "750000000"]);
});

Deno.test("archiveEntries() keeps every name below the target", async () => {
  const names = ["../../etc/passwd", "/etc/passwd", "a/../../b", "./c", "d//e/", "..", "f/.."];
  const entries: Entry[] = names.map((path) => ({ type: "dir", path }));
  assertEquals(await paths(entries), ["etc/passwd", "etc/passwd", "b", "c", "d/e", "", ""]);
  const [link] = await frames([{ type: "hardlink", path: "l", target: "../../../etc/shadow" }]);
  assertEquals(link[2], "etc/shadow");
});

Deno.test("archiveEntries() renames files, folders and what links lead to", async () => {
  const entries: Entry[] = [
    { type: "dir", path: "old" },
    { type: "file", path: "old/file" },
    { type: "file", path: "older" },
    { type: "hardlink", path: "old/link", target: "old/file" },
  ];
  const found = await frames(entries, { rename: { old: "new" } });
  assertEquals(found.map(([, path, link]) => [path, link]), [
    ["new", ""],
    ["new/file", ""],
    ["older", ""],
    ["new/link", "new/file"],
  ]);
});

Deno.test("archiveEntries() refuses what no tree can hold, and what never ends", async () => {
  const refused: [string, readonly Entry[] | Uint8Array][] = [
    ["no name but its folder's", [{ type: "file", path: "./" }]],
    ["a name that is too long", [{ type: "file", path: "x".repeat(300) }]],
    ["a path that is too long", [{ type: "file", path: "x/".repeat(3000) }]],
    ["an unknown kind", [{ type: "flag", path: "x", flag: "S" }]],
    ["a link to nowhere", [{ type: "symlink", path: "x", target: "" }]],
    ["no tar at all", new Uint8Array(2048).fill(65)],
    ["half an entry", buildTar([{ type: "file", path: "x", content: "y".repeat(5000) }]).subarray(0, 2000)],
    ["a huge header", [{ type: "file", path: "x", pax: { comment: "y".repeat(2 ** 21) } }]],
  ];
  for (const [what, entries] of refused) await assertRejects(() => frames(entries), LayerError, undefined, what);
  const many: Entry[] = Array.from({ length: 20 }, (_, i) => ({ type: "char", path: `d${i}`, major: 1, minor: i }));
  await assertRejects(() => frames(many, { devices: 10 }), LayerError, "more than 10 device nodes");
  await assertRejects(() => frames(many, { entries: 10 }), LayerError, "more than 10 entries");
});
