/** The routes of an API as `URLPattern`s: they fit what the server finds. */
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { api, handler, implement, rest } from "../../../lib/rest/mod.ts";
import { routesOf } from "../../../lib/rest/route/routes.ts";

const shelf = api("https://example.com/v1", {
  Get: rest("GET /books/{book-id=%v}.json", [z.string()], [z.string()]),
  Read: rest("GET /files/{path*=%v}", [z.string()], [z.string()]),
}, { versioned: true, aliases: { books: ["titles"] } });
const serve = handler(null, implement(shelf, { Get: (id) => id, Read: (path) => path }));

Deno.test("routesOf() fits the path of a base with a slash at its end and without, as the server does", async () => {
  const root = api("https://example.com/v1", { Root: rest("GET /", [], [z.string()]) });
  const run = handler(null, implement(root, { Root: () => "root" }));
  const [{ pattern }] = await routesOf(root);
  for (
    const [path, fits] of [["/v1", true], ["/v1/", true], ["/", false], ["/v1/x", false], ["/v11", false]] as const
  ) {
    const url = `https://example.com${path}`;
    assertEquals([pattern.test(url), (await run(new Request(url))).ok], [fits, fits], path);
  }
});

Deno.test("routesOf() lists a URLPattern for each path of each operation, which fits what the server finds", async () => {
  const routes = await routesOf(shelf);
  assertEquals(routes.map(({ name, method, pattern }) => `${name} ${method} ${pattern.pathname}`), [
    "Get GET /v1/books/{:book_id}.json",
    "Get GET /v1/titles/{:book_id}.json",
    "Read GET /v1/files/:path(.+)",
    "Get GET /v1/:version(v[0-9][0-9A-Za-z.\\-]*)/books/{:book_id}.json",
    "Get GET /v1/:version(v[0-9][0-9A-Za-z.\\-]*)/titles/{:book_id}.json",
    "Read GET /v1/:version(v[0-9][0-9A-Za-z.\\-]*)/files/:path(.+)",
  ]);
  assert(routes.every(({ pattern }) => pattern instanceof URLPattern));
  // Node 24 and browsers read the groups so, where a hyphen in a class stands for a range alone.
  for (const { pattern } of routes) for (const [group] of pattern.pathname.matchAll(/\(.*?\)/g)) new RegExp(group, "v");
  const rows = [
    ["/v1/books/7.json", "Get"],
    ["/v1/v4.3.1/titles/a%20b.json", "Get"],
    ["/v1/files/a/b", "Read"],
    ["/v1/version/books/7.json", undefined],
    ["/books/7.json", undefined],
    ["/v1/files/", undefined],
  ] as const;
  for (const [path, name] of rows) {
    const url = `http://localhost${path}`;
    const found = routes.find(({ pattern }) => pattern.test(url));
    const { status } = await serve(new Request(url));
    assertEquals([path, found?.name, status], [path, name, name ? 200 : 404]);
  }
});

Deno.test("routesOf() gives the polyfill's patterns where the runtime has none, which say the same", async () => {
  const own = await routesOf(shelf);
  const { URLPattern: kept } = globalThis;
  // @ts-expect-error: a runtime without the class
  delete globalThis.URLPattern;
  try {
    const made = await routesOf(shelf);
    assert(made.every(({ pattern }) => !(pattern instanceof kept)));
    for (
      const url of [
        "http://h/v1/books/7.json",
        "http://h/v1/v2/files/a/b",
        "http://h/v1/files/",
        "http://h/books/7.json",
      ]
    ) {
      assertEquals(
        made.map(({ pattern }) => pattern.exec(url)?.pathname.groups),
        own.map(({ pattern }) => pattern.exec(url)?.pathname.groups),
      );
    }
  } finally {
    globalThis.URLPattern = kept;
  }
});
