/** Compiles staged sources to modules and declarations, as npm's packages have them. */

/** The compiler of packages: written in Go, since the one in JavaScript takes four times as long. */
const COMPILER = "typescript@7.0.2";

const OPTIONS = {
  // The oldest runtime that is served: Node 20.
  target: "es2023",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
  rewriteRelativeImportExtensions: true,
  declaration: true,
  strict: true,
  // Deno checks the tree, with its own declarations of web APIs.
  noCheck: true,
  skipLibCheck: true,
  types: ["node"],
  // Else types of packages are named by the folders where Deno has put them.
  preserveSymlinks: true,
};

/**
 * Compiles modules below `from` into `to`, and writes their declarations into `types`.
 *
 * @throws {Error} with the compiler's words if it cannot declare a type
 */
export async function compileModules(
  from: string,
  to: string,
  files: readonly string[],
  types = to,
): Promise<void> {
  const config = `${from}/tsconfig.json`;
  await Deno.writeTextFile(
    config,
    JSON.stringify({ compilerOptions: { ...OPTIONS, rootDir: from, outDir: to, declarationDir: types }, files }),
  );
  const { success, stdout, stderr } = await new Deno.Command("npx", {
    args: ["-y", "-p", COMPILER, "tsc", "-p", config],
    cwd: from,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  await Deno.remove(config);
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  if (!success) throw new Error(`Compile "${from}": ${said}`);
}
