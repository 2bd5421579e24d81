import type { Layers } from "../../../lib/engine/host_port.ts";
import { FileBlobs } from "../../../lib/platform/file_blobs.ts";
import { openLayers } from "../../../lib/platform/linux/layers.ts";
import { localFiles } from "../../../lib/platform/linux/local_files.ts";
import { hostPaths } from "../../../lib/platform/linux/paths.ts";
import { SQLiteStore } from "../../../lib/platform/sqlite_store.ts";
import { buildImage, type BuiltImage } from "../../fixtures/image_builder.ts";
import { openImages, type Rig, type RigOptions } from "./rig.ts";

/** Bytes that do not compress, the same every time. */
export function noise(size: number, seed = 1): Uint8Array {
  let x = seed;
  return Uint8Array.from({ length: size }, () => (x = (x * 48271) % 2147483647) & 0xff);
}

/** An image of some layers, each with one file of noise. */
export function sampleImage(
  sizes: number[] = [3000, 200_000, 50],
  options: { seed?: number; extra?: string } = {},
): BuiltImage {
  const { seed = 1, extra } = options;
  const layers = sizes.map((size, i) => ({
    entries: [{ type: "file" as const, path: `file${i}`, content: noise(size, seed + i) }],
  }));
  if (extra) layers.push({ entries: [{ type: "file", path: "extra", content: new TextEncoder().encode(extra) }] });
  return buildImage({ layers, config: { Cmd: ["/file0"] }, architecture: "amd64" });
}

/** A whole engine's images on this machine: SQLite, files and real layers, in a folder that goes (a given one, too). */
export async function openOnHost(
  options: Pick<RigOptions, "registries" | "limits"> & { folder?: string } = {},
): Promise<
  Rig & { layers: Layers; folder: string; reopen(): Promise<Rig>; [Symbol.asyncDispose](): Promise<void> }
> {
  const folder = options.folder ?? await Deno.makeTempDir({ prefix: "gantry-test-" });
  const paths = hostPaths(`${folder}/root`, `${folder}/run`);
  await Deno.mkdir(paths.layers, { recursive: true });
  const layers = await openLayers({ paths, runtime: "auto", log: () => {} });
  let store = await SQLiteStore.open(`${folder}/gantry.db`);
  const files = localFiles([paths.root]);
  const open = async () => {
    const blobs = await FileBlobs.open(`${folder}/blobs`);
    return await openImages({ ...options, store, blobs, layers, localFiles: files });
  };
  return {
    ...await open(),
    layers,
    folder,
    reopen: async () => {
      await store.close();
      store = await SQLiteStore.open(`${folder}/gantry.db`);
      return await open();
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
