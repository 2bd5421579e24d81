import { assertEquals, assertThrows } from "@std/assert";
import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFile, dropFile } from "../../../../lib/platform/linux/networks/note_files.ts";

Deno.test("createFile() makes a file whole and never replaces one, and dropFile() removes it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-notes-"));
  try {
    const path = join(folder, "gantry0");
    assertEquals(createFile(path, '{"interface":"gantry0","label":"ü"}'), true);
    assertEquals(await readFile(path, "utf8"), '{"interface":"gantry0","label":"ü"}');
    // Notes are other servers' to read, whoever runs them.
    assertEquals((await stat(path)).mode & 0o777, 0o666 & ~Deno.umask());
    assertEquals(createFile(path, "another"), false);
    assertEquals((await readFile(path, "utf8")).length, 35);
    // A link that leads nowhere is there, too: nothing is made where it leads.
    await symlink(join(folder, "elsewhere"), join(folder, "link"));
    assertEquals(createFile(join(folder, "link"), "a note"), false);
    assertEquals((await readdir(folder)).sort(), ["gantry0", "link"]);
    assertEquals(dropFile(path), true);
    assertEquals(dropFile(path), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("createFile() and dropFile() tell why they cannot", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-notes-"));
  try {
    assertThrows(() => createFile(join(folder, "none", "gantry0"), "a note"), Error, "ENOENT");
    assertThrows(() => createFile(join(folder, "x".repeat(300)), "a note"), Error, "ENAMETOOLONG");
    assertEquals(await readdir(folder), []);
    // A folder is no note.
    createFile(join(folder, "gantry0"), "a note");
    assertThrows(() => dropFile(folder), Error);
    assertEquals(await readdir(folder), ["gantry0"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
