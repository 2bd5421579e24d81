/** The second boot: an image is whole whose layer had not reached the disk. */
import { assert, assertEquals } from "@std/assert";
import { run } from "../../fixtures/run.ts";
import { cutFiles, NOTE, openCutEngine, ROOT } from "./cut_image.ts";

/** The files of the layer that are not what the archive says, by their paths. */
function damagedFiles(diff: string): string[] {
  return cutFiles().filter(({ path, content }) => {
    try {
      const found = Deno.readFileSync(`${diff}/${path}`);
      return found.length !== content.length || found.some((byte, at) => byte !== content[at]);
    } catch {
      return true;
    }
  }).map(({ path }) => path);
}

Deno.test("an image that was answered for is whole after a power cut, though its layer was not", async () => {
  const { id, diffID } = JSON.parse(await Deno.readTextFile(NOTE));
  const diff = `${ROOT}/layers/${diffID.slice("sha256:".length)}/diff`;
  assert(damagedFiles(diff).length > 0, "the disk had everything already: this shows nothing");
  const { engine, said } = await openCutEngine();
  try {
    assertEquals(damagedFiles(diff), []);
    assertEquals(engine.images.resolve(id).id, id);
    assertEquals(said.filter((text) => text.includes("anew")).length, 1, said.join("\n"));
    const { code } = await run([`${diff}/bin/busybox`, "true"]);
    assertEquals(code, 0);
  } finally {
    await engine.close();
  }
  const again = await openCutEngine();
  await again.engine.close();
  assertEquals(again.said.filter((text) => text.includes("anew")), []);
});
