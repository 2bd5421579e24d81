/**
 * Writes what a bundle for import by URL offers as one file of TypeScript declarations.
 *
 * @module
 */
import { rollup } from "npm:rollup@4.67.4";
import { dts } from "npm:rollup-plugin-dts@6.5.1";
// The compiler that the plugin runs: the last version that is JavaScript.
import "npm:typescript@6.0.3";

const root = new URL("../", import.meta.url);

/** The settings that Deno checks the tree with, in TypeScript's words. */
const SETTINGS = {
  target: "es2024",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: [],
};

/**
 * Gathers the declarations of all that `entry` (a path from the root of the tree) exports into one text, which imports nothing but Node's modules.
 *
 * @throws {Error} if they need anything else
 */
export async function declarations(entry: string): Promise<string> {
  const input = new URL(entry, root).pathname;
  // A file of its own: the plugin would else take the settings of whatever project the tree lies in.
  const tsconfig = await Deno.makeTempFile({ prefix: "gantry-", suffix: ".json" });
  try {
    await Deno.writeTextFile(tsconfig, JSON.stringify({ compilerOptions: SETTINGS, files: [input] }));
    const build = await rollup({ input, external: /^(?:node|npm):/, plugins: [dts({ tsconfig })] });
    const { output: [{ code, imports }] } = await build.generate({ format: "es" });
    await build.close();
    const foreign = imports.filter((name) => !name.startsWith("node:"));
    if (foreign.length > 0) throw new Error(`Declare "${entry}": its types need ${foreign.join(", ")}`);
    return withInitTypes(code);
  } finally {
    await Deno.remove(tsconfig);
  }
}

/** The constructors whose first argument has a type that only the library of browsers has a global name for. */
const INITS = { HeadersInit: "Headers", BodyInit: "Response" };

/**
 * Adds to declarations the types that they take from the library of browsers and that a program of Node's, checked with `@types/node` alone, lacks:
 * each is made of a class that every platform's types have.
 */
export function withInitTypes(code: string): string {
  const needed = Object.entries(INITS).filter(([name]) => new RegExp(`\\b${name}\\b`).test(code));
  const types = needed.map(([name, made]) => `type ${name} = NonNullable<ConstructorParameters<typeof ${made}>[0]>;\n`);
  return code + types.join("");
}
