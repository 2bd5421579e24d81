import { assert, assertEquals } from "@std/assert";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../../../../lib/platform/linux/helpers/tree.ts";
import { hasTopMark } from "../../../fixtures/platform/top_mark.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name:
    "makeFolder() marks a new folder of folders that are strangers to each other, where the file system has such a mark",
  ignore,
  async fn() {
    const folder = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    try {
      await mkdir(join(folder, "old"));
      for (const name of ["new", "old"]) {
        await makeFolder(join(folder, name), { mode: 0o700, isTop: true, log: () => {} });
      }
      await makeFolder(join(folder, "plain"), { mode: 0o700, log: () => {} });
      const marks = await Promise.all(["new", "old", "plain"].map((name) => hasTopMark(join(folder, name))));
      assertEquals(marks, marks[0] === undefined ? [undefined, undefined, undefined] : [true, false, false]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "makeFolder() gives a file in the folder's place another name, and says so",
  ignore,
  async fn() {
    const folder = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    try {
      await writeFile(join(folder, "one"), "kept");
      const told: string[] = [];
      await makeFolder(join(folder, "one"), { mode: 0o700, log: (_, text) => void told.push(text) });
      const [made, aside] = (await readdir(folder)).sort();
      assertEquals([made, (await readdir(join(folder, "one"))).length], ["one", 0]);
      assert(aside.startsWith("one.") && told[0].includes(aside));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});
