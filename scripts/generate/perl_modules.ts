/** The folder of the Perl programs. */
export const PERL_FOLDER = "lib/platform/linux/perl/";

/** Returns the paths of the Perl files from the root, in order. */
export async function perlFiles(root: URL, folder = PERL_FOLDER): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await perlFiles(root, `${folder}${name}/`));
    else if (name.endsWith(".pl")) found.push(folder + name);
  }
  return found.sort();
}

/** Returns a module for each Perl file: its text by its path. */
export async function perlModules(root: URL): Promise<[path: string, text: string][]> {
  const files = await perlFiles(root);
  return await Promise.all(files.map(async (path): Promise<[string, string]> => {
    return [`${path}.ts`, moduleOf(path, await Deno.readTextFile(new URL(path, root)))];
  }));
}

/** Returns a module that exports a Perl file's code. Comments stay behind: the code goes over a command line. */
function moduleOf(path: string, code: string): string {
  // A template is read as it stands but for these.
  if (/`|\$\{/.test(codeOf(code))) throw new SyntaxError(`Generate module of "${path}": its code has "\`" or "\${"`);
  const name = path.slice(PERL_FOLDER.length, -".pl".length).toUpperCase().replaceAll("/", "_");
  const origin = `// Made of ${path.split("/").at(-1)} by \`deno task generate\`: change that file.`;
  return `${origin}\nexport const ${name} = String.raw\`\n${codeOf(code)}\`;\n`;
}

/** Returns the lines of Perl that are no comments. */
function codeOf(text: string): string {
  return text.split("\n").filter((line) => !/^\s*#/.test(line)).join("\n");
}
