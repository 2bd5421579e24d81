import { assertEquals, assertThrows } from "@std/assert";
import { makeMissing, makeNew } from "../../../../lib/platform/linux/helpers/make_missing.ts";

for (const make of [makeMissing, makeNew]) {
  Deno.test(`${make.name}() makes a folder with those above it, leaves one that is there, and refuses the place of a file`, async () => {
    const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
    try {
      make(`${root}/a`, 0o755);
      make(`${root}/b/c/d`, 0o750);
      await Deno.writeTextFile(`${root}/b/c/d/file`, "kept");
      make(`${root}/b/c/d`, 0o700);
      assertEquals(await Deno.readTextFile(`${root}/b/c/d/file`), "kept");
      assertEquals(((await Deno.stat(`${root}/b/c/d`)).mode ?? 0) & 0o777, 0o750);
      assertThrows(() => make(`${root}/b/c/d/file/e`, 0o755));
      await Deno.symlink(`${root}/nowhere`, `${root}/link`);
      assertThrows(() => make(`${root}/link`, 0o755));
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  });
}
