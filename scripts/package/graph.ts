/** The modules of a package: what its entries import, found in the text of the tree. */

/** A quoted specifier behind `from`, `import` or `import(`. */
const SPECIFIER = /(\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g;

/** The comment that says where the types of the next import are. */
const TYPES = /^\/\/ @ts-types="([^"]+)"\n/m;

/** An import or export of names, or of all. */
const STATEMENT = /^((?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*(?: as \w+)?)\s+from\s+)"([^"]+)"/gm;

/** Replaces the specifiers of statements that import names, or export them from elsewhere. */
export function mapStatements(text: string, map: (specifier: string, names: string[] | undefined) => string): string {
  return text.replace(STATEMENT, (_, before: string, list: string | undefined, specifier: string) => {
    return `${before}"${map(specifier, list === undefined ? undefined : namesOf(list))}"`;
  });
}

/** The names in the braces of an import or export, as the other module has them. */
function namesOf(list: string): string[] {
  const names = list.split(",").map((name) => name.trim().replace(/^type\s+/, "").replace(/\s+as\s+.*$/, ""));
  return names.filter((name) => name !== "");
}

/** The names that a module exports from others. */
export function exportedNames(text: string): Set<string> {
  const names = [...text.matchAll(STATEMENT)].filter(([whole]) => whole.startsWith("export"));
  return new Set(names.flatMap(([, , list = ""]) => namesOf(list)));
}

/** The file of declarations that a module names for its import, and the text without that comment. */
export function declaredTypes(text: string): { types: string | undefined; rest: string } {
  return { types: TYPES.exec(text)?.[1], rest: text.replace(TYPES, "") };
}

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

/**
 * All modules that some entries need, with their texts: paths from the root of the tree. Types count as much as values.
 *
 * @param change Rewrites a module before its imports are followed
 */
export async function moduleGraph(
  entries: readonly string[],
  root: URL,
  change: (text: string, path: string) => string = (text) => text,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const wanted = [...entries];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (found.has(path)) continue;
    const text = change(await Deno.readTextFile(new URL(path, root)), path);
    found.set(path, text);
    const { types } = declaredTypes(text);
    for (const specifier of [...importsOf(text), ...(types === undefined ? [] : [types])]) {
      if (specifier.startsWith(".")) wanted.push(resolvePath(specifier, path));
    }
  }
  return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
}
