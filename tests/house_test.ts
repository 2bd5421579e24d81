/** The walls of the house: who may import whom, who may name a runtime, where packages are named. */
import { assert, assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);
const sources = [...walk("lib/"), ...walk("handlers/"), "mod.ts"].filter((path) => path.endsWith(".ts"));

Deno.test("mod.ts reaches nothing of lib/platform and no runtime", () => {
  const reached = graph("mod.ts");
  assert(reached.size > 20, "the walk found the tree");
  assertEquals([...reached].filter((path) => path.startsWith("lib/platform/")), []);
});

Deno.test("only lib/platform and scripts name Deno, node: or cloudflare:", () => {
  const named: string[] = [];
  for (const path of sources.filter((path) => !path.startsWith("lib/platform/"))) {
    const code = withoutComments(read(path));
    if (/\bDeno\./.test(code) || imports(path).some((name) => /^(node|cloudflare):/.test(name))) named.push(path);
  }
  assertEquals(named, []);
});

Deno.test("arrows between the rooms go one way", () => {
  const allowed: Record<string, string[]> = {
    "lib/rest": ["lib/rest"],
    "lib/oci": ["lib/oci"],
    "lib/engine": ["lib/engine", "lib/oci"],
    "handlers/wire": ["handlers/wire", "lib/rest"],
    "handlers": ["handlers", "handlers/wire", "lib/rest", "lib/engine", "lib/oci"],
    "lib/platform": ["lib/platform", "lib/engine", "lib/oci", "lib/rest", "handlers"],
    "mod.ts": ["lib/rest", "lib/oci", "lib/engine", "handlers", "handlers/wire"],
  };
  const wrong: string[] = [];
  for (const path of sources) {
    for (const target of local(path)) {
      if (!allowed[room(path)].includes(room(target))) wrong.push(`${path} -> ${target}`);
    }
  }
  assertEquals(wrong, []);
});

Deno.test("an api.ts imports only lib/rest and handlers/wire, so that a client carries no engine", () => {
  const wrong: string[] = [];
  for (const path of sources.filter((path) => path.endsWith("/api.ts"))) {
    for (const reached of graph(path)) {
      if (!/^(lib\/rest|handlers\/wire)\//.test(reached) && !reached.endsWith("/api.ts")) {
        wrong.push(`${path} -> ${reached}`);
      }
    }
  }
  assertEquals(wrong, []);
});

Deno.test("each package is pinned and named in exactly one file", () => {
  const files = new Map<string, Set<string>>();
  for (const path of sources) {
    for (const name of imports(path).filter((name) => /^(npm|jsr):/.test(name))) {
      assert(/^npm:(@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+/.test(name), `${path} names ${name} without an exact version`);
      const bare = name.match(/^npm:((?:@[^/]+\/)?[^@/]+)/)![1];
      files.set(bare, (files.get(bare) ?? new Set()).add(path));
    }
    const mapped = imports(path).filter((name) => !/^(\.|npm:|node:|cloudflare:)/.test(name));
    assertEquals(mapped, [], `${path} needs an import map, which a remote module does not have`);
  }
  for (const [name, where] of files) assertEquals([...where].length, 1, `${name} is named in ${[...where].join(", ")}`);
});

function room(path: string): string {
  if (path === "mod.ts") return path;
  if (path.startsWith("handlers/")) return path.startsWith("handlers/wire/") ? "handlers/wire" : "handlers";
  return path.split("/").slice(0, 2).join("/");
}

function graph(from: string): Set<string> {
  const seen = new Set<string>();
  const queue = [from];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...local(path));
  }
  return seen;
}

function local(path: string): string[] {
  return imports(path).filter((name) => name.startsWith(".")).map((name) => {
    return new URL(name, new URL(path, root)).href.slice(root.href.length);
  });
}

/** What a file imports or re-exports, by the text of the specifier. */
function imports(path: string): string[] {
  const code = withoutComments(read(path));
  return [...code.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g)].map((match) => match[1]);
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, root));
}

function* walk(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(folder, root))) {
    if (entry.isDirectory) yield* walk(`${folder}${entry.name}/`);
    else yield folder + entry.name;
  }
}
