import { assert, assertEquals, assertGreater, assertInstanceOf, assertRejects } from "@std/assert";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import { buildTar, concat, type Entry, pad, tarHeader } from "../../fixtures/images/tar_builder.ts";
import { rewrite } from "../../fixtures/images/layer_setup.ts";

const WELL: Entry = { type: "file", path: "fine", content: "x" };
const file = (path: string): Entry => ({ type: "file", path, content: "x" });

const REFUSED: [string, LayerError["code"], Entry[]][] = [
  ["an absolute path", "unsafe", [file("/etc/passwd")]],
  ["..", "unsafe", [file("a/../../etc/passwd")]],
  [".. at the end", "unsafe", [{ type: "dir", path: "a/.." }]],
  ["an absolute path in PAX", "unsafe", [{ type: "file", path: "fine", pax: { path: "/etc/passwd" } }]],
  ["a file through a link", "unsafe", [{ type: "symlink", path: "l", target: "/etc" }, file("l/passwd")]],
  ["a file through a link, twice down", "unsafe", [{ type: "symlink", path: "a/l", target: "/etc" }, file("a/l/b/c")]],
  ["a folder over a link", "corrupt", [{ type: "symlink", path: "l", target: "/etc" }, { type: "dir", path: "l" }]],
  ["an opaque mark through a link", "unsafe", [{ type: "symlink", path: "l", target: "/etc" }, {
    type: "opaque",
    path: "l",
  }]],
  ["a whiteout through a link", "unsafe", [{ type: "symlink", path: "l", target: "/etc" }, {
    type: "whiteout",
    path: "l/passwd",
  }]],
  ["a hard link out", "unsafe", [{ type: "hardlink", path: "l", target: "../../etc/passwd" }]],
  ["a hard link to the host's root", "unsafe", [{ type: "hardlink", path: "l", target: "/etc/passwd" }]],
  ["a hard link through a link", "unsafe", [
    { type: "symlink", path: "l", target: "/etc" },
    { type: "hardlink", path: "h", target: "l/passwd" },
  ]],
  ["a hard link to a folder", "unsafe", [{ type: "dir", path: "d" }, { type: "hardlink", path: "h", target: "d" }]],
  ["a hard link to a whiteout", "unsafe", [{ type: "whiteout", path: "w" }, {
    type: "hardlink",
    path: "h",
    target: "w",
  }]],
  ["a whiteout of nothing", "unsafe", [file("d/.wh.")]],
  ["a whiteout of ..", "unsafe", [file("d/.wh...")]],
  ["a folder that becomes a link", "corrupt", [file("d/f"), { type: "symlink", path: "d", target: "/etc" }]],
  ["something under a file", "corrupt", [file("f"), file("f/g")]],
  [
    "a device flood",
    "limit",
    Array.from({ length: 5 }, (_, i) => ({ type: "char", path: `d${i}`, major: 1, minor: 1 })),
  ],
  ["too many entries", "limit", Array.from({ length: 101 }, (_, i) => file(`f${i}`))],
  ["too many bytes", "limit", [{ type: "file", path: "f", content: new Uint8Array(200_000) }]],
  ["folders that no entry names", "limit", [0, 1, 2].map((i) => file(`${i}/${"d/".repeat(40)}f`))],
  [
    "attributes of folders that would fill the memory",
    "limit",
    ["a", "b"].map((path): Entry => {
      return { type: "dir", path, xattrs: { "user.big": new Uint8Array(60_000) } };
    }),
  ],
  ["a long path", "limit", [file("x/".repeat(600))]],
  ["a long name", "limit", [file("x".repeat(256))]],
  ["a sparse file", "unsupported", [{ type: "file", path: "f", pax: { "GNU.sparse.major": "1" } }]],
  ["an old sparse file", "unsupported", [{ type: "flag", flag: "S", path: "f" }]],
  ["an unknown type", "unsupported", [{ type: "flag", flag: "Z", path: "f" }]],
  ["a volume continued", "unsupported", [{ type: "flag", flag: "M", path: "f" }]],
  ["a large PAX header", "limit", [{ type: "file", path: "f", pax: { comment: new Uint8Array(1024 * 1024 + 1) } }]],
  ["a bad PAX number", "corrupt", [{ type: "file", path: "f", pax: { size: "-5" } }]],
  ["a link to nothing", "corrupt", [{ type: "symlink", path: "l", target: "" }]],
  ["no checksum", "corrupt", [{ type: "raw", bytes: new Uint8Array(512).fill(65) }]],
  ["a zero block between", "corrupt", [{ type: "raw", bytes: new Uint8Array(512) }, WELL]],
  ["a broken PAX record", "corrupt", [{
    type: "raw",
    bytes: concat([tarHeader({ name: "x", flag: "x", size: 9 }), pad(new TextEncoder().encode("99 a=bbb\n"))]),
  }, WELL]],
  ["a huge size", "corrupt", [{ type: "raw", bytes: tarHeader({ name: "x", flag: "0", size: 2 ** 40 }) }]],
];

for (const [what, code, entries] of REFUSED) {
  Deno.test(`overlayLayer() refuses ${what}`, async () => {
    const bytes = what.startsWith("a large PAX") ? 2 ** 30 : 150_000;
    const limits = { bytes, entries: 100, devices: 4, path: 1000, memory: 100_000 };
    const error = await assertRejects(() => rewrite(buildTar([WELL, ...entries]), limits), LayerError);
    assertEquals(error.code, code, error.message);
  });
}

Deno.test("overlayLayer() refuses a tar that ends early, wherever", async () => {
  const tar = buildTar([{ type: "file", path: "n".repeat(150), content: "x".repeat(600), xattrs: { "user.a": "1" } }]);
  const end = tar.length - 1024;
  for (let cut = 1; cut < end; cut += 37) {
    await assertRejects(() => rewrite(tar.subarray(0, cut)), LayerError, "ends within");
  }
  // Without the end marker, and with nothing at all, it is whole to every reader.
  await rewrite(tar.subarray(0, end));
  await rewrite(new Uint8Array(0));
});

Deno.test("overlayLayer() takes nothing after the end marker for entries", async () => {
  const tail = concat([buildTar([WELL]), buildTar([file("/etc/evil")])]);
  const text = new TextDecoder("latin1").decode(await rewrite(tail));
  assert(!text.includes("evil"));
});

Deno.test("overlayLayer() never fails but with LayerError, nor writes what it should not (fuzz)", async () => {
  const seeds = [
    buildTar([WELL, { type: "dir", path: "d" }, file("d/f"), { type: "symlink", path: "l", target: "d" }, {
      type: "whiteout",
      path: "w",
    }]),
    buildTar([{ type: "file", path: "n".repeat(150), content: "x", xattrs: { "user.a": "1" } }, {
      type: "opaque",
      path: "d",
    }]),
    buildTar([{ type: "file", path: "n".repeat(150), content: "x" }, {
      type: "hardlink",
      path: "h",
      target: "n".repeat(150),
    }], "gnu"),
  ];
  const random = lcg(20261121);
  let whole = 0;
  for (let round = 0; round < 3000; round++) {
    const tar = seeds[round % seeds.length].slice();
    for (let i = 0; i < 1 + random() % 6; i++) {
      const at = random() % tar.length;
      tar[at] = [random() & 255, 0, 0x2f, 0x2e, 0x80][random() % 5];
      fixSum(tar, at - at % 512);
    }
    try {
      const out = await rewrite(tar, {}, 1 + random() % 3000);
      assertEquals(out.length % 512, 0);
      whole++;
    } catch (error) {
      assertInstanceOf(error, LayerError);
    }
  }
  assertGreater(whole, 100);
});

/** Makes a block's checksum right, so that fuzzing reaches what is behind it. */
function fixSum(tar: Uint8Array, at: number): void {
  if (tar[at + 257] !== 0x75) return;
  tar.fill(32, at + 148, at + 156);
  const sum = tar.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
  tar.set(new TextEncoder().encode(sum.toString(8).padStart(6, "0") + "\0 "), at + 148);
}

function lcg(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >>> 8;
}
