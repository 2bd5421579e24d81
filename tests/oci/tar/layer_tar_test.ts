import { assert, assertEquals } from "@std/assert";
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTar, type Entry, type TarFormat } from "../../fixtures/images/tar_builder.ts";
import { rewrite } from "../../fixtures/images/layer_setup.ts";

/** A capability set as the kernel keeps it: binary, no UTF-8. */
const CAPABILITY = Uint8Array.of(1, 0, 0, 2, 0x80, 0xff, 0, 0, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/** Runs with a scratch folder that goes away. */
async function scratch(run: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-layer-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(tar: Uint8Array, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const flags = ["--xattrs", "--xattrs-include=*", "--numeric-owner", "-C", folder, "-x"];
  execFileSync("tar", flags, { input: tar, stdio: ["pipe", "pipe", "pipe"] });
}

async function unpackEntries(entries: Entry[], folder: string, format: TarFormat = "pax"): Promise<void> {
  unpack(await rewrite(buildTar(entries, format)), folder);
}

/** Mounts layers, base first, shows the tree, and unmounts. */
function withOverlay(folder: string, layers: string[], look: (tree: string) => void): void {
  const tree = join(folder, "merged");
  mkdirSync(tree);
  const lower = [...layers].reverse().join(":");
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", `ro,lowerdir=${lower}`, tree]);
  try {
    look(tree);
  } finally {
    execFileSync("umount", [tree]);
  }
}

function attribute(path: string, name: string): string {
  return execFileSync("python3", [
    "-c",
    "import os,sys;print(os.getxattr(sys.argv[1],sys.argv[2],follow_symlinks=False).hex())",
    path,
    name,
  ], { encoding: "utf8" }).trim();
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

for (const format of ["pax", "gnu"] as const) {
  Deno.test(`overlayLayer() keeps what a ${format} tar says, byte for byte, through GNU tar`, async () => {
    const long = "deep/".repeat(30) + "x".repeat(120);
    await scratch(async (folder) => {
      await unpackEntries(
        [
          // Some builders name the root so.
          { type: "dir", path: format === "gnu" ? "/" : "./", mode: 0o755 },
          { type: "dir", path: "./etc", mode: 0o700, uid: 3, gid: 4 },
          {
            type: "file",
            path: "./etc/passwd",
            content: "root\n",
            mode: 0o4755,
            uid: 1000,
            gid: 3_000_000,
            mtime: 1234,
          },
          { type: "file", path: "etc/half", content: "x", pax: { mtime: "1600000000.25" } },
          { type: "file", path: "etc/old", content: "x", mtime: -1 },
          { type: "file", path: "ping", content: "p", xattrs: { "security.capability": CAPABILITY, "user.é=ü": "1" } },
          { type: "file", path: long, content: "long" },
          { type: "symlink", path: "to-long", target: `/${long}` },
          { type: "symlink", path: "out", target: "../../../etc/shadow" },
          { type: "hardlink", path: "etc/link", target: "./etc/passwd" },
          { type: "hardlink", path: "etc/rooted", target: "/etc/passwd" },
          { type: "char", path: "null", major: 1, minor: 3, mode: 0o666 },
          { type: "fifo", path: "pipe" },
          { type: "file", path: "naïve ☃", content: "snow" },
          { type: "file", path: "empty", content: "" },
        ],
        folder,
        format,
      );
      const stat = lstatSync(join(folder, "etc/passwd"));
      assertEquals([stat.mode & 0o7777, stat.uid, stat.gid, stat.mtimeMs, stat.nlink], [
        0o4755,
        1000,
        3_000_000,
        1_234_000,
        3,
      ]);
      const etc = lstatSync(join(folder, "etc"));
      assertEquals([etc.mode & 0o7777, etc.uid, etc.gid], [0o700, 3, 4]);
      assertEquals(lstatSync(join(folder, "etc/half")).mtimeMs, 1_600_000_000_250);
      assertEquals(lstatSync(join(folder, "etc/old")).mtimeMs, -1000);
      assertEquals(attribute(join(folder, "ping"), "security.capability"), hex(CAPABILITY));
      assertEquals(readFileSync(join(folder, long), "utf8"), "long");
      assertEquals(readlinkSync(join(folder, "to-long")), `/${long}`);
      assertEquals(readlinkSync(join(folder, "out")), "../../../etc/shadow");
      assertEquals(lstatSync(join(folder, "null")).rdev, 0x103);
      assert(lstatSync(join(folder, "pipe")).isFIFO());
      assertEquals(readFileSync(join(folder, "naïve ☃"), "utf8"), "snow");
    });
  });
}

Deno.test("overlayLayer() gives the same whatever the chunks are", async () => {
  const tar = buildTar([
    { type: "dir", path: "a" },
    { type: "file", path: "a/f", content: "y".repeat(3000), xattrs: { "user.x": CAPABILITY } },
    { type: "opaque", path: "a" },
    { type: "file", path: "n".repeat(150), content: "z".repeat(513) },
    { type: "whiteout", path: "a/gone" },
  ]);
  const whole = await rewrite(tar);
  for (const step of [1, 7, 511, 512, 513, 1500]) assertEquals(await rewrite(tar, {}, step), whole, `step ${step}`);
});

Deno.test("overlayLayer() makes whiteouts and opaque folders that overlay understands", async () => {
  await scratch(async (folder) => {
    const [base, top] = [join(folder, "base"), join(folder, "top")];
    await unpackEntries([
      { type: "dir", path: "keep" },
      { type: "file", path: "keep/stays", content: "1" },
      { type: "file", path: "keep/goes", content: "1" },
      { type: "dir", path: "opaque", mode: 0o755 },
      { type: "file", path: "opaque/hidden", content: "1" },
      { type: "dir", path: "late" },
      { type: "file", path: "late/hidden", content: "1" },
      { type: "dir", path: "unlisted" },
      { type: "file", path: "unlisted/hidden", content: "1" },
      { type: "dir", path: "remade" },
      { type: "file", path: "remade/hidden", content: "1" },
      { type: "dir", path: "remade2" },
      { type: "file", path: "remade2/hidden", content: "1" },
      { type: "dir", path: "remade3" },
      { type: "file", path: "remade3/hidden", content: "1" },
      { type: "file", path: "file", content: "old" },
      { type: "dir", path: "folder" },
      { type: "file", path: "folder/hidden", content: "1" },
    ], base);
    await unpackEntries([
      { type: "whiteout", path: "keep/goes" },
      // The mark after the folder's entry and after a file in it: mode, owner and attributes must survive.
      { type: "dir", path: "opaque", mode: 0o1770, uid: 5, gid: 6, xattrs: { "user.a": CAPABILITY } },
      { type: "file", path: "opaque/new", content: "2" },
      { type: "opaque", path: "opaque" },
      // The mark first.
      { type: "opaque", path: "late" },
      { type: "dir", path: "late", mode: 0o750, uid: 7 },
      { type: "opaque", path: "unlisted" },
      // Whiteout and new content of one name in one layer: before, after, and without the folder's own entry.
      { type: "whiteout", path: "remade" },
      { type: "dir", path: "remade" },
      { type: "file", path: "remade/new", content: "2" },
      { type: "dir", path: "remade2" },
      { type: "file", path: "remade2/new", content: "2" },
      { type: "whiteout", path: "remade2" },
      { type: "whiteout", path: "remade3" },
      { type: "file", path: "remade3/new", content: "2" },
      { type: "whiteout", path: "file" },
      { type: "file", path: "file", content: "new" },
      { type: "whiteout", path: "folder" },
      { type: "file", path: ".wh..wh.plnk", content: "aufs" },
    ], top);
    withOverlay(folder, [base, top], (tree) => {
      const names = (path: string) => readdirSync(join(tree, path)).sort();
      assertEquals(names(""), ["file", "keep", "late", "opaque", "remade", "remade2", "remade3", "unlisted"]);
      assertEquals(names("keep"), ["stays"]);
      assertEquals(names("opaque"), ["new"]);
      assertEquals([names("late"), names("unlisted")], [[], []]);
      assertEquals([names("remade"), names("remade2"), names("remade3")], [["new"], ["new"], ["new"]]);
      assertEquals(readFileSync(join(tree, "file"), "utf8"), "new");
      const opaque = lstatSync(join(tree, "opaque"));
      assertEquals([opaque.mode & 0o7777, opaque.uid, opaque.gid], [0o1770, 5, 6]);
      assertEquals(attribute(join(tree, "opaque"), "user.a"), hex(CAPABILITY));
      const late = lstatSync(join(tree, "late"));
      assertEquals([late.mode & 0o7777, late.uid], [0o750, 7]);
    });
  });
});

Deno.test("overlayLayer() drops owner names and overlay's own attributes", async () => {
  const tar = buildTar([{
    type: "dir",
    path: "d",
    uname: "daemon",
    pax: { uname: "daemon", comment: "x" },
    xattrs: { "trusted.overlay.redirect": "/etc", "trusted.overlay.opaque": "y", "user.overlay.opaque": "y" },
  }]);
  const text = new TextDecoder("latin1").decode(await rewrite(tar));
  assert(!/daemon|redirect|opaque|comment/.test(text));
});

Deno.test("overlayLayer() reads GNU tar's own archives", async () => {
  await scratch(async (folder) => {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    const deep = join("d".repeat(60), "e".repeat(60));
    mkdirSync(join(from, deep), { recursive: true });
    writeFileSync(join(from, deep, "f"), "content");
    for (const format of ["gnu", "pax", "ustar", "oldgnu"]) {
      const tar = new Uint8Array(execFileSync("tar", ["-C", from, `--format=${format}`, "-c", "."]));
      unpack(await rewrite(tar), join(to, format));
      assertEquals(readFileSync(join(to, format, deep, "f"), "utf8"), "content");
    }
  });
});
