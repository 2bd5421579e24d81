/**
 * Bundles a module of the tree for a runtime that knows neither TypeScript nor `npm:` specifiers.
 *
 * @module
 */
import * as esbuild from "esbuild";

const root = new URL("../", import.meta.url);

/** The runtime that a bundle is for. */
export type Target = "node" | "workers" | "portable";

const external: Record<Target, string[]> = {
  node: ["node:*"],
  workers: ["node:*", "cloudflare:*"],
  portable: [],
};

/**
 * The entries that are programs. Their bundles are minified unless told otherwise: V8 and Deno each keep the whole text of a module, and a
 * server takes 5 MB less. `deno task trace` tells the places of their stack traces in the sources.
 */
const PROGRAMS = ["lib/platform/entries/cli.ts", "lib/platform/entries/node.ts"];

/** The options of a bundle. */
export interface BundleOptions {
  /** Drops white space and shortens names; what programs have unless told otherwise. */
  minify?: boolean;
  /** Makes a CommonJS module, whose `import.meta.url` is that of a file beside it with the ending `mjs`. An ES module otherwise. */
  commonJS?: boolean;
  /** Asked before our own. */
  plugins?: readonly esbuild.Plugin[];
}

/** The first lines of a bundle in CommonJS. */
const COMMON_JS = '"use strict";\n' +
  'const moduleURL = require("node:url").pathToFileURL(__filename.replace(/cjs$/, "mjs")).href;';

/** Bundles that are being made. */
let underWay = 0;

/**
 * Bundles `entry` (a path from the root of the tree) into one ES module and returns its text, in ASCII.
 *
 * @throws {Error} if something cannot be resolved; the message lists it
 */
export async function bundle(entry: string, target: Target, options: BundleOptions = {}): Promise<string> {
  const [text] = await buildBundle(entry, target, options);
  return inASCII(text);
}

/**
 * Returns the source map (ECMA-426) of what {@linkcode bundle} returns with the same arguments; its sources are paths from the root of the
 * tree. Behind a letter that `bundle` has escaped outside of strings, the columns of that line are further left than in the text.
 */
export async function bundleMap(entry: string, target: Target, options: BundleOptions = {}): Promise<string> {
  const [map] = await buildBundle(entry, target, options, "external");
  return map;
}

/** Returns the texts of esbuild: the map, if one is asked for, comes first. */
async function buildBundle(
  entry: string,
  target: Target,
  options: BundleOptions,
  sourcemap?: "external",
): Promise<string[]> {
  const isProgram = PROGRAMS.includes(entry);
  underWay++;
  try {
    const result = await esbuild.build({
      entryPoints: [new URL(entry, root).pathname],
      bundle: true,
      write: false,
      format: options.commonJS ? "cjs" : "esm",
      target: "es2023",
      platform: target === "node" ? "node" : "browser",
      conditions: target === "workers" ? ["workerd", "worker", "browser"] : undefined,
      external: external[target],
      minify: options.minify ?? isProgram,
      // A single line of megabytes could not be looked at, and its stack traces would tell columns alone.
      lineLimit: isProgram ? 500 : undefined,
      sourcemap,
      sourcesContent: false,
      // Nothing is written there: sources are named from there.
      outfile: new URL("bundle.mjs", root).pathname,
      legalComments: "eof",
      logLevel: "silent",
      // Packages in CommonJS ask for Node's modules by `require`, which an ES module does not have by itself.
      banner: options.commonJS ? { js: COMMON_JS } : target === "node"
        ? {
          js:
            'import { createRequire as $createRequire } from "node:module";\nconst require = $createRequire(import.meta.url);',
        }
        : undefined,
      define: options.commonJS ? { "import.meta.url": "moduleURL" } : undefined,
      alias: { "@std/assert": new URL("tests/assert.ts", root).pathname },
      plugins: [...options.plugins ?? [], npmSpecifiers, ownNames],
    });
    return result.outputFiles.map(({ text }) => text);
  } finally {
    // Stopping it would leave the others waiting for ever.
    if (--underWay === 0) await esbuild.stop();
  }
}

/**
 * Escapes the letters that are left beyond ASCII: esbuild does so in strings and names, and leaves regular expressions, templates
 * with a tag and comments, where an escape says the same (but for `String.raw`, which is kept ASCII). For a single letter beyond
 * Latin 1, V8 keeps the text of a whole module in two bytes a letter.
 *
 * @throws {Error} for such a letter behind a backslash: an escape in its place would mean something else
 */
function inASCII(code: string): string {
  const escaped = /\\[^\0-\x7f]/.exec(code);
  if (escaped !== null) throw new Error(`Bundle: "${escaped[0]}" cannot be escaped once more`);
  return code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A package that Deno has put below `node_modules`, and the folder of its copy there. */
interface Installed {
  readonly name: string;
  /** The part of the specifier behind the version. */
  readonly path: string;
  readonly installed: string;
}

/**
 * Sees to it that the package of an `npm:` specifier is in `node_modules`.
 *
 * @throws {TypeError} if the specifier has no exact version
 */
export async function installPackage(specifier: string): Promise<Installed> {
  const match = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)(\/.*)?$/.exec(specifier);
  if (match === null) throw new TypeError(`"${specifier}" has no exact version`);
  const [, name, version, path = ""] = match;
  const folder = new URL(`node_modules/.deno/${name.replace("/", "+")}@${version}`, root);
  const there = await Deno.stat(folder).then(() => true, () => false);
  if (!there) {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["cache", "--quiet", `npm:${name}@${version}`],
      cwd: root,
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`Install ${specifier}: ${new TextDecoder().decode(stderr).trim()}`);
  }
  return { name, path, installed: folder.pathname };
}

/** Finds `npm:name@version/path` where Deno has put the package. */
const npmSpecifiers: esbuild.Plugin = {
  name: "npm-specifiers",
  setup(build) {
    build.onResolve({ filter: /^npm:/ }, async (request) => {
      const { name, path, installed } = await installPackage(request.path);
      const { kind, importer } = request;
      return await build.resolve(name + path, { kind, resolveDir: installed, importer });
    });
  },
};

/** Finds the names of this package's own files, as `deno.json` lists them. */
const ownNames: esbuild.Plugin = {
  name: "own-names",
  setup(build) {
    build.onResolve({ filter: /^@gantry\/gantry(\/|$)/ }, async ({ path }) => {
      const { exports }: { exports: Record<string, string> } = JSON.parse(
        await Deno.readTextFile(new URL("deno.json", root)),
      );
      const file = exports[path.replace("@gantry/gantry", ".")];
      if (file === undefined) return { errors: [{ text: `"${path}" is not listed in deno.json` }] };
      return { path: new URL(file, root).pathname };
    });
  },
};
