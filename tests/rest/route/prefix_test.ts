/** The path of an API's base: what `link(definition)` calls is what a server of the same definition serves. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  api,
  DefinitionError,
  endpoints,
  handler,
  handlers,
  implement,
  int64,
  link,
  rest,
} from "../../../lib/rest/mod.ts";
import { openapi, surfaces } from "../../../lib/rest/surfaces.ts";
import { pathOfBase } from "../../../lib/rest/route/request_path.ts";

const one = api("http://h/v1/", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]), Put: rest("PUT /sum") });
const two = api("h.example/v2", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) }, { versioned: true });
const first = implement(one, { Add: (a, b) => a + b, Put() {} });
const second = implement(two, { Add: (a, b) => (a + b) * 10n });

const answer = async (serve: ReturnType<typeof handler>, path: string, method = "GET") => {
  const response = await serve(new Request(`http://h${path}`, { method }));
  return [response.status, await response.text()];
};

Deno.test("handler() serves an API under the path of its base, where link() calls it", async () => {
  const serve = handler(null, first);
  assertEquals(await link(one, undefined, { fetch: serve }).Add(1n, 2n), 3n);
  assertEquals(await answer(serve, "/v1/sum?a=1&b=2"), [200, "3"]);
  for (const path of ["/sum?a=1&b=2", "/v1sum?a=1&b=2", "/v1", "/v2/sum?a=1&b=2", "//v1/sum?a=1&b=2"]) {
    assertEquals((await answer(serve, path))[0], 404, path);
  }
  const options = await serve(new Request("http://h/v1/sum", { method: "OPTIONS" }));
  assertEquals(options.headers.get("allow"), "GET, HEAD, PUT");
  assertEquals((await answer(serve, "/v1/sum", "POST"))[0], 405);
});

Deno.test("handler() serves APIs of several bases, and an option names another path, or none", async () => {
  const serve = handler(null, [first, second]);
  assertEquals(await answer(serve, "/v1/sum?a=1&b=2"), [200, "3"]);
  assertEquals(await answer(serve, "/v2/sum?a=1&b=2"), [200, "30"]);
  assertEquals(await answer(serve, "/v2/v7/sum?a=1&b=2"), [200, "30"], "a version stands behind the base's path");
  const whole = await serve(new Request("http://h", { method: "OPTIONS" }));
  assertEquals(whole.status, 404);
  assertEquals(await answer(handler(null, first, { prefix: "" }), "/sum?a=1&b=2"), [200, "3"]);
  assertEquals(await answer(handler(null, first, { prefix: "/api/x/" }), "/api/x/sum?a=1&b=2"), [200, "3"]);
  assertThrows(() => handler(null, [first, second], { prefix: "" }), DefinitionError, "GET /sum");
});

Deno.test("handlers() and endpoints() have the path of the base too", async () => {
  const patterns = [...handlers(null, first, ":%s", ":%s{.+}")].map(([pattern]) => pattern);
  assertEquals(patterns, ["GET /v1/sum", "PUT /v1/sum"]);
  const [[pattern, serve]] = handlers(null, first, ":%s", ":%s{.+}", { prefix: "" });
  assertEquals([pattern, await answer(serve, "/sum?a=2&b=2")], ["GET /sum", [200, "4"]]);
  const { Add } = endpoints(null, first);
  assertEquals([await answer(Add, "/v1/sum?a=1&b=1"), (await answer(Add, "/sum?a=1&b=1"))[0]], [[200, "2"], 404]);
});

Deno.test("pathOfBase() reads every form of a base", () => {
  const rows = [
    ["x", ""],
    ["http://h", ""],
    ["http://h/", ""],
    ["h.example:8080/v1", "/v1"],
    ["https://u:p@h/a/b/", "/a/b"],
    ["http://[::1]:80/v1", "/v1"],
    ["http://h/a b", "/a%20b"],
    ["unix:///run/x.sock", ""],
    ["/v1", "/v1"],
    ["HTTPS://h/v1", "/v1"],
    ["ws://h/v1", ""],
    ["h?a=/v1", ""],
    ["h/a://b", "/a://b"],
  ];
  for (const [base, path] of rows) assertEquals(pathOfBase(base), path, base);
});

Deno.test("documents and client modules have the path of the base, and those of several APIs each its own", async () => {
  const alone = openapi(one);
  assertEquals([alone.servers, Object.keys(alone.paths)], [[{ url: "/v1" }], ["/sum"]]);
  const both = openapi([one, two]);
  assertEquals([both.servers, Object.keys(both.paths)], [[{ url: "/" }], ["/v1/sum", "/v2/sum"]]);
  for (
    const [definitions, functions, sums] of [[one, first, ["3"]], [[one, two], [first, second], ["3", "30"]]] as const
  ) {
    const serve = handler(null, functions, { fallback: surfaces(definitions) });
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => serve(request),
    );
    const text = await (await fetch(`http://127.0.0.1:${server.addr.port}/client.js`)).text();
    const from = text.replaceAll("import.meta.url", `"http://127.0.0.1:${server.addr.port}/client.js"`);
    const { default: client } = await import(`data:text/javascript,${encodeURIComponent(from)}`);
    const got = [await client.Add(1n, 2n), ...client.Add_2 ? [await client.Add_2(1n, 2n)] : []];
    assertEquals(got.map(String), [...sums]);
  }
});
