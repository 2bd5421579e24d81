import type { Plugin } from "esbuild";
import { bundle } from "../bundle.ts";

const SURFACES = "lib/rest/surfaces/";
/** The name of the shared code in the texts that carry it. */
const SHARED = "channels";

/** Leaves the shared code out of a bundle. */
const sharedOutside: Plugin = {
  name: "shared-outside",
  setup(build) {
    build.onResolve({ filter: /\/shared\.ts$/ }, () => ({ path: SHARED, external: true }));
  },
};

/** Returns a module for each text that a browser is to run: its text by its path. */
export async function browserModules(): Promise<[path: string, text: string][]> {
  const minify = true;
  const shared = await bundle(`${SURFACES}client/module/shared.ts`, "portable", { minify });
  const plugins = [sharedOutside];
  const client = await bundle(`${SURFACES}client/module/calls.ts`, "portable", { minify, plugins });
  const page = await bundle(`${SURFACES}page/script/main.ts`, "portable", { minify, plugins });
  return [
    moduleOf("client/channels.js.ts", "client/module/shared.ts", "CHANNELS_CODE", asExpression(shared)),
    moduleOf("client/client.js.ts", "client/module/calls.ts", "CLIENT_CODE", asExpression(withShared(client))),
    moduleOf("page/page.js.ts", "page/script/main.ts", "PAGE_CODE", withShared(page)),
  ];
}

/** Makes the imports of the shared code into declarations that take it from its variable. */
function withShared(code: string): string {
  const made = code.replaceAll(/import\s*\{([^}]*)\}\s*from\s*"channels";/g, (_all, names: string) => {
    return `const{${names.replaceAll(" as ", ":")}}=${SHARED};`;
  });
  if (made === code || /^import\b/m.test(made)) throw new SyntaxError("Generate module: an import is left");
  return made;
}

/**
 * Makes a bundle into an expression for its exports. The client module declares the names of operations: those of the bundle must not
 * be among them.
 */
function asExpression(code: string): string {
  const made = code.replace(/export\s*\{([^}]*)\};\s*$/, (_all, names: string) => {
    const pairs = names.split(",").map((pair) => pair.trim().replace(/^([\w$]+) as ([\w$]+)$/, "$2:$1"));
    return `return{${pairs.join(",")}}})()`;
  });
  if (made === code) throw new SyntaxError("Generate module: the bundle has no exports at its end");
  return `(()=>{${made}`;
}

function moduleOf(path: string, source: string, name: string, code: string): [path: string, text: string] {
  // The page carries the code in its HTML.
  if (/<\/script|<!--/i.test(code)) {
    throw new SyntaxError(`Generate module of "${source}": its text would end a script`);
  }
  const origin = `// Made of ${source.split("/").slice(1).join("/")} by \`deno task generate\`: change that file.`;
  return [SURFACES + path, `${origin}\nexport const ${name} =\n  ${literalOf(code.trim())};\n`];
}

/** Returns the literal of a text in the quotes that the formatter prefers for it: those with fewer within. */
function literalOf(text: string): string {
  const double = JSON.stringify(text);
  const count = (quote: string) => text.split(quote).length;
  if (count('"') <= count("'")) return double;
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
