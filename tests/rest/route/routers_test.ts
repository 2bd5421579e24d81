/** `handlers()` inside real routers: every request is answered as our own router answers it. */
import { assertEquals } from "@std/assert";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
// @ts-types="../../fixtures/rest/express_types.d.ts"
import express from "express";
import findMyWay from "find-my-way";
import { Hono } from "hono";
import { Router as IttyRouter } from "itty-router";
import { z } from "../../fixtures/zod.ts";
import { requestListener } from "../../../lib/platform/http/serve.ts";
import { api, type Handler, handler, handlers, implement, rest } from "../../../lib/rest/mod.ts";

const s = z.string();
const definition = api("x", {
  List: rest("GET /engine/users", [], [s]),
  Make: rest("POST /engine/users", [], [s], { status: 201 }),
  Me: rest("GET /engine/users/me", [], [s]),
  Get: rest("GET /engine/users/{user-id=%v}", [s], [s]),
  Blob: rest("GET /blobs/{path*=%v}", [s], [s]),
  Meta: rest("GET /blobs/{path*=%v}/json", [s], [s]),
  Tag: rest("POST /blobs/{path*=%v}/tags/{tag=%v}", [s, s], [s]),
  A: rest("GET /kinds?kind=a", [], [s]),
  B: rest("GET /kinds?kind=b", [], [s]),
}, { versioned: true, aliases: { engine: ["libpod"] } });

const implementation = implement(definition, {
  List: ({ version }) => `list ${version}`,
  Make: () => "made",
  Me: () => "me",
  Get: (id) => `user ${id}`,
  Blob: (path) => `blob ${path}`,
  Meta: (path) => `meta ${path}`,
  Tag: (path, tag) => `tag ${path} ${tag}`,
  A: () => "a",
  B: () => "b",
});

const requests: [method: string, path: string][] = [
  ["GET", "/engine/users"],
  ["GET", "/libpod/users"],
  ["GET", "/v4.3.1/libpod/users"],
  ["GET", "/v4/engine/users/me"],
  ["POST", "/engine/users"],
  ["DELETE", "/engine/users"],
  ["GET", "/engine/users/me"],
  ["GET", "/libpod/users/a%2Fb"],
  ["GET", "/engine/users/%C3%A9"],
  ["GET", "/blobs/a"],
  ["GET", "/blobs/quay.io/a/b:1"],
  ["GET", "/blobs/quay.io/a/json"],
  ["GET", "/v1.40/blobs/a/json"],
  ["POST", "/blobs/a/b/tags/1"],
  ["POST", "/v4/blobs/a/b/tags/1"],
  ["POST", "/blobs/a"],
  ["GET", "/kinds?kind=a"],
  ["GET", "/kinds?kind=b"],
  ["GET", "/v9/kinds?kind=b"],
  ["GET", "/kinds?kind=c"],
  ["GET", "/nothing"],
  ["GET", "/vx/kinds?kind=b"],
];

async function replay(serve: (request: Request) => Response | Promise<Response>): Promise<void> {
  const own = handler(null, implementation);
  for (const [method, path] of requests) {
    const request = () => new Request(`http://h${path}`, { method });
    const expected = await own(request());
    const given = await serve(request());
    const body = async (response: Response) => response.ok ? await response.text() : response.headers.get("allow");
    assertEquals([method, path, given.status, await body(given)], [
      method,
      path,
      expected.status,
      await body(expected),
    ]);
  }
}

/** The path of a pattern, for routers that are told the methods apart from it. */
const pathOf = (pattern: string) => pattern.slice(pattern.indexOf(" ") + 1);

const notFound = () => new Response(null, { status: 404 });

Deno.test("handlers() answers inside Hono as handler() does", async () => {
  const app = new Hono();
  for (const [pattern, serve] of handlers(null, implementation, ":%s", ":%s{.+}")) {
    app.all(pathOf(pattern), ({ req }) => serve(req.raw));
  }
  await replay((request) => app.fetch(request));
});

Deno.test("handlers() answers inside find-my-way as handler() does", async () => {
  const router = findMyWay();
  const paths = new Map(
    Array.from(handlers(null, implementation, ":%s", "*"), ([pattern, serve]) => [pathOf(pattern), serve]),
  );
  for (const [path, serve] of paths) {
    for (const method of ["GET", "POST", "DELETE"] as const) router.on(method, path, () => {}, serve);
  }
  await replay((request) => {
    const { pathname } = new URL(request.url);
    const serve: Handler = router.find(request.method as "GET", pathname)?.store ?? notFound;
    return serve(request);
  });
});

Deno.test("handlers() answers inside itty-router as handler() does", async () => {
  const router = IttyRouter();
  for (const [pattern, serve] of handlers(null, implementation, ":%s", ":%s+")) {
    router.all(pathOf(pattern), (request: unknown) => serve(request as Request));
  }
  await replay(async (request) => await router.fetch(request) ?? notFound());
});

Deno.test("handlers() answers inside Express as handler() does", async () => {
  const app = express();
  for (const [pattern, serve] of handlers(null, implementation, ":%s", "*%s")) {
    app.all(pathOf(pattern), requestListener(serve));
  }
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await replay(({ url, method }) => fetch(url.replace("http://h", `http://127.0.0.1:${port}`), { method }));
  server.close();
  await once(server, "close");
});
