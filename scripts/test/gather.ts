/**
 * Finds test files and writes the modules that `deno test` runs: each imports many files. A module of its own costs a file a third of a
 * second, and a folder three, to load once more what its neighbours have loaded.
 *
 * @module
 */

const root = new URL("../../", import.meta.url);

/** Test files that are run together, by their paths below the project's folder. */
export type TestFiles = readonly string[];

/** Lists the test files below folders, sorted, without those of folders whose names `left` holds. */
export function findTestFiles(folders: readonly string[], left: readonly string[] = []): TestFiles {
  const files: string[] = [];
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(`${folder}/`, root))) {
      if (isDirectory && !left.includes(name)) walk(`${folder}/${name}`);
      if (name.endsWith("_test.ts")) files.push(`${folder}/${name}`);
    }
  };
  folders.forEach(walk);
  return files.sort();
}

/**
 * Returns the files that may hold a test of the name that follows `--filter` in the arguments of `deno test`; all where there is no such
 * argument. A test's name may be put together from parts, so where no file holds the text all are returned too.
 */
export function selectFiltered(files: TestFiles, args: readonly string[]): TestFiles {
  const text = filterOf(args);
  if (text === undefined) return files;
  const pattern = /^\/(.+)\/$/.exec(text);
  const holds = pattern ? (source: string) => new RegExp(pattern[1]).test(source) : (s: string) => s.includes(text);
  const chosen = files.filter((file) => holds(Deno.readTextFileSync(new URL(file, root))));
  return chosen.length > 0 ? chosen : files;
}

/** Returns the text or pattern that arguments of `deno test` filter names by. */
export function filterOf(args: readonly string[]): string | undefined {
  const at = args.indexOf("--filter");
  return at === -1 ? args.find((arg) => arg.startsWith("--filter="))?.slice("--filter=".length) : args[at + 1];
}

/** Puts files into at most `count` groups of about one size each, neighbours together, since they load the same things. */
export function splitEvenly(files: TestFiles, count: number): TestFiles[] {
  const size = Math.max(1, Math.ceil(files.length / count));
  const groups: TestFiles[] = [];
  for (let from = 0; from < files.length; from += size) groups.push(files.slice(from, from + size));
  return groups;
}

/** Writes a module that imports the files, into a folder, and returns its path. */
export function writeTestModule(folder: string, name: string, files: TestFiles): string {
  const path = `${folder}/${name.replaceAll("/", "_")}_test.ts`;
  Deno.writeTextFileSync(path, files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`).join(""));
  return path;
}
