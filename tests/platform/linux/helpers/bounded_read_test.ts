/** What others may have changed is read up to a limit, and nobody waits for a pipe. */
import { assertEquals, assertThrows } from "@std/assert";
import { mkdir, open, symlink, truncate, writeFile } from "node:fs/promises";
import {
  readBounded,
  readTextBounded,
  readTextBoundedSync,
} from "../../../../lib/platform/linux/helpers/bounded_read.ts";
import { CleanUp } from "../../../../lib/platform/linux/helpers/clean_up.ts";
import { runOk } from "../../../fixtures/run.ts";

Deno.test("bounded reads give the beginning of a file of any size, and nothing of what is no file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await writeFile(`${folder}/small`, "häuser");
    await writeFile(`${folder}/large`, "");
    await truncate(`${folder}/large`, 3 * 1024 ** 4);
    await mkdir(`${folder}/folder`);
    await symlink("small", `${folder}/link`);
    await runOk(["mkfifo", `${folder}/pipe`]);
    for (
      const read of [
        readTextBounded,
        (path: string, limit: number) => Promise.resolve(readTextBoundedSync(path, limit)),
      ]
    ) {
      assertEquals(await read(`${folder}/small`, 100), "häuser");
      assertEquals(await read(`${folder}/small`, 7), "häuser");
      assertEquals(await read(`${folder}/small`, 1), "h");
      assertEquals((await read(`${folder}/large`, 100_000))?.length, 100_000);
      assertEquals((await read("/proc/self/status", 1024 * 1024))?.startsWith("Name:"), true);
      for (const name of ["folder", "link", "pipe", "missing", "small/below"]) {
        assertEquals(await read(`${folder}/${name}`, 100), undefined, name);
      }
    }
    const handle = await open(`${folder}/small`);
    assertEquals((await readBounded(handle, 3))?.length, 3);
    assertEquals(await readTextBounded(handle, 100), "user", "a handle is read from its place on");
    await handle.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("CleanUp takes every step, and tells of each that failed", async () => {
  const taken: string[] = [];
  const failing = (name: string) => () => {
    taken.push(name);
    return Promise.reject(new Error(`${name} is busy`));
  };
  const cleanUp = new CleanUp();
  await cleanUp.step(failing("one"));
  await cleanUp.step(() => Promise.resolve(taken.push("two")));
  await cleanUp.step(failing("three"));
  assertEquals(taken, ["one", "two", "three"]);
  assertThrows(() => cleanUp.done("Clean up"), AggregateError, "Clean up: one is busy; three is busy");
  const single = new CleanUp();
  await single.step(failing("one"));
  assertThrows(() => single.done("Clean up"), Error, "one is busy");
  new CleanUp().done("Clean up");
});
