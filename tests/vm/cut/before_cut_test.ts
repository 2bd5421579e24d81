/** The first boot: the machine loses its power right after an image was answered for. */
import { cutArchive, NOTE, openCutEngine } from "./cut_image.ts";

Deno.test("an image is made, and the power goes", async () => {
  const archive = await cutArchive();
  const { engine } = await openCutEngine();
  const image = await engine.images.assemble({
    layers: [{ tar: new Blob([archive.slice()]).stream() }],
    config: { architecture: "amd64", os: "linux", config: {}, rootfs: { type: "layers", diff_ids: [] } },
    history: [{}],
    format: "oci",
  });
  Deno.writeTextFileSync(NOTE, JSON.stringify({ id: image.id, diffID: image.layers[0].diffID }));
  // The kernel starts the machine anew without writing anything to its disks.
  Deno.writeTextFileSync("/proc/sysrq-trigger", "b");
  throw new Error("the machine goes on");
});
