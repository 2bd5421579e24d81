/** Writes staged packages: modules, manifests and texts. */
import { declaredTypes } from "./graph.ts";
import { bareSpecifiers, type Package, transportChanges, transportNames, type Tree } from "./packages.ts";

const root = new URL("../../", import.meta.url);

/** A package's modules, where they lie in it, and the packages that it needs. */
export interface Sources {
  readonly modules: ReadonlyMap<string, string>;
  /** Paths in the package, by export. */
  readonly exports: Readonly<Record<string, string>>;
  /** Versions by name. */
  readonly needs: Readonly<Record<string, string>>;
}

/** Writes sources as they are. */
export async function writeSources(folder: string, { modules }: Sources): Promise<void> {
  for (const [path, text] of modules) await writeText(`${folder}/${path}`, text);
}

/** Adds the manifest and the texts to compiled modules. */
export async function writeNPM(folder: string, tree: Tree, made: Package, sources: Sources): Promise<void> {
  const exports = Object.entries(sources.exports).map(([name, path]) => {
    const types = `./types/${typesName(name)}.d.ts`;
    // A bundle for a browser is to fail where it is made, and not where it runs.
    const nowhere = made.server.includes(name) ? { workerd: null, browser: null } : {};
    return [name, { types, ...nowhere, default: `./${compiledPath(path)}` }];
  });
  const isTransport = made === tree.transport;
  const commands = Object.entries(made.commands);
  for (const [name, sub] of commands) {
    const program = `#!/usr/bin/env node\nimport "../${compiledPath(sources.exports[sub])}";\n`;
    await writeText(`${folder}/bin/${name}.js`, program);
  }
  await writeJSON(`${folder}/package.json`, {
    name: made.name,
    version: tree.version,
    description: made.description,
    license: tree.license,
    type: "module",
    sideEffects: false,
    ...(commands.length > 0 && { bin: Object.fromEntries(commands.map(([name]) => [name, `bin/${name}.js`])) }),
    exports: Object.fromEntries(exports),
    engines: { node: isTransport ? ">=20" : ">=24" },
    // The engine needs the very transport it was made with: the classes and marks of both are the same objects.
    dependencies: { ...(isTransport ? {} : { [tree.transport.name]: tree.version }), ...sources.needs },
  });
  await writeTexts(folder, tree, made, bareSpecifiers);
}

/** Adds the manifest and the texts to modules that end so. */
export async function writeJSR(
  folder: string,
  tree: Tree,
  made: Package,
  sources: Sources,
  ending: ".ts" | ".js" = ".ts",
): Promise<void> {
  const exports = Object.entries(sources.exports).map(([name, path]) => [name, `./${path.replace(/\.ts$/, ending)}`]);
  const imports = Object.entries(sources.needs).map(([name, version]) => [name, `npm:${name}@${version}`]);
  await writeJSON(`${folder}/deno.json`, {
    name: made.name,
    version: tree.version,
    license: tree.license,
    exports: Object.fromEntries(exports),
    imports: Object.fromEntries(imports),
    compilerOptions: { strict: true },
  });
  await writeTexts(folder, tree, made);
}

/** Copies npm's modules and declarations to a package of JSR, where each exported module says where its types are. */
export async function copyCompiled(from: string, to: string, { modules, exports }: Sources): Promise<void> {
  const names = new Map(Object.entries(exports).map(([name, path]) => [path, typesName(name)]));
  for (const [path, source] of modules) {
    if (path.endsWith(".d.ts")) continue;
    const compiled = await Deno.readTextFile(`${from}/${compiledPath(path)}`);
    const text = declaredTypes(source).types === undefined ? compiled : declaredTypes(compiled).rest;
    const name = names.get(path);
    const types = name &&
      `/* @ts-self-types="${"../".repeat(path.split("/").length - 1) || "./"}types/${name}.d.ts" */\n`;
    await writeText(`${to}/${compiledPath(path)}`, (types ?? "") + text);
  }
  for await (const { name } of Deno.readDir(`${from}/types`)) {
    const text = await Deno.readTextFile(`${from}/types/${name}`);
    // Deno takes a specifier as it stands.
    await writeText(`${to}/types/${name}`, text.replaceAll(/(["']\.\/\w[^"']*)\.js(?=["'])/g, "$1.d.ts"));
  }
}

/** The file of an export's declarations, without its extension: `rest_client` for `./rest/client`. */
export function typesName(name: string): string {
  return name === "." ? "mod" : name.slice(2).replaceAll("/", "_");
}

function compiledPath(path: string): string {
  return path.replace(/\.ts$/, ".js");
}

async function writeTexts(
  folder: string,
  tree: Tree,
  made: Package,
  edit: (text: string) => string = (text) => text,
): Promise<void> {
  const isTransport = made === tree.transport;
  for (const [name, path] of Object.entries(made.texts)) {
    const text = await Deno.readTextFile(new URL(path, root));
    await writeText(`${folder}/${name}`, edit(isTransport ? transportNames(text, tree.engine.name) : text));
  }
  if (!isTransport) return;
  const changes = transportChanges(await Deno.readTextFile(new URL("CHANGELOG.md", root)));
  await writeText(`${folder}/CHANGELOG.md`, changes);
}

/** Writes a value as JSON. */
export async function writeJSON(path: string, value: unknown): Promise<void> {
  await writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}
