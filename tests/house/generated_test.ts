/** Generated modules: each says what its source says, and none is left without a source. */
import { assert, assertEquals } from "@std/assert";
import { generateModules } from "../../scripts/generate.ts";
import { filesBelow, reachedFrom } from "../fixtures/source_tree.ts";

const root = new URL("../../", import.meta.url);

Deno.test("generated modules are fresh: `deno task generate` would change none", async () => {
  const modules = await generateModules();
  assert(modules.size > 10, "the script found the sources");
  for (const [path, text] of modules) assertEquals(await Deno.readTextFile(new URL(path, root)), text, path);
});

Deno.test("no generated module is left without its source", async () => {
  const modules = await generateModules();
  const generated = filesBelow("lib/").filter((path) =>
    /^\/\/ Made of /.test(Deno.readTextFileSync(new URL(path, root)))
  );
  assertEquals(generated.sort(), [...modules.keys()].filter((path) => path.startsWith("lib/")).sort());
});

Deno.test("the engine at the edge carries no Perl, and the host's does", () => {
  const perl = (entry: string) => [...reachedFrom(entry)].filter((path) => path.endsWith(".pl.ts"));
  assertEquals(perl("lib/platform/entries/workers.ts"), []);
  assert(perl("lib/platform/entries/node.ts").length > 5);
});
