import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TreePath, TreeWriteOptions } from "../../../../lib/engine/tree_port.ts";
import { archiveEntries, type ArchiveOptions } from "../../../../lib/oci/archive_entries.ts";
import { overlayLayer } from "../../../../lib/oci/layer_tar.ts";
import { runCommand } from "../../../../lib/platform/linux/command.ts";
import { openLayers } from "../../../../lib/platform/linux/layers.ts";
import { hostPaths } from "../../../../lib/platform/linux/paths.ts";
import { openTrees } from "../../../../lib/platform/linux/trees/trees.ts";
import { buildTar, type Entry } from "../../../fixtures/tar_builder.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
/** The layers of its container, base first. */
export const BASE = `sha256:${"a".repeat(64)}`;
export const UPPER = `sha256:${"b".repeat(64)}`;

/** One container over two layers, its tree mounted. */
export class Rig implements AsyncDisposable {
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

/** A test with a rig of its own; only where containers can be. */
export function testTrees(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    fn: async () => {
      await using rig = await Rig.open();
      await run(rig);
    },
  });
}
