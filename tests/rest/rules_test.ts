/** The rules of the tag language as they work together: a request is routed, read, answered and read again. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  bytes,
  DefinitionError,
  handler,
  HTTPError,
  implement,
  int64,
  link,
  rest,
  time,
  uint64,
} from "../../lib/rest/mod.ts";
import { handlerWith, patternRouter, trieRouter } from "../../lib/rest/server.ts";
import { request } from "../fixtures/rest/serve.ts";

const s = z.string();

Deno.test("one argument stands in two places: the client writes both, and the path is what counts", async () => {
  const definition = api("x", {
    Rename: rest("POST /users/{id=%[1]v}/name?was=%[1]v&to=%[2]v", [s, s], [s]),
    Copy: rest("PUT /from/{a=%v}/to/{b=%[1]v}", [s], [s]),
  });
  const seen: string[] = [];
  const run = handler(null, implement(definition, { Rename: (id, to) => `${id} ${to}`, Copy: (id) => id }));
  const client = link(definition, "http://h", { fetch: (sent) => (seen.push(sent.url), run(sent)) });
  assertEquals(await client.Rename("a/b", "c"), "a/b c");
  assertEquals(await client.Copy("é"), "é");
  assertEquals(seen, ["http://h/users/a%2Fb/name?was=a%2Fb&to=c", "http://h/from/%C3%A9/to/%C3%A9"]);
  const differing = await run(request("POST", "/users/path/name?was=query&to=c"));
  assertEquals(await differing.text(), "path c");
});

Deno.test("remainders stand in the middle of a path, and twice, on both sides", async () => {
  const definition = api("x", {
    Copy: rest("POST /copy/{from*=%v}/to/{to*=%v}/now", [s, s], [s]),
    Tag: rest("GET /v{major=%v}.{minor=%v}/x-{name=%v}.tar.gz", [z.int(), z.int(), s], [s]),
  });
  const functions = implement(definition, {
    Copy: (from, to) => `${from} > ${to}`,
    Tag: (major, minor, name) => `${major} ${minor} ${name}`,
  });
  for (const run of [handler(null, functions), handlerWith({ router: patternRouter }, null, functions)]) {
    const client = link(definition, "http://h", { fetch: run });
    assertEquals(await client.Copy("a/to/b", "c d/é"), "a/to/b > c d/é");
    assertEquals(await client.Tag(1, 20, "a.b-c"), "1 20 a.b-c");
  }
});

Deno.test("versions, present keys and constants decide which function is called", async () => {
  const definition = api("x", {
    Old: rest("GET /libpod/manifests/{name=%v}", [s], [s], { versions: "<4" }),
    New: rest("GET /libpod/manifests/{name=%v}", [s], [s], { versions: ">=4" }),
    Pull: rest("POST /images/create?fromImage=%v", [s], [s], { present: ["fromImage"] }),
    Import: rest("POST /images/create?fromSrc=%v", [s], [s], { present: ["fromSrc"] }),
    Files: rest("GET /find?kind=file&name=%v", [s], [s]),
    Any: rest("GET /find?name=%v", [s], [s]),
  }, { versioned: true });
  const functions = implement(definition, {
    Old: (name, { version }) => `old ${name} ${version}`,
    New: (name, { version }) => `new ${name} ${version}`,
    Pull: (name) => `pull ${name}`,
    Import: (name) => `import ${name}`,
    Files: (name) => `file ${name}`,
    Any: (name) => `any ${name}`,
  });
  for (const run of [handler(null, functions), handlerWith({ router: trieRouter }, null, functions)]) {
    const ask = async (method: string, path: string) => {
      const response = await run(request(method, path));
      return response.ok ? await response.text() : response.status;
    };
    assertEquals(await ask("GET", "/v3.4.0/libpod/manifests/a"), "old a 3.4.0");
    assertEquals(await ask("GET", "/v5/libpod/manifests/a"), "new a 5");
    assertEquals(await ask("GET", "/libpod/manifests/a"), "old a undefined");
    assertEquals(await ask("POST", "/images/create?fromImage=a"), "pull a");
    assertEquals(await ask("POST", "/v1.40/images/create?fromSrc=-"), "import -");
    assertEquals(await ask("POST", "/images/create"), 404);
    assertEquals(await ask("GET", "/find?name=a&kind=file"), "file a");
    assertEquals(await ask("GET", "/find?name=a&kind=other"), "any a");
  }
});

Deno.test("int64, uint64, time and bytes travel in path, query and body", async () => {
  const kinds = [int64, uint64, time, bytes] as const;
  const definition = api("x", {
    Path: rest("GET /p/{a=%v}/{b=%v}/{c=%v}/{d=%v} a,b,c,d", kinds, kinds),
    Query: rest("GET /q?a=%v&b=%v&c=%v&d=%v a,b,c,d", kinds, kinds),
    Body: rest("POST /b (a,b,c,d) a,b,c,d", kinds, kinds),
    List: rest("POST /l", kinds, kinds),
  });
  const same = (...given: unknown[]) => given.slice(0, 4) as [bigint, bigint, Date, Uint8Array];
  const run = handler(null, implement(definition, { Path: same, Query: same, Body: same, List: same }));
  const client = link(definition, "http://h", { fetch: run });
  const values = [-(2n ** 63n), 2n ** 64n - 1n, new Date(1), Uint8Array.of(251, 255, 0)] as const;
  for (const call of [client.Path, client.Query, client.Body, client.List]) {
    assertEquals(await call(...values), [...values]);
  }
  await assertRejects(() => client.Query(2n ** 63n, 0n, new Date(), new Uint8Array()), HTTPError, `Read "a"`);
  assertEquals((await run(request("GET", "/q?a=1&b=-1&c=1970-01-01T00:00:00Z&d="))).status, 400);
});

Deno.test("Accept picks by q-values, and 406 tells what there is", async () => {
  const definition = api("x", { Get: rest("GET /", [], [s]) });
  const run = handler(null, implement(definition, { Get: () => "a" }));
  const accepted: [accept: string, type: string | null][] = [
    ["text/plain;q=0.2, application/json;q=0.9", "application/json"],
    ["application/json;q=0.2, text/*;q=0.3", "text/plain;charset=UTF-8"],
    ["*/*;q=0.1, text/plain;q=0", "application/json"],
    ["text/plain;q=0, application/json;q=0", null],
  ];
  for (const [accept, type] of accepted) {
    const response = await run(request("GET", "/", undefined, { accept }));
    const body = await response.text();
    if (type === null) assertEquals([response.status, body.includes("text/plain")], [406, true]);
    else assertEquals([accept, response.headers.get("content-type")], [accept, type]);
  }
});

Deno.test("defect: a call that has changed something is not answered as if it were refused", async () => {
  const definition = api("x", { Add: rest("POST(application/json) /", [s], [s]) });
  const kept: string[] = [];
  const run = handler(null, implement(definition, { Add: (text) => (kept.push(text), "kept") }));
  const headers = { accept: "image/png", "content-type": "application/json" };
  const response = await run(request("POST", "/", '"one"', headers));
  assertEquals([response.status, await response.text(), kept], [200, '"kept"', ["one"]]);
});

Deno.test("defect: values of several names in a segment arrive as they were given, with the literals between them in them too", async () => {
  const definition = api("x", {
    Two: rest("GET /a/{x=%v}-{y=%v}", [z.string(), z.string()], [z.array(z.string())]),
    Three: rest("GET /v{x=%v}.{y=%v}.{z=%v}.json", [z.string(), z.string(), z.string()], [z.array(z.string())]),
    One: rest("GET /r/{x=%v}.json", [z.string()], [z.string()]),
  });
  const serve = handler(
    null,
    implement(definition, { Two: (x, y) => [x, y], Three: (x, y, z) => [x, y, z], One: (x) => x }),
  );
  const urls: string[] = [];
  const client = link(definition, "http://h", { fetch: (request) => (urls.push(request.url), serve(request)) });
  for (const [x, y] of [["a-b", "c-d"], ["-", "-"], ["--a", "%2D"], ["a/b", "ä-"]]) {
    assertEquals(await client.Two(x, y), [x, y]);
  }
  assertEquals(await client.Three("1.2", "..x", "a.json"), ["1.2", "..x", "a.json"]);
  // Where nothing is unclear all is written as it is.
  assertEquals(await client.One("2026-11.json"), "2026-11.json");
  assertEquals(urls.at(-1), "http://h/r/2026-11.json.json");
});

Deno.test("defect: each item of a tuple in a query is read as what it is", async () => {
  const Pair = z.tuple([z.string(), z.number(), z.boolean()]);
  const definition = api("x", {
    Named: rest("GET /named?pair=%v", [Pair], [Pair]),
    Spread: rest("GET /spread?%v", [z.object({ pair: Pair })], [z.object({ pair: Pair })]),
  });
  const serve = handler(null, implement(definition, { Named: (pair) => pair, Spread: (given) => given }));
  const client = link(definition, "http://h", { fetch: serve });
  assertEquals(await client.Named(["1", 2, false]), ["1", 2, false]);
  assertEquals(await client.Spread({ pair: ["1", 2, false] }), { pair: ["1", 2, false] });
});

Deno.test("a named query wins over the entry of that name in a map beside it", async () => {
  const Texts = z.record(z.string(), z.string());
  const definition = api("x", { F: rest("GET /f?a=%v&%v", [z.string(), Texts], [z.string(), Texts]) });
  const serve = handler(null, implement(definition, { F: (a, map) => [a, map] }));
  const got = await link(definition, "http://h", { fetch: serve }).F("1", { a: "2", b: "3" });
  assertEquals(got, ["1", { b: "3" }]);
});

Deno.test("defect: text that is not sent is missing, and text that is empty is not", async () => {
  const definition = api("x", {
    Maybe: rest("POST /maybe", [z.string().optional()], [z.string().optional()]),
    Must: rest("POST /must", [z.string()], [z.string()]),
  });
  const serve = handler(null, implement(definition, { Maybe: (text) => text, Must: (text) => text }));
  const client = link(definition, "http://h", { fetch: serve });
  assertEquals([await client.Maybe(undefined), await client.Maybe(""), await client.Must("")], [undefined, "", ""]);
  const missing = await serve(new Request("http://h/must", { method: "POST" }));
  assertEquals([missing.status, (await missing.json()).detail.includes("it is missing")], [400, true]);
});

Deno.test("{name} finds a field of a nested struct, by its name or its rest name, the shallowest and first of them", async () => {
  const Address = z.object({ city: z.string(), zip: z.string().optional().meta({ rest: "post-code" }) });
  const Order = z.object({ id: z.string(), to: Address, from: Address.optional(), note: z.object({ id: z.string() }) });
  const Parent = z.object({
    name: z.string(),
    get child() {
      return Parent.optional();
    },
    last: z.object({ leaf: z.string() }),
  });
  const operations = {
    City: rest("PUT /city/{city}/{post-code}" as string, [z.string(), Order], [z.array(z.unknown())]),
    ID: rest("PUT /id/{id}", [z.object({ inner: z.object({ id: z.string() }) }), Order], [z.array(z.unknown())]),
    Whole: rest("GET /whole/{city}/{zip}", [z.object({ at: Address })], [z.object({ at: Address })]),
    Rest: rest("PUT /rest/{city*}/json", [Order], [Order]),
    Leaf: rest("PUT /leaf/{leaf}", [Parent], [Parent]),
  };
  const definition = api("x", operations);
  const functions = implement(definition, {
    City: (text, order) => [text, order],
    ID: (inner, order) => [inner, order],
    Whole: (whole) => whole,
    Rest: (order) => order,
    Leaf: (parent) => parent,
  });
  const serve = handler(null, functions);
  const client = link(definition, "http://localhost", { fetch: serve });
  const order = { id: "7", to: { city: "Rome", zip: "00100" }, note: { id: "n" } };
  assertEquals(await client.City("a", order), ["a", order]);
  const seen: string[] = [];
  const spy = link(definition, "http://localhost", {
    fetch(request) {
      seen.push(new URL(request.url).pathname);
      return serve(request);
    },
  });
  await spy.City("a", order);
  await spy.ID({ inner: { id: "deep" } }, order);
  await spy.Whole({ at: { city: "Rome", zip: "1" } });
  await spy.Rest({ ...order, to: { city: "New/York" } });
  await spy.Leaf({ name: "a", last: { leaf: "b" } });
  assertEquals(seen, ["/city/Rome/00100", "/id/7", "/whole/Rome/1", "/rest/New/York/json", "/leaf/b"]);
  assertEquals(await client.Whole({ at: { city: "Rome", zip: "1" } }), { at: { city: "Rome", zip: "1" } });
  assertEquals(await client.Leaf({ name: "a", last: { leaf: "b" } }), { name: "a", last: { leaf: "b" } });
  assertThrows(
    () => api("x", { F: rest("PUT /{nowhere}" as string, [Parent]) }),
    DefinitionError,
    "no struct argument",
  );
});

Deno.test("a tag's content type may have parameters, with spaces and quoted text", async () => {
  const Note = z.object({ text: z.string() });
  const definition = api("x", {
    Text: rest("POST(text/plain; charset=utf-8) /text", [z.string()], [z.string()]),
    JSON: rest("POST(application/json; charset=utf-8; v=1) /json (a, b) c, d", [z.string(), z.string()], [
      z.string(),
      z.string(),
    ]),
    Quoted: rest('POST(application/json; profile="a (b) c") /quoted', [Note], [Note]),
    Checkout: rest("VERSION-CONTROL /versions", [], [z.string()]),
  });
  const types: (string | null)[] = [];
  const functions = implement(definition, {
    Text: (text, { request }) => (types.push(request.headers.get("content-type")), text),
    JSON: (a, b) => [b, a],
    Quoted: (note, { request }) => (types.push(request.headers.get("content-type")), note),
    Checkout: ({ request }) => request.method,
  });
  const client = link(definition, "http://localhost", { fetch: handler(null, functions) });
  assertEquals(await client.Text("é"), "é");
  assertEquals(await client.JSON("a", "b"), ["b", "a"]);
  assertEquals(await client.Quoted({ text: "a" }), { text: "a" });
  assertEquals(await client.Checkout(), "VERSION-CONTROL");
  assertEquals(types, ["text/plain; charset=utf-8", 'application/json; profile="a (b) c"']);
});
