import { assertEquals, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  DefinitionError,
  error,
  type ErrorCodec,
  handler,
  handlers,
  HTTPError,
  implement,
  rest,
} from "../../lib/rest/mod.ts";
import { request, serve } from "../fixtures/rest/serve.ts";

Deno.test("handler() encodes errors with the API's codec, the router's own too", async () => {
  const seen: unknown[] = [];
  const errors: ErrorCodec = {
    type: "application/json",
    encode: (error, { status, name, version }) => {
      seen.push([error instanceof HTTPError ? error.kind : "thrown", status, name, version]);
      return status === 404
        ? { status, body: "Not Found" }
        : { status: status === 418 ? 304 : status, body: { message: String(error) } };
    },
    decode: (status) => new HTTPError(status, "x"),
  };
  const run = serve({ F: rest("GET /f/{n=%v}", [z.number()]), G: rest("POST /g", []) }, {
    F: (n) => {
      if (n === 1) throw new HTTPError(418, "tea");
      throw new Error("inner");
    },
  }, { errors, versioned: true, headers: { server: "s" } });
  const answer = async (method: string, path: string) => {
    const response = await run(request(method, path));
    assertEquals(response.headers.get("server"), "s");
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  assertEquals(await answer("GET", "/none"), [404, "text/plain;charset=UTF-8", "Not Found"]);
  assertEquals(await answer("GET", "/v4/f/1"), [304, null, ""]);
  assertEquals(await answer("GET", "/f/2"), [500, "application/json", `{"message":"Error: inner"}`]);
  assertEquals((await answer("GET", "/f/x"))[0], 400);
  assertEquals((await answer("GET", "/g"))[0], 405);
  assertEquals((await answer("POST", "/g"))[0], 501);
  assertEquals(seen, [
    ["route", 404, undefined, undefined],
    [undefined, 418, "F", "4"],
    ["thrown", 500, "F", undefined],
    ["argument", 400, "F", undefined],
    ["method", 405, undefined, undefined],
    ["unimplemented", 501, "G", undefined],
  ]);
});

Deno.test("handler() says nothing of an error that is not an HTTPError", async () => {
  const told: unknown[] = [];
  const run = serve(
    { F: rest("GET /") },
    { F: () => Promise.reject(new Error("the key is 123")) },
    {},
    { onError: (error) => told.push(String(error)) },
  );
  const response = await run(request("GET", "/"));
  assertEquals([response.status, response.headers.get("content-type")], [500, "application/problem+json"]);
  assertEquals(await response.json(), { status: 500, title: "Internal Server Error" });
  assertEquals(told, ["Error: the key is 123"]);
});

Deno.test("handler() answers HEAD as GET or as it is defined, and OPTIONS with Allow", async () => {
  const run = serve({
    Get: rest("GET /a", [], [z.string()]),
    Head: rest("HEAD /b"),
    Both: rest("GET /b", [], [z.string()]),
  }, {
    Get: () => "a",
    Head: (context) => context.headers.set("x-stat", "1"),
    Both: () => "b",
  }, { headers: { server: "s" } });
  const got = await run(request("HEAD", "/a"));
  assertEquals([got.status, got.headers.get("content-type"), got.body], [200, "text/plain;charset=UTF-8", null]);
  assertEquals((await run(request("POST", "/a"))).headers.get("allow"), "GET, HEAD");
  const head = await run(request("HEAD", "/b"));
  assertEquals([head.status, head.headers.get("x-stat")], [204, "1"]);
  const options = await run(request("OPTIONS", "/b"));
  assertEquals([options.status, options.headers.get("allow"), options.headers.get("server")], [204, "GET, HEAD", "s"]);
});

Deno.test("handler() gives functions their context", async () => {
  const seen: unknown[] = [];
  const run = serve({ F: rest("GET /engine/f", []) }, {
    F: (context) => {
      seen.push([context.name, context.version, context.request.headers.get("x"), context.platform.peer]);
      context.headers.set("x-made", "1");
      context.headers.append("set-cookie", "a=1");
      context.headers.append("set-cookie", "b=2");
    },
  }, {
    versioned: true,
    aliases: { engine: ["libpod"] },
    headers: ({ version }) => ({ "x-version": version ?? "none" }),
  });
  const response = await run(request("GET", "/v4.3.1/libpod/f", undefined, { x: "y" }), { peer: "unix" });
  assertEquals(seen, [["F", "4.3.1", "y", "unix"]]);
  assertEquals([response.headers.get("x-made"), response.headers.get("x-version")], ["1", "4.3.1"]);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
});

Deno.test("handler() keeps functions that are methods bound to their object", async () => {
  class Counter {
    #n = 41;
    Next() {
      return String(++this.#n);
    }
  }
  const run = serve({ Next: rest("GET /", [], [z.string()]) }, new Counter());
  assertEquals(await (await run(request("GET", "/"))).text(), "42");
});

Deno.test("handler() serves several APIs and falls through to another handler", async () => {
  const one = implement(api("x", { A: rest("GET /a", [], [z.string()]) }), { A: () => "a" });
  const two = implement(api("x", { B: rest("GET /b", [], [z.string()]) }), { B: () => "b" });
  const run = handler(null, [one, two], { fallback: () => Promise.resolve(new Response("elsewhere")) });
  const get = async (path: string) => await (await run(request("GET", path))).text();
  assertEquals([await get("/a"), await get("/b"), await get("/c")], ["a", "b", "elsewhere"]);
  assertThrows(() => handler(null, [one, one]), DefinitionError, "takes the same requests");
});

Deno.test("handler() calls a fallible function's thrown error an error", async () => {
  const run = serve({ F: rest("DELETE /{id=%v}", [z.string()], [error]) }, {
    F: () => {
      throw new HTTPError(404, `Find "x": there is none`);
    },
  });
  assertEquals((await run(request("DELETE", "/x"))).status, 404);
});

Deno.test("handler() refuses a prefix that no path begins with, middleware in a list, and what implement() did not make", () => {
  const ping = api("http://x", { Ping: rest("GET /ping") });
  const functions = implement(ping, { Ping() {} });
  const refused = 'Serve the API: the prefix "v1" does not begin with a slash';
  assertThrows(() => handler(null, functions, { prefix: "v1" }), TypeError, refused);
  assertThrows(() => handlers(null, functions, ":%s", "*", { prefix: "v1" }), TypeError, refused);
  for (const prefix of [undefined, "", "/v1", "https://x/v1"]) handler(null, functions, { prefix });
  // @ts-expect-error A list is no stack.
  assertThrows(() => handler(null, functions, { use: [] }), TypeError, "the option use takes middlewareStack().use(");
  // @ts-expect-error A definition is no implementation.
  assertThrows(() => handler(null, ping), TypeError, "Serve the API: pass what implement() or link() made of it");
});
