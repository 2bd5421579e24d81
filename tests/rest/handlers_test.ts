import { assertEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { z } from "../fixtures/zod.ts";
import { api as trustingAPI } from "../../lib/rest/server.ts";
import {
  api,
  DefinitionError,
  endpoints,
  handler,
  handlers,
  HTTPError,
  implement,
  implementPart,
  link,
  patternOf,
  rest,
} from "../../lib/rest/mod.ts";

const definition = api("x", {
  List: rest("GET /users", [], [z.string()]),
  Make: rest("POST /users", [], [z.string()], { status: 201 }),
  Get: rest("GET /users/{user-id=%v}", [z.string()], [z.string()]),
  File: rest("GET /files/{id=%v}.json", [z.string()], [z.string()]),
  Blob: rest("GET /blobs/{path*=%v}", [z.string()], [z.string()]),
  Plain: rest("GET /kinds?kind=a", [], [z.string()]),
  Other: rest("GET /kinds?kind=b", [], [z.string()]),
});
const implementation = implement(definition, {
  List: () => "list",
  Make: () => "made",
  Get: (id) => `user ${id}`,
  File: (id) => `file ${id}`,
  Blob: (path) => `blob ${path}`,
  Plain: () => "a",
  Other: () => "b",
});

Deno.test("handlers() writes patterns in the other router's spelling", () => {
  const patterns = (param: string, remainder: string) =>
    [...handlers(null, implementation, param, remainder)].map(([pattern]) => pattern);
  assertEquals(patterns(":%s", ":%s{.+}"), [
    "GET /files/:id.json",
    "GET /users/:user_id",
    "GET /blobs/:path{.+}",
    "GET /users",
    "POST /users",
    "GET /kinds",
  ]);
  assertEquals(patterns("{%s}", "{%s...}").slice(0, 3), [
    "GET /files/{id}.json",
    "GET /users/{user_id}",
    "GET /blobs/{path...}",
  ]);
  assertEquals(patterns(":%s", "*")[2], "GET /blobs/*");
});

Deno.test("handlers() can be registered method by method", async () => {
  const app = new Hono();
  for (const [pattern, serve] of handlers(null, implementation, ":%s", ":%s{.+}")) {
    const [method, path] = pattern.split(" ");
    if (!path.includes(".json")) app.on(method, path, (context) => serve(context.req.raw));
  }
  assertEquals(await (await app.request("/users", { method: "POST" })).text(), "made");
  assertEquals(await (await app.request("/kinds?kind=b")).text(), "b");
  assertEquals((await app.request("/users/7", { method: "DELETE" })).status, 404);
});

Deno.test("handlers() works inside Hono", async () => {
  const app = new Hono();
  for (const [pattern, serve] of handlers(null, implementation, ":%s", ":%s{.+}")) {
    const [, path] = pattern.split(" ");
    app.all(path.replace(":id.json", ":id{.+\\.json}"), (context) => serve(context.req.raw));
  }
  const call = async (method: string, path: string) => {
    const response = await app.request(path, { method });
    return [response.status, await response.text()];
  };
  assertEquals(await call("GET", "/users"), [200, "list"]);
  assertEquals(await call("POST", "/users"), [201, "made"]);
  assertEquals(await call("GET", "/users/a%2Fb"), [200, "user a/b"]);
  assertEquals(await call("GET", "/files/x.json"), [200, "file x"]);
  assertEquals(await call("GET", "/blobs/a/b/c"), [200, "blob a/b/c"]);
  assertEquals(await call("GET", "/kinds?kind=b"), [200, "b"]);
  const refused = await app.request("/users", { method: "DELETE" });
  assertEquals([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, POST"]);
});

Deno.test("defect: handlers() and endpoints() refuse a definition that nobody has checked and that is bad", () => {
  const bad = trustingAPI("x", { A: rest("GET /a"), B: rest("GET /a"), C: rest("GET /c", [], [], { status: 99 }) });
  for (
    const serve of [
      () => handlers(null, implementPart(bad, {}), ":%s", "*"),
      () => endpoints(null, implementPart(bad, {})),
    ]
  ) {
    assertEquals(assertThrows(serve, DefinitionError).problems.length, 2);
  }
});

Deno.test("defect: handlers() serves a linked API, as a proxy of it", async () => {
  const elsewhere = link(definition, "http://elsewhere", { fetch: handler(null, implementation) });
  const [, serve] = [...handlers(null, elsewhere, ":%s", "*")].find(([pattern]) => pattern === "GET /users/:user_id") ??
    [];
  assertEquals(await (await serve!(new Request("http://h/users/7"))).text(), "user 7");
});

Deno.test("handlers() has the options of handler()", async () => {
  const told: unknown[] = [];
  const words = api("x", {
    Words: rest("GET /words", [], [z.array(z.string())]),
    Fail: rest("GET /fail", [], [z.string()]),
  });
  const functions = implement(words, {
    Words: () => Array(500).fill("word"),
    Fail: () => {
      throw new HTTPError(409, "Fail: as asked for");
    },
  });
  const options = { compress: true, etag: true, onError: (error: unknown) => void told.push(error) };
  const table = new Map(handlers(null, functions, ":%s", "*", options));
  const answer = await table.get("GET /words")!(
    new Request("http://h/words", { headers: { "accept-encoding": "gzip" } }),
  );
  await answer.body?.cancel();
  assertEquals([answer.headers.get("content-encoding"), answer.headers.has("etag")], ["gzip", true]);
  assertEquals((await table.get("GET /fail")!(new Request("http://h/fail"))).status, 409);
  assertEquals(told.length, 1);
});

Deno.test("endpoints() gives each operation alone, as a pure function", async () => {
  const { Get, Blob: GetBlob, Plain } = endpoints(null, implementation);
  const get = (path: string, method = "GET") => new Request(`http://h${path}`, { method });
  assertEquals(await (await Get(get("/users/7"))).text(), "user 7");
  assertEquals(await (await GetBlob(get("/blobs/a/b"))).text(), "blob a/b");
  assertEquals((await Get(get("/users/7", "PUT"))).status, 405);
  assertEquals((await Get(get("/users"))).status, 404);
  assertEquals((await Plain(get("/kinds?kind=b"))).status, 404);
});

Deno.test("patternOf() is the URLPattern of a route, names rewritten to identifiers", () => {
  const { plans } = api("x", {
    A: rest("GET /a.b/{user-id=%v}/{user_id=%v}/{n=%v}.json/{rest*=%v}", [
      z.string(),
      z.string(),
      z.string(),
      z.string(),
    ]),
  });
  const pattern = patternOf(plans[0]);
  assertEquals(pattern, "/a\\.b/:user_id/:user_id_2/{:n}\\.json/:rest(.+)");
  assertEquals(new URLPattern({ pathname: pattern }).exec("http://h/a.b/1/2/3.json/4/5")?.pathname.groups, {
    user_id: "1",
    user_id_2: "2",
    n: "3",
    rest: "4/5",
  });
});
