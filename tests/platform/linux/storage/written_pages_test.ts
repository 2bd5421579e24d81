import { assertEquals } from "@std/assert";
import { WrittenPages } from "../../../../lib/platform/linux/storage/written_pages.ts";
import { sample } from "../../../fixtures/platform/blobs_suite.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

/** Bytes of a file that the kernel has in memory. */
async function bytesInMemory(path: string): Promise<number> {
  const args = ["--bytes", "--noheadings", "--output", "RES", path];
  const { stdout } = await new Deno.Command("fincore", { args }).output();
  return Number(new TextDecoder().decode(stdout));
}

Deno.test({
  name: "WrittenPages lets go of what nobody reads again, and changes nothing of it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    // A file system in memory, as `/tmp` may be, has nowhere else to put it.
    const folder = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "gantry-test-" });
    try {
      assertEquals(WrittenPages.open(`${folder}/none`), undefined);
      const path = `${folder}/large`;
      const piece = sample(1 << 20);
      await Deno.writeFile(path, new Uint8Array());
      const pages = WrittenPages.open(path)!;
      try {
        using file = await Deno.open(path, { write: true });
        for (let at = 1; at <= 40; at++) {
          await file.write(piece);
          pages.release(at << 20);
        }
        await untilTrue(async () => await bytesInMemory(path) === 0);
      } finally {
        await pages.close();
      }
      pages.release(40 << 20);
      const whole = await Deno.readFile(path);
      assertEquals(whole.length, 40 << 20);
      for (let at = 0; at < 40; at++) assertEquals(whole.subarray(at << 20, (at + 1) << 20), piece);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
