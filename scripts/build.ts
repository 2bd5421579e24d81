/**
 * `deno task build`: bundles what runs without Deno into `dist/`.
 *
 * @module
 */
import { bundle, type Target } from "./bundle.ts";

const root = new URL("../", import.meta.url);

/** Every bundle, by its file in `dist/`. */
export const bundles: Record<string, { entry: string; target: Target; what: string }> = {
  "node.mjs": { entry: "lib/platform/node.ts", target: "node", what: "the engine on Node" },
  "workers.js": { entry: "lib/platform/workers.ts", target: "workers", what: "the engine as an edge handler" },
  "gantry-node.mjs": { entry: "scripts/node_library.ts", target: "node", what: "the library on Node" },
  "rest.js": { entry: "scripts/rest_library.ts", target: "portable", what: "the transport alone" },
  "rest-node.mjs": { entry: "scripts/rest_node_library.ts", target: "node", what: "the transport alone on Node" },
  "gantry.js": { entry: "mod.ts", target: "portable", what: "the portable face" },
};

if (import.meta.main) {
  await Deno.mkdir(new URL("dist/", root), { recursive: true });
  for (const [file, { entry, target, what }] of Object.entries(bundles)) {
    const code = await bundle(entry, target);
    await Deno.writeTextFile(new URL(`dist/${file}`, root), code);
    console.log(`dist/${file}: ${(code.length / 1024).toFixed(0)} KiB, ${what}`);
  }
}
