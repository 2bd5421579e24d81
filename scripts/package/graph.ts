/** The modules of a package: what its entries import, found in the text of the tree. */

/** A quoted specifier behind `from`, `import` or `import(`. */
const SPECIFIER = /(\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g;

/** Replaces each specifier of imports and exports, in code and in the examples of comments. */
export function mapSpecifiers(text: string, map: (specifier: string) => string): string {
  return text.replace(SPECIFIER, (_, before: string, specifier: string) => `${before}"${map(specifier)}"`);
}

/** The specifiers that the code of a module imports; examples in comments do not count. */
export function importsOf(text: string): string[] {
  const code = text.split("\n").filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line)).join("\n");
  return [...code.matchAll(SPECIFIER)].map((match) => match[2]);
}

/** A relative specifier in the module at `from`, as a path from the root of the tree. */
export function resolvePath(specifier: string, from: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

/** The relative specifier that leads from one file to another. */
export function relativePath(from: string, to: string): string {
  const there = to.split("/");
  const here = from.split("/").slice(0, -1);
  while (here.length > 0 && here[0] === there[0]) {
    here.shift();
    there.shift();
  }
  return (here.length === 0 ? "./" : "../".repeat(here.length)) + there.join("/");
}

/** All modules that some entries need, with their texts: paths from the root of the tree. Types count as much as values. */
export async function moduleGraph(entries: readonly string[], root: URL): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const wanted = [...entries];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (found.has(path)) continue;
    const text = await Deno.readTextFile(new URL(path, root));
    found.set(path, text);
    for (const specifier of importsOf(text)) {
      if (specifier.startsWith(".")) wanted.push(resolvePath(specifier, path));
    }
  }
  return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
}
