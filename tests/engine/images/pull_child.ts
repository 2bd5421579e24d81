/**
 * Pulls an image in a process of its own, for a test to kill: `pull_child.ts FOLDER REGISTRIES REFERENCE`. Writes a line when
 * a layer is done.
 *
 * @module
 */
import { openOnHost } from "./host_rig.ts";

const [folder, registries, reference] = Deno.args;
const { images } = await openOnHost({ folder, registries });
for await (const progress of images.pull(reference)) {
  if (progress.kind === "layer" && progress.state === "done") console.log(progress.digest);
}
