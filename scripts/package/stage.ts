/**
 * Stages the packages: folders that `npm pack` and `deno publish` take as they are.
 *
 * npm's packages hold modules and declarations, file by file, so that bundlers drop what is not used. JSR's package of the
 * transport holds its sources; that of the engine holds what npm's does, because the types of its definitions are inferred, which
 * JSR calls slow.
 *
 * @module
 */
import { installPackage } from "../bundle.ts";
import { compileModules } from "./compile.ts";
import { exportedNames, mapSpecifiers, mapStatements, moduleGraph, relativePath, resolvePath } from "./graph.ts";
import { type Package, packageSpecifier, readPackages, transportSpecifier, type Tree } from "./packages.ts";
import { rollTypes } from "./roll_types.ts";
import { copyCompiled, type Sources, typesName, writeJSON, writeJSR, writeNPM, writeSources } from "./write.ts";

const root = new URL("../../", import.meta.url);

/** Packages that only the compiler needs. */
const TYPES = ["npm:@types/node@24.19.2"];

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
  const npm = { rest: `${folder}/npm/rest`, gantry: `${folder}/npm/gantry` };
  const jsr = `${folder}/jsr`;
  const work = await Deno.makeTempDir({ prefix: "gantry-package-" });
  try {
    await linkPackages(`${work}/node_modules`, [...specifiersOf(transport), ...specifiersOf(engine), ...TYPES]);
    await buildPackage(transport, `${work}/rest`, npm.rest);
    await writeNPM(npm.rest, tree, tree.transport, transport);

    // The engine is compiled against the package of the transport.
    await Deno.mkdir(`${work}/node_modules/@gantry`, { recursive: true });
    await Deno.symlink(npm.rest, `${work}/node_modules/@gantry/rest`);
    await buildPackage(engine, `${work}/gantry`, npm.gantry);
    await writeNPM(npm.gantry, tree, tree.engine, engine);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  await writeSources(`${jsr}/rest`, transport);
  await writeJSR(`${jsr}/rest`, tree, tree.transport, transport);
  await copyCompiled(npm.gantry, `${jsr}/gantry`, engine);
  await writeJSR(`${jsr}/gantry`, tree, tree.engine, engine, ".js");
  await writeJSON(`${jsr}/deno.json`, { workspace: ["./rest", "./gantry"] });
  return { npm: [npm.rest, npm.gantry], jsr };
}

/** Compiles a package's sources in the folder `work`, and writes its modules and declarations into `to`. */
async function buildPackage(sources: Sources, work: string, to: string): Promise<void> {
  await writeSources(`${work}/source`, sources);
  await compileModules(`${work}/source`, to, [...sources.modules.keys()], `${work}/types`);
  const entries = Object.entries(sources.exports).map(([name, path]) => [
    typesName(name),
    `${work}/types/${path.replace(/\.ts$/, ".d.ts")}`,
  ]);
  await rollTypes(Object.fromEntries(entries), `${to}/types`);
}

/** The transport: `rest/`, `http/`, and in `support/` the few modules that lie elsewhere in the tree. */
async function gatherTransport({ transport }: Tree): Promise<Sources> {
  const graph = await moduleGraph(Object.values(transport.exports), root);
  const places = new Map([...graph.keys()].map((path) => [path, transportPlace(path)]));
  const taken = new Set(places.values());
  if (taken.size < places.size) throw new Error("Stage the transport: two modules of support/ have one name");
  return gatherSources(transport, graph, (path) => places.get(path) ?? path);
}

function transportPlace(path: string): string {
  const place = /^lib\/(?:platform\/)?((?:rest|http)\/.*)$/.exec(path);
  return place === null ? `support/${path.slice(path.lastIndexOf("/") + 1)}` : place[1];
}

/**
 * The engine: its modules as they lie in the tree. Names that the transport exports are imported from its package, so that there is one
 * copy of its classes; the little that it does not export is copied.
 */
async function gatherEngine({ engine, transport }: Tree): Promise<Sources> {
  const offered = exportedNames(await Deno.readTextFile(new URL(transport.exports["."], root)));
  const isOwn = (path: string) => transportSpecifier(path, transport) === undefined;
  const graph = await moduleGraph(
    Object.values(engine.exports).filter(isOwn),
    root,
    (text, path) =>
      mapStatements(text, (specifier, names) => {
        if (!specifier.startsWith(".")) return specifier;
        const target = resolvePath(specifier, path);
        const isOffered = target.startsWith("lib/rest/") && names?.every((name) => offered.has(name));
        return transportSpecifier(target, transport) ?? (isOffered ? transport.name : specifier);
      }),
  );
  const forwards = new Map<string, string>();
  for (const path of Object.values(engine.exports)) {
    const specifier = transportSpecifier(path, transport);
    if (specifier !== undefined) forwards.set(path, `export * from "${specifier}";\n`);
  }
  const own = gatherSources(engine, graph, (path) => path);
  return { ...own, modules: new Map([...own.modules, ...forwards]) };
}

/**
 * Rewrites the specifiers of a package's modules: packages by their bare names, modules by where they lie, and in the examples of
 * comments exports as users write them.
 */
function gatherSources(
  { name, exports }: Package,
  graph: ReadonlyMap<string, string>,
  place: (path: string) => string,
): Sources {
  const needs: Record<string, string> = {};
  const exported = new Map(Object.entries(exports).map(([sub, path]) => [path, packageSpecifier(name, sub)]));
  const rewrite = (specifier: string, path: string, isComment: boolean) => {
    const foreign = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)(.*)$/.exec(specifier);
    if (foreign !== null && !isComment) needs[foreign[1]] = foreign[2];
    if (foreign !== null) return foreign[1] + foreign[3];
    if (!specifier.startsWith(".")) return specifier;
    const target = resolvePath(specifier, path);
    return (isComment ? exported.get(target) : undefined) ?? relativePath(place(path), place(target));
  };
  const modules = new Map([...graph].map(([path, text]) => {
    const lines = text.split("\n").map((line) => {
      const isComment = /^\s*\*/.test(line);
      return mapSpecifiers(line, (specifier) => rewrite(specifier, path, isComment));
    });
    return [place(path), lines.join("\n")];
  }));
  return {
    modules,
    needs,
    exports: Object.fromEntries(Object.entries(exports).map(([sub, path]) => [sub, place(path)])),
  };
}

function specifiersOf({ needs }: Sources): string[] {
  return Object.entries(needs).map(([name, version]) => `npm:${name}@${version}`);
}

/** Makes a `node_modules` that links to the folders where Deno has put packages. */
async function linkPackages(folder: string, specifiers: readonly string[]): Promise<void> {
  for (const specifier of new Set(specifiers)) {
    const { name, installed } = await installPackage(specifier);
    const link = `${folder}/${name}`;
    await Deno.mkdir(link.slice(0, link.lastIndexOf("/")), { recursive: true });
    await Deno.symlink(`${installed}/node_modules/${name}`, link);
  }
}
