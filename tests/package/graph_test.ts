import { assertEquals, assertRejects } from "@std/assert";
import { exportedNames, mapStatements, moduleGraph, relativePath, resolvePath } from "../../scripts/package/graph.ts";
import { readPackages, transportChanges, transportNames } from "../../scripts/package/packages.ts";
import { installPackage } from "../../scripts/bundle.ts";

const root = new URL("../../", import.meta.url);

Deno.test("relativePath() undoes resolvePath()", () => {
  for (
    const [from, to] of [["a/b.ts", "a/c.ts"], ["a/b.ts", "d/e/f.ts"], ["mod.ts", "a/b.ts"], ["a/b/c.ts", "mod.ts"]]
  ) {
    assertEquals(resolvePath(relativePath(from, to), from), to);
  }
  assertEquals(relativePath("a/b/c.ts", "a/d.ts"), "../d.ts");
});

Deno.test("mapStatements() tells the names of each statement as the other module has them", () => {
  const text =
    `import { a, type B as C } from "./x.ts";\nexport * from "./y.ts";\nimport type {\n  D,\n} from "./z.ts";\n`;
  const seen: unknown[] = [];
  const mapped = mapStatements(text, (specifier, names) => {
    seen.push([specifier, names]);
    return `new${specifier.slice(1)}`;
  });
  assertEquals(seen, [["./x.ts", ["a", "B"]], ["./y.ts", undefined], ["./z.ts", ["D"]]]);
  assertEquals(mapped, text.replaceAll(`"./`, `"new/`));
});

Deno.test("exportedNames() of the transport has what it exports and nothing that it imports", async () => {
  const names = exportedNames(await Deno.readTextFile(new URL("lib/rest/mod.ts", root)));
  assertEquals(["api", "HTTPError", "Schema", "checkOperations"].map((name) => names.has(name)), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("moduleGraph() follows types and values, and no example of a comment", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-graph-" });
  try {
    const files = {
      "a.ts":
        `/**\n * import { x } from "./comment.ts";\n */\nimport type { B } from "./b.ts";\nexport const a: B = 1;\n`,
      "b.ts": `// @ts-types="./c.d.ts"\nexport { z } from "npm:c@1.0.0";\nexport type B = number;\n`,
      "c.d.ts": "export const z: number;\n",
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    assertEquals([...(await moduleGraph(["a.ts"], new URL(`file://${folder}/`))).keys()], Object.keys(files));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("transportChanges() keeps every version, and of each only what is said of the transport", () => {
  const changes = transportChanges(
    "# Changelog\n\n## 2.0.0\n\nWords.\n\n### Fixed\n\n- A pod.\n\n### Transport: fixed\n\n- A tag.\n\n## 1.0.0\n\n- First.\n",
  );
  assertEquals(
    changes,
    "# Changelog\n\nThis file lists changes, newest first.\n\n## 2.0.0\n\n### Transport: fixed\n\n- A tag.\n\n## 1.0.0\n\n" +
      "No changes of this package.\n",
  );
});

Deno.test("transportNames() writes the transport's exports as its package has them", () => {
  const text = 'from "@gantry/gantry/rest"; "@gantry/gantry/rest/xml"; "@gantry/gantry/serve"; "@gantry/gantry/host"';
  const named = 'from "@gantry/rest"; "@gantry/rest/xml"; "@gantry/rest/serve"; "@gantry/gantry/host"';
  assertEquals(transportNames(text, "@gantry/gantry"), named);
});

Deno.test("readPackages() gives the transport the tree's version and nothing of the engine", async () => {
  const { transport, engine, version } = await readPackages(root);
  assertEquals(version, JSON.parse(await Deno.readTextFile(new URL("deno.json", root))).version);
  const paths = Object.values(transport.exports);
  assertEquals(paths.filter((path) => !/^lib\/(rest|platform\/http)\//.test(path)), []);
  assertEquals(paths.filter((path) => !Object.values(engine.exports).includes(path)), []);
  for (const path of [...Object.values(transport.texts), ...Object.values(engine.texts)]) {
    await Deno.stat(new URL(path, root));
  }
});

Deno.test("installPackage() refuses a package without an exact version", async () => {
  await assertRejects(() => installPackage("npm:zod"), TypeError, '"npm:zod" has no exact version');
});
