import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { quadletShelf } from "../../../../lib/platform/linux/quadlet_shelf.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("quadletShelf() makes its folder with the first file, reads within bounds, and removes", async () => {
  const parent = await Deno.makeTempDir();
  const shelf = quadletShelf(`${parent}/a/b`);
  try {
    assertEquals([await shelf.list(), await shelf.read("x", 9)], [[], undefined]);
    await shelf.write([{ name: "b.volume", content: bytes("") }, { name: "a.pod", content: bytes("[Pod]\n") }]);
    assertEquals(await shelf.list(), ["a.pod", "b.volume"]);
    assertEquals(new TextDecoder().decode(await shelf.read("a.pod", 6)), "[Pod]\n");
    assertEquals((await assertRejects(() => shelf.read("a.pod", 5), EngineError)).code, "limit");
    await shelf.remove(["a.pod", "none"]);
    assertEquals(await shelf.list(), ["b.volume"]);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});

Deno.test("quadletShelf() reads drop-ins: files of their ending in folders of theirs, within bounds", async () => {
  const folder = await Deno.makeTempDir();
  const shelf = quadletShelf(folder);
  try {
    await Deno.mkdir(`${folder}/web.container.d/deep.conf`, { recursive: true });
    await Deno.mkdir(`${folder}/other`);
    await Deno.writeTextFile(`${folder}/web.container.d/20.conf`, "two");
    await Deno.writeTextFile(`${folder}/web.container.d/10.conf`, "one");
    await Deno.writeTextFile(`${folder}/web.container.d/notes.txt`, "no");
    await Deno.writeTextFile(`${folder}/other/x.conf`, "no");
    await Deno.writeTextFile(`${folder}/file.d`, "no");
    const found = await shelf.dropIns(3);
    assertEquals(found.map(({ name, content }) => [name, new TextDecoder().decode(content)]), [
      ["web.container.d/10.conf", "one"],
      ["web.container.d/20.conf", "two"],
    ]);
    assertEquals((await assertRejects(() => shelf.dropIns(2), EngineError)).code, "limit");
    for (let index = 0; index < 1000; index++) await Deno.writeTextFile(`${folder}/web.container.d/${index}x.conf`, "");
    assertEquals((await assertRejects(() => shelf.dropIns(3), EngineError)).code, "limit");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("quadletShelf().write() leaves everything as it was when one file cannot be written", async () => {
  const folder = await Deno.makeTempDir();
  const shelf = quadletShelf(folder);
  try {
    await shelf.write([{ name: "a.pod", content: bytes("old") }]);
    const files = [{ name: "a.pod", content: bytes("new") }, { name: "missing/x", content: bytes("new") }];
    await assertRejects(() => shelf.write(files));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["a.pod"]);
    assertEquals(await Deno.readTextFile(`${folder}/a.pod`), "old");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
