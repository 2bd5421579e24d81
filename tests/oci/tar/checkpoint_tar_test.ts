/** Archives of checkpoints are anybody's: plain files come through, and nothing else does. */
import { assertEquals, assertRejects } from "@std/assert";
import { checkpointTar, volumeTar } from "../../../lib/oci/tar/checkpoint_tar.ts";
import { LayerError } from "../../../lib/oci/tar/layer_error.ts";
import type { LayerLimits } from "../../../lib/oci/tar/layer_limits.ts";
import { buildTar, type Entry } from "../../fixtures/images/tar_builder.ts";

type Check = (limits?: Partial<LayerLimits>) => ReadableWritablePair<Uint8Array, Uint8Array>;

async function checked(check: Check, entries: Entry[], limits: Partial<LayerLimits> = {}): Promise<Uint8Array> {
  const archive = new Blob([buildTar(entries) as BlobPart]).stream();
  return new Uint8Array(await new Response(archive.pipeThrough(check(limits))).arrayBuffer());
}

/** The names in an archive of plain headers, as `tar --list` tells them. */
async function names(archive: Uint8Array): Promise<string[]> {
  const child = new Deno.Command("tar", { args: ["--list"], stdin: "piped", stdout: "piped" }).spawn();
  await new Blob([archive as BlobPart]).stream().pipeTo(child.stdin);
  const { stdout } = await child.output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

const plain: Entry[] = [
  { type: "dir", path: "./" },
  { type: "file", path: "./config.dump", content: "{}" },
  { type: "dir", path: "checkpoint" },
  { type: "file", path: "checkpoint/inventory.img", content: "x" },
  { type: "symlink", path: "checkpoint/parent", target: "../pre-checkpoint" },
];

Deno.test("checkpointTar() passes files, folders and the one link between images", async () => {
  const expected = ["./", "config.dump", "checkpoint/", "checkpoint/inventory.img", "checkpoint/parent"];
  assertEquals(await names(await checked(checkpointTar, plain)), expected);
});

Deno.test("checkpointTar() refuses links, devices, pipes, ways out, and too much of anything", async () => {
  const bad: [Entry, string][] = [
    [{ type: "symlink", path: "config.dump", target: "/etc/passwd" }, "not a plain file"],
    [{ type: "symlink", path: "checkpoint/parent", target: "/etc" }, "not a plain file"],
    [{ type: "symlink", path: "other/parent", target: "../pre-checkpoint" }, "not a plain file"],
    [{ type: "hardlink", path: "x", target: "config.dump" }, "not a plain file"],
    [{ type: "char", path: "x", major: 1, minor: 3 } as Entry, "not a plain file"],
    [{ type: "fifo", path: "x" } as Entry, "not a plain file"],
    [{ type: "file", path: "../x", content: "" }, "leaves"],
    [{ type: "file", path: "/x", content: "" }, "absolute"],
    [{ type: "dir", path: "a/b/c/d/e" }, "deep"],
  ];
  for (const [entry, text] of bad) {
    await assertRejects(() => checked(checkpointTar, [...plain, entry]), LayerError, text);
  }
  await assertRejects(() => checked(checkpointTar, plain, { entries: 3 }), LayerError, "more than 3 entries");
  await assertRejects(() => checked(checkpointTar, plain, { bytes: 2048 }), LayerError, "larger than 2048 bytes");
});

Deno.test("volumeTar() passes links as they are, and refuses devices and ways out", async () => {
  const links: Entry[] = [
    { type: "dir", path: "./" },
    { type: "file", path: "file", content: "x" },
    { type: "symlink", path: "link", target: "/anywhere" },
    { type: "hardlink", path: "again", target: "file" },
  ];
  assertEquals(await names(await checked(volumeTar, links)), ["./", "file", "link", "again"]);
  for (
    const [entry, text] of [
      [{ type: "char", path: "x", major: 1, minor: 3 } as Entry, "device"],
      [{ type: "file", path: "../x", content: "" }, "leaves"],
      [{ type: "hardlink", path: "x", target: "../../etc/passwd" }, "leaves"],
    ] as [Entry, string][]
  ) await assertRejects(() => checked(volumeTar, [...links, entry]), LayerError, text);
  await assertRejects(() => checked(volumeTar, links, { entries: 2 }), LayerError, "more than 2 entries");
});
