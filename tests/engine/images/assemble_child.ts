/**
 * Assembles an image in a process of its own, for a test to kill: `assemble_child.ts FOLDER`. Writes a line when the second
 * layer, which never ends, is read.
 *
 * @module
 */
import { buildTar } from "../../fixtures/tar_builder.ts";
import { openOnHost } from "./host_rig.ts";

const { images } = await openOnHost({ folder: Deno.args[0] });
const first = new Blob([buildTar([{ type: "file", path: "a", content: "one" }]).slice()]).stream();
const second = new ReadableStream<Uint8Array>({
  pull() {
    console.log("second");
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  },
}, { highWaterMark: 0 });
await images.assemble({
  layers: [first, second],
  config: { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } },
  history: [{}, {}],
  format: "oci",
});
