/**
 * The import map of the tests.
 *
 * @module
 */

const root = new URL("../../", import.meta.url);

/**
 * Returns arguments for `deno` that let tests be loaded here. Where JSR cannot be reached, a map swaps `@std/assert` for
 * `tests/assert.ts` (the same names over `node:assert`); it is written into `folder`.
 */
export async function makeImportMap(folder: string): Promise<string[]> {
  try {
    const response = await fetch("https://jsr.io/@std/assert/meta.json", { signal: AbortSignal.timeout(4000) });
    await response.body?.cancel();
    if (response.ok) return [];
  } catch {
    // Not reachable: the map below serves.
  }
  const config: { imports: Record<string, string> } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  // In deno.json a package's name stands for its subpaths too; in a plain import map those are said apart.
  const subpaths = Object.entries(config.imports).filter(([, target]) => target.startsWith("npm:"))
    .map(([name, target]) => [`${name}/`, `${target.replace("npm:", "npm:/")}/`]);
  const assert = { "@std/assert": new URL("tests/assert.ts", root).href };
  const path = `${folder}/import_map.json`;
  await Deno.writeTextFile(
    path,
    JSON.stringify({ imports: { ...config.imports, ...Object.fromEntries(subpaths), ...assert } }),
  );
  console.log("JSR cannot be reached: tests use tests/assert.ts in place of @std/assert");
  return [`--import-map=${path}`];
}
