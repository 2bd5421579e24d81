/**
 * `deno task build`: bundles what runs without Deno into `dist/`, with the types of what is imported by others, and stages the
 * packages in `dist/packages/`.
 *
 * @module
 */
import { bundle, type Target } from "./bundle.ts";

const root = new URL("../", import.meta.url);

/** Every bundle, by its file in `dist/`. */
export const bundles: Record<string, { entry: string; target: Target; what: string; types?: string }> = {
  "node.mjs": { entry: "lib/platform/entries/node.ts", target: "node", what: "the engine on Node" },
  "gantry.mjs": { entry: "lib/platform/entries/cli.ts", target: "node", what: "the command gantry, for Node and Deno" },
  "workers.js": { entry: "lib/platform/entries/workers.ts", target: "workers", what: "the engine as an edge handler" },
  "gantry-node.mjs": { entry: "scripts/node_library.ts", target: "node", what: "the library on Node" },
  "rest.js": {
    entry: "scripts/rest_library.ts",
    target: "portable",
    what: "the transport alone",
    types: "rest.d.ts",
  },
  "rest-node.mjs": {
    entry: "scripts/rest_node_library.ts",
    target: "node",
    what: "the transport alone on Node",
    types: "rest-node.d.mts",
  },
  "gantry.js": { entry: "mod.ts", target: "portable", what: "the portable face" },
};

/** Tells Deno where the types of a bundle are, which it is not to guess as TypeScript does. */
export function typed(code: string, types?: string): string {
  return types === undefined ? code : `// @ts-self-types="./${types}"\n${code}`;
}

if (import.meta.main) {
  // Tests want the list alone, without a compiler.
  const { declarations } = await import("./declarations.ts");
  await Deno.mkdir(new URL("dist/", root), { recursive: true });
  const write = async (file: string, text: string, what: string) => {
    await Deno.writeTextFile(new URL(`dist/${file}`, root), text);
    console.log(`dist/${file}: ${(text.length / 1024).toFixed(0)} KiB, ${what}`);
  };
  for (const [file, { entry, target, what, types }] of Object.entries(bundles)) {
    await write(file, typed(await bundle(entry, target), types), what);
    if (types !== undefined) await write(types, await declarations(entry), `the types of ${file}`);
  }
  const { stagePackages } = await import("./package/stage.ts");
  const packages = new URL("dist/packages", root).pathname;
  await Deno.remove(packages, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const { npm, jsr } = await stagePackages(packages);
  for (const folder of npm) console.log(`${folder}: "npm publish" here`);
  console.log(`${jsr}: "deno publish" here, which takes both packages`);
}
