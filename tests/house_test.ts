/** The walls of the house: who may import whom, who may name a runtime, where packages are named. */
import { assert, assertEquals } from "@std/assert";
import { codeOf, importsOf, reachedFrom, sources, specifiersOf } from "./fixtures/source_tree.ts";

Deno.test("mod.ts reaches nothing of lib/platform and no runtime", () => {
  const reached = reachedFrom("mod.ts");
  assert(reached.size > 20, "the walk found the tree");
  assertEquals([...reached].filter((path) => path.startsWith("lib/platform/")), []);
});

Deno.test("only lib/platform and scripts name Deno, node: or cloudflare:", () => {
  const named: string[] = [];
  for (const path of sources.filter((path) => !path.startsWith("lib/platform/"))) {
    if (/\bDeno\./.test(codeOf(path)) || specifiersOf(path).some((name) => /^(node|cloudflare):/.test(name))) {
      named.push(path);
    }
  }
  assertEquals(named, []);
});

Deno.test("arrows between the houses go one way", () => {
  const allowed: Record<string, string[]> = {
    "lib/rest": ["lib/rest"],
    "lib/oci": ["lib/oci"],
    "lib/engine": ["lib/engine", "lib/oci"],
    "handlers/wire": ["handlers/wire", "lib/rest"],
    "handlers": ["handlers", "handlers/wire", "lib/rest", "lib/engine", "lib/oci"],
    "lib/client": ["lib/client", "handlers", "handlers/wire", "lib/rest", "lib/oci"],
    "lib/platform": ["lib/platform", "lib/engine", "lib/oci", "lib/rest"],
    "lib/platform/entries": [
      ...["lib/platform", "lib/platform/entries", "lib/engine", "lib/oci", "lib/rest", "lib/client", "handlers"],
    ],
    "mod.ts": ["lib/rest", "lib/oci", "lib/engine", "handlers", "handlers/wire"],
  };
  const wrong: string[] = [];
  for (const path of sources) {
    for (const { to } of importsOf(path)) {
      if (!allowed[house(path)].includes(house(to))) wrong.push(`${path} -> ${to}`);
    }
  }
  assertEquals(wrong, []);
});

Deno.test("an api.ts imports only lib/rest and handlers/wire, so that a client carries no engine", () => {
  const wrong: string[] = [];
  for (const path of sources.filter((path) => path.endsWith("/api.ts"))) {
    for (const reached of reachedFrom(path)) {
      if (!/^(lib\/rest|handlers\/wire)\//.test(reached) && !reached.endsWith("/api.ts")) {
        wrong.push(`${path} -> ${reached}`);
      }
    }
  }
  assertEquals(wrong, []);
});

Deno.test("the client carries definitions and no engine", () => {
  const reached = [...reachedFrom("lib/client/mod.ts")];
  assert(reached.length > 60, "the walk found the tree");
  const known = /^(lib\/(client|rest|oci\/(bytes|tar))\/|handlers\/wire\/|handlers\/.*\/api\.ts$)/;
  assertEquals(reached.filter((path) => !known.test(path)), []);
});

Deno.test("each package is pinned and named in exactly one file", () => {
  const files = new Map<string, Set<string>>();
  for (const path of sources) {
    for (const name of specifiersOf(path).filter((name) => /^(npm|jsr):/.test(name))) {
      assert(/^npm:(@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+/.test(name), `${path} names ${name} without an exact version`);
      const bare = name.match(/^npm:((?:@[^/]+\/)?[^@/]+)/)![1];
      files.set(bare, (files.get(bare) ?? new Set()).add(path));
    }
    const mapped = specifiersOf(path).filter((name) => !/^(\.|npm:|node:|cloudflare:)/.test(name));
    assertEquals(mapped, [], `${path} needs an import map, which a remote module does not have`);
  }
  for (const [name, where] of files) assertEquals([...where].length, 1, `${name} is named in ${[...where].join(", ")}`);
});

/** The house that a file stands in; the entries of the platform are one of their own. */
function house(path: string): string {
  if (path === "mod.ts") return path;
  if (path.startsWith("handlers/")) return path.startsWith("handlers/wire/") ? "handlers/wire" : "handlers";
  if (path.startsWith("lib/platform/entries/")) return "lib/platform/entries";
  return path.split("/").slice(0, 2).join("/");
}
