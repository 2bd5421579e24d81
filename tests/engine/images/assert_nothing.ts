import { assert, assertEquals } from "@std/assert";
import type { Layers } from "../../../lib/engine/host_port.ts";
import { blobsOf, type Rig } from "./rig.ts";

/** Nothing of a failed pull is left but at most so many staged blobs. */
export async function assertNothing(
  rig: Rig & { layers?: Layers },
  digests: Iterable<string>,
  staged = 0,
): Promise<void> {
  assertEquals([rig.images.list(), await blobsOf(rig.blobs), await rig.layers?.list() ?? []], [[], [], []]);
  const sizes = await Promise.all([...digests].map((digest) => rig.blobs.staged(digest)));
  const count = sizes.filter((size) => size > 0).length;
  assert(count <= staged, `Expected at most ${staged} staged blobs, got ${count}`);
}
