import { assert, assertEquals, assertThrows } from "@std/assert";
import type { APIOptions, RestOptions } from "../../../lib/rest/mod.ts";
import { patternRouter } from "../../../lib/rest/route/pattern_router.ts";
import type { MakeRouter, Router } from "../../../lib/rest/route/router.ts";
import { trieRouter } from "../../../lib/rest/route/trie_router.ts";
import { plansOf, routers } from "../../fixtures/rest/router_tables.ts";

/** What a test makes its routers with. */
type RouterOf = (tags: readonly (string | [string, RestOptions])[], options?: APIOptions) => Router<string>;

/** A test of both routers. */
function test(name: string, run: (routerOf: RouterOf, make: MakeRouter) => void): void {
  for (const [router, make] of Object.entries(routers)) {
    Deno.test(`${router}.${name}`, () =>
      run((tags, options = {}) => {
        return make(plansOf(tags).map((plan) => ({ plan, options, value: plan.tag })));
      }, make));
  }
}

function find(router: Router<string>, method: string, path: string, query = ""): string | undefined {
  const match = router.match(method, path, query);
  return match && [match.value, ...match.captures].join(" | ");
}

test("match() prefers literal to partial to parameter to remainder, whatever the order", (routerOf) => {
  const tags = ["GET /a/{r*=%v}", "GET /a/{p=%v}", "GET /a/{p=%v}.json", "GET /a/b", "GET /a/x{p=%v}.json"];
  for (const order of [tags, tags.toReversed()]) {
    const router = routerOf(order);
    assertEquals(find(router, "GET", "/a/b"), "GET /a/b");
    assertEquals(find(router, "GET", "/a/c"), "GET /a/{p=%v} | c");
    assertEquals(find(router, "GET", "/a/c.json"), "GET /a/{p=%v}.json | c");
    assertEquals(find(router, "GET", "/a/xy.json"), "GET /a/x{p=%v}.json | y");
    assertEquals(find(router, "GET", "/a/.json"), "GET /a/{p=%v} | .json");
    assertEquals(find(router, "GET", "/a/c/d"), "GET /a/{r*=%v} | c/d");
    assertEquals(find(router, "GET", "/a"), undefined);
    assertEquals(find(router, "GET", "/a/"), undefined);
  }
});

test("match() goes back where a more specific way ends nowhere", (routerOf) => {
  const router = routerOf(["GET /a/b/c", "GET /a/{p=%v}/d", "GET /{p=%v}/b/e", "GET /{r*=%v}", "POST /a/b/x"]);
  assertEquals(find(router, "GET", "/a/b/d"), "GET /a/{p=%v}/d | b");
  assertEquals(find(router, "GET", "/a/b/e"), "GET /{p=%v}/b/e | a");
  assertEquals(find(router, "GET", "/a/b/f"), "GET /{r*=%v} | a/b/f");
  assertEquals(find(router, "GET", "/a/b/x"), "GET /{r*=%v} | a/b/x");
});

test("match() lets remainders in the middle live beside literals", (routerOf) => {
  const router = routerOf([
    "GET /images/json",
    "GET /images/{name*=%v}/json",
    "GET /images/{name*=%v}/exists",
    "DELETE /images/{name*=%v}",
    "POST /images/{name*=%v}/to/{to*=%v}/now",
  ]);
  assertEquals(find(router, "GET", "/images/json"), "GET /images/json");
  assertEquals(find(router, "GET", "/images/json/json"), "GET /images/{name*=%v}/json | json");
  assertEquals(find(router, "GET", "/images/quay.io/a/b:c/json"), "GET /images/{name*=%v}/json | quay.io/a/b:c");
  assertEquals(find(router, "GET", "/images/a/json/exists"), "GET /images/{name*=%v}/exists | a/json");
  assertEquals(find(router, "GET", "/images/quay.io%2Fa/json"), "GET /images/{name*=%v}/json | quay.io%2Fa");
  assertEquals(find(router, "GET", "/images//json"), undefined);
  assertEquals(find(router, "DELETE", "/images/a/json"), "DELETE /images/{name*=%v} | a/json");
  assertEquals(find(router, "POST", "/images/a/to/b/to/c/now"), "POST /images/{name*=%v}/to/{to*=%v}/now | a/to/b | c");
});

Deno.test("trieRouter() reads versions and aliases", () => {
  const routes = plansOf(["GET /engine/info", "GET /engine/c/{id=%v}", "GET /v1/x"]).map((plan) => {
    return { plan, options: { versioned: true, aliases: { engine: ["libpod"] } }, value: plan.tag };
  });
  const router = trieRouter(routes);
  const version = (path: string) => router.match("GET", path, "")?.version;
  for (
    const path of [
      "/engine/info",
      "/libpod/info",
      "/v4.3.1/engine/info",
      "/v4.3.1/libpod/info",
      "/v5.0.0-dev/libpod/c/a",
    ]
  ) {
    assert(router.match("GET", path, "") !== undefined, path);
  }
  assertEquals(version("/v4.3.1/libpod/info"), "4.3.1");
  assertEquals(version("/v5.0.0-dev/engine/c/a"), "5.0.0-dev");
  assertEquals(version("/libpod/info"), undefined);
  assertEquals(find(router, "GET", "/v1/x"), "GET /v1/x");
  for (
    const path of ["/v/engine/info", "/vx/engine/info", "/v4_/engine/info", "/v4", "/v4/", "/v4.3.1", "/podman/info"]
  ) {
    assertEquals(router.match("GET", path, ""), undefined, path);
  }
});

Deno.test("trieRouter() routes by versions", () => {
  const plans = plansOf([["GET /m/{id=%v}", { versions: "<4" }], ["GET /m/{id=%v}", { versions: ">=4 <20" }]]);
  const router = trieRouter(plans.map((plan) => {
    return { plan, options: { versioned: true }, value: plan.versionsText };
  }));
  const value = (path: string) => router.match("GET", path, "")?.value;
  assertEquals(value("/v3.9/m/x"), "<4");
  assertEquals(value("/v10/m/x"), ">=4 <20");
  assertEquals(value("/v20.1/m/x"), undefined);
  assertEquals(value("/m/x"), "<4");
});

Deno.test("patternRouter() refuses versions and aliases, which the trie reads", () => {
  const [plain, versions] = plansOf(["GET /a", ["GET /b", { versions: "<4" }]]);
  const route = { plan: plain, options: {}, value: 1 };
  patternRouter([route]);
  for (
    const one of [{ ...route, plan: versions }, { ...route, options: { versioned: true } }, {
      ...route,
      options: { aliases: { a: ["b"] } },
    }]
  ) {
    assertThrows(() => patternRouter([one]), TypeError, "it takes the part trieRouter");
  }
});

test("match() routes by presence and constants", (routerOf) => {
  const router = routerOf([
    ["POST /images/create", { present: ["fromImage"] }],
    ["POST /images/create", { present: ["fromSrc"] }],
    ["GET /t?kind=a", {}],
    ["GET /t?kind=b", {}],
    ["GET /t", {}],
  ]);
  const value = (method: string, path: string, query = "") => {
    const plan = router.match(method, path, query);
    return plan?.value;
  };
  assertEquals(value("POST", "/images/create", "fromImage=x"), "POST /images/create");
  assertEquals(value("POST", "/images/create", "fromimage=x"), undefined);
  assertEquals(value("POST", "/images/create"), undefined);
  assertEquals(value("GET", "/t", "kind=a"), "GET /t?kind=a");
  assertEquals(value("GET", "/t", "x=y&kind=b"), "GET /t?kind=b");
  assertEquals(value("GET", "/t", "kind=c"), "GET /t");
});

test("match() normalises odd paths as new URL would", (routerOf) => {
  const router = routerOf(["GET /a/b", "GET /f/{p=%v}", "GET /r/{r*=%v}"]);
  for (const path of ["/a/./b", "/x/../a/b", "/a/%2e/b", "/%2E%2e/a/b", "\\a\\b", "/a\\b"]) {
    assertEquals(find(router, "GET", path.startsWith("\\") ? "/" + path.slice(1) : path), "GET /a/b", path);
  }
  assertEquals(find(router, "GET", "/f/.hidden"), "GET /f/{p=%v} | .hidden");
  assertEquals(find(router, "GET", "/f/.."), undefined);
  assertEquals(find(router, "GET", "/r/a/../b"), "GET /r/{r*=%v} | b");
  assertEquals(find(router, "GET", "/f/é"), "GET /f/{p=%v} | %C3%A9");
  assertEquals(find(router, "GET", "//a/b"), undefined);
});

test("methods() lists the methods of a path", (routerOf) => {
  const router = routerOf(["GET /a/{p=%v}", "POST /a/b", "DELETE /{r*=%v}"]);
  assertEquals([...router.methods("/a/b", "")].sort(), ["DELETE", "GET", "HEAD", "POST"]);
  assertEquals([...router.methods("/a/c", "")].sort(), ["DELETE", "GET", "HEAD"]);
  assertEquals(router.methods("/", ""), []);
});

test("match() takes literals as they are spelled in the tag, encoded or not", (routerOf) => {
  const router = routerOf(["GET /a[b]|c", "GET /%5Bc", "GET /100%25", "GET /é"]);
  for (const path of ["/a[b]|c", "/%5Bc", "/100%25", "/%C3%A9", "/é"]) {
    assertEquals(new URL(`http://h${path}`).pathname === path || path === "/é", true);
    assert(find(router, "GET", path) !== undefined, path);
  }
  assertEquals(find(router, "GET", "/[c"), undefined);
});

test("match() takes the longer of two ways behind a remainder that begin alike", (routerOf) => {
  const router = routerOf(["GET /{n*=%v}/json", "GET /{n*=%v}/layers/json", "GET /{n*=%v}/{p=%v}"]);
  assertEquals(find(router, "GET", "/a/b/layers/json"), "GET /{n*=%v}/layers/json | a/b");
  assertEquals(find(router, "GET", "/layers/json"), "GET /{n*=%v}/json | layers");
  assertEquals(find(router, "GET", "/a/layers/b"), "GET /{n*=%v}/{p=%v} | a/layers | b");
});

test("match() cuts a segment of several names at the first place of what is between them", (routerOf) => {
  const router = routerOf(["GET /{a=%v}-{b=%v}-{c=%v}.x", "GET /v{n=%v}"]);
  assertEquals(find(router, "GET", "/1-2-3-4.x"), "GET /{a=%v}-{b=%v}-{c=%v}.x | 1 | 2 | 3-4");
  assertEquals(find(router, "GET", "/1-2.x"), undefined);
  assertEquals(find(router, "GET", "/v"), undefined);
  assertEquals(find(router, "GET", "/v1.x"), "GET /v{n=%v} | 1.x");
});

test("match() stays quick on paths made to go back often", (routerOf) => {
  const router = routerOf([
    "GET /{a*=%v}/x/{b*=%v}/y",
    "GET /{a=%v}/{b=%v}/{c=%v}/z",
    "GET /{a=%v}-{b=%v}-{c=%v}-{d=%v}.z",
  ]);
  const start = performance.now();
  assertEquals(find(router, "GET", "/x".repeat(20000)), undefined);
  assertEquals(find(router, "GET", "/x".repeat(4096)), undefined);
  assertEquals(find(router, "GET", "/" + "-".repeat(8000)), undefined);
  assert(performance.now() - start < 2000);
});

Deno.test("defect: long paths take no more than a moment, however many remainders a route has", () => {
  const tags = ["GET /{a*=%v}/x/{b*=%v}/x/{c*=%v}/y", "GET /{a*=%v}/x/{b*=%v}/x/{c*=%v}/{d=%v}-{e=%v}/z/{f*=%v}"];
  const routes = plansOf(tags).map((plan) => ({ plan, options: {}, value: plan.tag }));
  const [trie, pattern] = [trieRouter(routes), patternRouter(routes)];
  for (const path of ["/x".repeat(60_000), "/x".repeat(60_000) + "/y", "/x".repeat(600) + "/w"]) {
    const from = performance.now();
    const found = trie.match("GET", path, "");
    pattern.match("GET", path, "");
    // Minutes, when every place was tried for every other.
    assert(performance.now() - from < 2000, `${path.length}: ${performance.now() - from} ms`);
    assertEquals(found?.value, path.endsWith("y") ? tags[0] : undefined);
  }
  // What a search has found out is forgotten by the next.
  assertEquals(trie.match("GET", "/a/x/b/x/c/y", "")?.captures, ["a", "b", "c"]);
  assertEquals(trie.match("GET", "/a/x/b/x/c/d-e/z/f", "")?.captures, ["a", "b", "c", "d", "e", "f"]);
});
