/**
 * The examples of docstrings and guides as tests of one process. `deno test --doc` gives each example a worker, which loads all that it
 * imports once more: 300 times the whole tree.
 *
 * @module
 */

/** An example: its text, and the line of the fence that opens it. */
interface Example {
  readonly line: number;
  readonly text: string;
}

/**
 * Writes a module for each example of the files, and one with a test for each of them; gives the path of the latter.
 *
 * @param paths Files, and folders whose `.ts` and `.md` files are meant, from `root`
 * @param folder Where the modules are put; it exists
 */
export async function writeExampleTests(root: URL, paths: readonly string[], folder: string): Promise<string> {
  const { exports, name }: { exports: Record<string, string>; name: string } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", root)),
  );
  const tests: string[] = [];
  for (const path of paths.flatMap((path) => sourceFiles(root, path)).sort()) {
    const source = new URL(path, root);
    for (const { line, text } of readExamples(await Deno.readTextFile(source), path.endsWith(".md"))) {
      const module = text.replaceAll(/(\bfrom\s+|\bimport\(\s*|\bimport\s+)"([^"]+)"/g, (whole, before, specifier) => {
        const own = exports[specifier.replace(name, ".")];
        if (specifier.startsWith(".")) return `${before}"${new URL(specifier, source).href}"`;
        return own === undefined ? whole : `${before}"${new URL(own, root).href}"`;
      });
      const file = `${folder}/${path.replaceAll(/\W/g, "_")}_${line}.ts`;
      // Without an import or export it would be a script, whose names are everybody's.
      await Deno.writeTextFile(file, `${module}\nexport {};\n`);
      tests.push(`Deno.test(${JSON.stringify(`${path}:${line}`)}, () => import(${JSON.stringify(file)}));\n`);
    }
  }
  const all = `${folder}/examples_test.ts`;
  await Deno.writeTextFile(all, tests.join(""));
  return all;
}

/** The `.ts` and `.md` files of a folder, or the file that a path names. */
function sourceFiles(root: URL, path: string): string[] {
  if (!Deno.statSync(new URL(path, root)).isDirectory) return [path];
  return [...Deno.readDirSync(new URL(`${path}/`, root))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sourceFiles(root, `${path}/${name}`);
    return /\.(ts|md)$/.test(name) ? [`${path}/${name}`] : [];
  });
}

/** Finds what stands between fences that say `ts` and nothing else: in a guide anywhere, in a module in its docstrings. */
function readExamples(text: string, isGuide: boolean): Example[] {
  const fence = isGuide ? /^( *)```ts$/ : /^( *\* )```ts$/;
  const examples: Example[] = [];
  let begun: { line: number; indent: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (begun === undefined) {
      const opening = fence.exec(line);
      if (opening !== null) begun = { line: index + 1, indent: opening[1].length, lines: [] };
    } else if (/^[ *]*```$/.test(line)) {
      examples.push({ line: begun.line, text: begun.lines.join("\n") });
      begun = undefined;
    } else {
      begun.lines.push(line.slice(begun.indent));
    }
  }
  return examples;
}
