/**
 * Stages the packages: folders that `npm pack` and `deno publish` take as they are.
 *
 * npm's packages hold modules and declarations, file by file, so that bundlers drop what is not used. JSR's package of the
 * transport holds its sources; that of the engine holds what npm's does, because the types of its definitions are inferred, which
 * JSR calls slow.
 *
 * @module
 */
import { install } from "../bundle.ts";
import { compile } from "./compile.ts";
import { mapSpecifiers, moduleGraph, relativePath, resolvePath } from "./graph.ts";
import {
  type Package,
  packageSpecifier,
  readPackages,
  transportChanges,
  transportNames,
  transportSpecifier,
  type Tree,
} from "./packages.ts";

const root = new URL("../../", import.meta.url);

/** Packages that only the compiler needs. */
const TYPES = ["npm:@types/node@24.19.2"];

/** A package's modules, where they lie in it, and the packages that it needs. */
interface Sources {
  readonly modules: ReadonlyMap<string, string>;
  /** Paths in the package, by export. */
  readonly exports: Readonly<Record<string, string>>;
  /** Versions by name. */
  readonly needs: Readonly<Record<string, string>>;
}

/** The folders of staged packages. */
export interface Staged {
  /** Folders to call `npm pack` in: the transport first, which the engine needs. */
  readonly npm: readonly string[];
  /** The workspace to call `deno publish` in. */
  readonly jsr: string;
}

/** Stages both packages below `folder`, which is made if there is none. */
export async function stagePackages(folder: string): Promise<Staged> {
  const tree = await readPackages(root);
  const transport = await gatherTransport(tree);
  const engine = await gatherEngine(tree);
  const staged = { npm: [`${folder}/npm/rest`, `${folder}/npm/gantry`], jsr: `${folder}/jsr` };
  const work = await Deno.makeTempDir({ prefix: "gantry-package-" });
  try {
    await linkPackages(`${work}/node_modules`, [...specifiersOf(transport), ...specifiersOf(engine), ...TYPES]);
    await writeSources(`${work}/rest`, transport);
    await compile(`${work}/rest`, staged.npm[0], [...transport.modules.keys()]);
    await writeNPM(staged.npm[0], tree, tree.transport, transport);

    await Deno.mkdir(`${work}/node_modules/@gantry`, { recursive: true });
    await Deno.symlink(staged.npm[0], `${work}/node_modules/@gantry/rest`);
    await writeSources(`${work}/gantry`, engine);
    await compile(`${work}/gantry`, staged.npm[1], [...engine.modules.keys()]);
    await writeNPM(staged.npm[1], tree, tree.engine, engine);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  await writeSources(`${staged.jsr}/rest`, transport);
  await writeJSR(`${staged.jsr}/rest`, tree, tree.transport, transport);
  await copyCompiled(staged.npm[1], `${staged.jsr}/gantry`, engine);
  await writeJSR(`${staged.jsr}/gantry`, tree, tree.engine, engine, ".js");
  await writeJSON(`${staged.jsr}/deno.json`, { workspace: ["./rest", "./gantry"] });
  return staged;
}

/** The transport: `rest/`, `http/`, and in `support/` the few modules that lie elsewhere in the tree. */
async function gatherTransport({ transport }: Tree): Promise<Sources> {
  const graph = await moduleGraph(Object.values(transport.exports), root);
  const places = new Map([...graph.keys()].map((path) => [path, transportPlace(path)]));
  const taken = new Set(places.values());
  if (taken.size < places.size) throw new Error("Stage the transport: two modules of support/ have one name");
  return gather(transport, graph, (path) => places.get(path) ?? path, () => undefined);
}

function transportPlace(path: string): string {
  const place = /^lib\/(?:platform\/)?((?:rest|http)\/.*)$/.exec(path);
  return place === null ? `support/${path.slice(path.lastIndexOf("/") + 1)}` : place[1];
}

/** The engine: its modules as they lie in the tree, without the transport's, which it imports from its package. */
async function gatherEngine({ engine, transport }: Tree): Promise<Sources> {
  const isOwn = (path: string) => transportSpecifier(path, transport) === undefined;
  const whole = await moduleGraph(Object.values(engine.exports).filter(isOwn), root);
  const graph = new Map([...whole].filter(([path]) => isOwn(path)));
  const forwards = new Map<string, string>();
  for (const path of Object.values(engine.exports)) {
    const specifier = transportSpecifier(path, transport);
    if (specifier !== undefined) forwards.set(path, `export * from "${specifier}";\n`);
  }
  const own = gather(engine, graph, (path) => path, (path) => transportSpecifier(path, transport));
  return { ...own, modules: new Map([...own.modules, ...forwards]) };
}

/**
 * Rewrites the specifiers of a package's modules: packages by their bare names, modules by where they lie, and in the examples of
 * comments exports as users write them.
 */
function gather(
  { name, exports }: Package,
  graph: ReadonlyMap<string, string>,
  place: (path: string) => string,
  elsewhere: (path: string) => string | undefined,
): Sources {
  const needs: Record<string, string> = {};
  const exported = new Map(Object.entries(exports).map(([sub, path]) => [path, packageSpecifier(name, sub)]));
  const rewrite = (specifier: string, path: string, isComment: boolean) => {
    const foreign = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)(.*)$/.exec(specifier);
    if (foreign !== null && !isComment) needs[foreign[1]] = foreign[2];
    if (foreign !== null) return foreign[1] + foreign[3];
    if (!specifier.startsWith(".")) return specifier;
    const target = resolvePath(specifier, path);
    const outside = elsewhere(target) ?? (isComment ? exported.get(target) : undefined);
    return outside ?? relativePath(place(path), place(target));
  };
  const modules = new Map([...graph].map(([path, text]) => {
    const lines = text.split("\n").map((line) => {
      const isComment = /^\s*\*/.test(line);
      return mapSpecifiers(line, (specifier) => rewrite(specifier, path, isComment));
    });
    return [place(path), lines.join("\n")];
  }));
  return { modules, needs, exports: Object.fromEntries(Object.entries(exports).map(([sub, path]) => [sub, place(path)])) };
}

function specifiersOf({ needs }: Sources): string[] {
  return Object.entries(needs).map(([name, version]) => `npm:${name}@${version}`);
}

/** Makes a `node_modules` that links to the folders where Deno has put packages. */
async function linkPackages(folder: string, specifiers: readonly string[]): Promise<void> {
  for (const specifier of new Set(specifiers)) {
    const { name, installed } = await install(specifier);
    const link = `${folder}/${name}`;
    await Deno.mkdir(link.slice(0, link.lastIndexOf("/")), { recursive: true });
    await Deno.symlink(`${installed}/node_modules/${name}`, link);
  }
}

async function writeSources(folder: string, { modules }: Sources): Promise<void> {
  for (const [path, text] of modules) await writeText(`${folder}/${path}`, text);
}

/** Adds to compiled modules what npm wants to know of them. */
async function writeNPM(folder: string, tree: Tree, made: Package, sources: Sources): Promise<void> {
  // The compiler leaves the extension of sources in declarations, which others need not understand.
  for (const path of sources.modules.keys()) {
    const file = `${folder}/${path.replace(/\.ts$/, ".d.ts")}`;
    await Deno.writeTextFile(file, mapSpecifiers(await Deno.readTextFile(file), compiledPath));
  }
  const exports = Object.entries(sources.exports).map(([name, path]) => {
    const file = `./${compiledPath(path)}`;
    const types = file.replace(/\.js$/, ".d.ts");
    // A bundle for a browser is to fail where it is made, and not where it runs.
    const nowhere = made.server.includes(name) ? { workerd: null, browser: null } : {};
    return [name, { types, ...nowhere, default: file }];
  });
  await writeJSON(`${folder}/package.json`, {
    name: made.name,
    version: tree.version,
    description: made.description,
    license: tree.license,
    type: "module",
    sideEffects: false,
    exports: Object.fromEntries(exports),
    engines: { node: made === tree.transport ? ">=20" : ">=24" },
    dependencies: { ...needsOf(tree, made), ...sources.needs },
  });
  await writeTexts(folder, tree, made);
}

/** Adds to modules what JSR wants to know of them. */
async function writeJSR(folder: string, tree: Tree, made: Package, sources: Sources, ending = ".ts"): Promise<void> {
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

/** The engine needs the very transport it was made with: the classes and marks of both are the same objects. */
function needsOf(tree: Tree, made: Package): Record<string, string> {
  return made === tree.engine ? { [tree.transport.name]: tree.version } : {};
}

/** Copies compiled modules; each says where its types are. */
async function copyCompiled(from: string, to: string, { modules }: Sources): Promise<void> {
  for (const source of modules.keys()) {
    const path = compiledPath(source);
    const types = path.replace(/\.js$/, ".d.ts");
    const name = types.slice(types.lastIndexOf("/") + 1);
    await writeText(`${to}/${path}`, `/* @ts-self-types="./${name}" */\n${await Deno.readTextFile(`${from}/${path}`)}`);
    await writeText(`${to}/${types}`, await Deno.readTextFile(`${from}/${types}`));
  }
}

function compiledPath(path: string): string {
  return path.replace(/\.ts$/, ".js");
}

async function writeTexts(folder: string, tree: Tree, made: Package): Promise<void> {
  const isTransport = made === tree.transport;
  for (const [name, path] of Object.entries(made.texts)) {
    const text = await Deno.readTextFile(new URL(path, root));
    await writeText(`${folder}/${name}`, isTransport ? transportNames(text, tree.engine.name) : text);
  }
  if (!isTransport) return;
  const changes = transportChanges(await Deno.readTextFile(new URL("CHANGELOG.md", root)));
  await writeText(`${folder}/CHANGELOG.md`, changes);
}

async function writeJSON(path: string, value: unknown): Promise<void> {
  await writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}
