import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, type APIOptions, bytes, type Codec, int64, link, rest, stream, time } from "../../../lib/rest/mod.ts";
import { HTTPError, tooLarge } from "../../../lib/rest/error.ts";
import { collectBytes } from "../../../lib/rest/run/read_body.ts";
import { JSON_TYPE, request, serve } from "../../fixtures/rest/serve.ts";

const User = z.object({ id: z.string(), age: z.number().optional(), tags: z.array(z.string()).optional() });

Deno.test("handler() coerces path and query to the kinds of the arguments", async () => {
  const seen: unknown[][] = [];
  const run = serve({
    F: rest("GET /{a=%v}/{b=%v}?c=%v&d=%v&e=%v", [z.number(), int64, z.boolean(), time, bytes]),
  }, { F: (...args) => void seen.push(args.slice(0, 5)) });
  await run(request("GET", "/1.5/9007199254740993?c=false&d=2026-11-21T00:00:00Z&e=AQI%3D"));
  assertEquals(seen, [[1.5, 9007199254740993n, false, new Date("2026-11-21T00:00:00Z"), Uint8Array.of(1, 2)]]);
});

Deno.test("handler() names the argument that is bad, and answers 400", async () => {
  const run = serve({
    F: rest("GET /{a=%v}?b=%v", [z.number(), z.number().max(5)]),
    S: rest("GET /?%v", [z.object({ limit: z.number(), name: z.string().min(2).optional() })]),
  }, { F: () => {}, S: () => {} });
  const cases: [string, string][] = [
    ["/x?b=1", `Read "a": "x" is not a number`],
    ["/1?b=x", `Read "b": "x" is not a number`],
    ["/1?b=7", `Read "b"`],
    ["/1", `Read "b": it is missing`],
    ["/%ff?b=1", `Read "a": the percent-encoding is malformed`],
    ["/1?b=%", `Read "b": the percent-encoding is malformed`],
    ["/?name=ab", `at "limit"`],
    ["/?limit=1&name=a", `at "name"`],
  ];
  for (const [path, message] of cases) {
    const response = await run(request("GET", path));
    assertEquals([path, response.status], [path, 400]);
    assertStringIncludes((await response.json()).detail, message);
  }
});

Deno.test("handler() names the field of a form that is bad, and its text", async () => {
  const run = serve({
    F: rest("POST(application/x-www-form-urlencoded) /", [z.object({ name: z.string(), age: z.int() })]),
  }, { F: () => {} });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await run(new Request("http://h/", { method: "POST", headers, body: "name=Ann&age=forty" }));
  const words = 'Read the body as application/x-www-form-urlencoded: at "age": "forty" is not a number';
  assertEquals([response.status, (await response.json()).detail], [400, words]);
});

Deno.test("handler() spreads a struct over the query, nested and repeated", async () => {
  const Options = z.object({
    all: z.boolean().optional(),
    names: z.array(z.string()).optional(),
    sizes: z.array(z.number()).optional(),
    filters: z.record(z.string(), z.array(z.string())).optional(),
    raw: z.union([z.string(), z.boolean()]).optional(),
    page: z.object({ from: z.number().optional(), to: z.number().optional() }).optional(),
  });
  let seen: unknown;
  const run = serve({ List: rest("GET /?%v", [Options]) }, { List: (options) => void (seen = options) });
  const call = async (query: string) => {
    seen = undefined;
    await run(request("GET", `/?${query}`));
    return seen;
  };
  assertEquals(await call(""), {});
  assertEquals(await call("all=false&names=a&names[]=b&sizes=1&raw=true&unknown=1"), {
    all: false,
    names: ["a", "b"],
    sizes: [1],
    raw: "true",
  });
  assertEquals(await call(`filters=${encodeURIComponent(`{"a":["b"]}`)}&page.from=1&page.to=2`), {
    filters: { a: ["b"] },
    page: { from: 1, to: 2 },
  });
  assertEquals(await call(`page=${encodeURIComponent(`{"from":3}`)}&page.to=4`), { page: { from: 3, to: 4 } });
});

Deno.test("defect: a list in a struct that a query spells as JSON stays, though no key of its own says it", async () => {
  const Options = z.object({ in: z.object({ must: z.array(z.string()) }) });
  const run = serve({ List: rest("GET /?%v", [Options], [z.string()]) }, {
    List: (options) => JSON.stringify(options),
  });
  const ask = async (query: string) => await (await run(request("GET", `/?${query}`))).text();
  assertEquals(await ask(`in=${encodeURIComponent(`{"must":["a"]}`)}`), `{"in":{"must":["a"]}}`);
  assertEquals(await ask(""), `{"in":{"must":[]}}`);
});

Deno.test("handler() spreads a map over the query", async () => {
  const run = serve(
    { M: rest("GET /?x=%v&%v", [z.string(), z.record(z.string(), z.number())], [z.array(z.string())]) },
    {
      M: (x, map) => [x, ...Object.entries(map).map(String)],
    },
  );
  assertEquals(await (await run(request("GET", "/?a=1&x=y&b=2"))).json(), ["y", "a,1", "b,2"]);
});

Deno.test("handler() reads query keys in any case and empty ones as absent where the API says so", async () => {
  const run = serve(
    { F: rest("GET /?%v", [z.object({ Limit: z.number().optional(), all: z.boolean().optional() })], [z.string()]) },
    { F: (options) => JSON.stringify(options) },
    { query: { ignoreCase: true, emptyIsAbsent: true } },
  );
  assertEquals(await (await run(request("GET", "/?lIMIT=3&ALL="))).text(), `{"Limit":3}`);
});

Deno.test("handler() lets the path win over the body", async () => {
  const run = serve({
    Put: rest("PUT /users/{id}", [User], [User]),
    Deep: rest("PUT /deep/{a.b}", [z.object({ a: z.object({ b: z.number(), c: z.number().optional() }) })], [
      z.string(),
    ]),
  }, { Put: (user) => user, Deep: (value) => JSON.stringify(value) });
  const put = await run(request("PUT", "/users/path", `{"id":"body","age":3}`, JSON_TYPE));
  assertEquals(await put.json(), { id: "path", age: 3 });
  const deep = await run(request("PUT", "/deep/1", `{"a":{"b":9,"c":2}}`, JSON_TYPE));
  assertEquals(await deep.text(), `{"a":{"b":1,"c":2}}`);
  assertEquals((await run(request("PUT", "/users/path", `["x"]`, JSON_TYPE))).status, 400);
});

Deno.test("handler() reads bodies by content type", async () => {
  const run = serve({
    Struct: rest("POST /struct", [User], [User]),
    Form: rest("POST(application/x-www-form-urlencoded) /form", [User], [User]),
    Text: rest("POST /text", [z.string()], [z.string()]),
    Number: rest("POST /number", [z.number()], [z.number()]),
    Optional: rest("POST /optional", [User.optional()], [z.string()]),
  }, {
    Struct: (user) => user,
    Form: (user) => user,
    Text: (text) => text,
    Number: (n) => n,
    Optional: (user) => user?.id ?? "nobody",
  });
  const post = async (path: string, body: string | undefined, type: string) => {
    const sent = new Request(`http://h${path}`, {
      method: "POST",
      body,
      headers: type === "" ? {} : { "content-type": type },
    });
    const response = await run(sent);
    return [response.status, response.ok ? await response.text() : (await response.body?.cancel(), "")];
  };
  const user = `{"id":"a","tags":["b"]}`;
  assertEquals(await post("/struct", user, "application/json"), [200, user]);
  assertEquals(await post("/struct", user, "application/vnd.x+json; charset=utf-8"), [200, user]);
  assertEquals(await post("/form", "id=a&tags=b", "application/x-www-form-urlencoded"), [200, user]);
  assertEquals(await post("/form", user, "application/json"), [200, user]);
  // Only a tag lets forms in, as a page of another site can send them without asking.
  assertEquals(await post("/struct", "id=a&tags=b", "application/x-www-form-urlencoded"), [415, ""]);
  assertEquals(await post("/struct", "--b--", "multipart/form-data; boundary=b"), [415, ""]);
  assertEquals(await post("/struct", user, "text/plain"), [415, ""]);
  assertEquals(await post("/struct", user, "image/png"), [415, ""]);
  assertEquals(await post("/struct", "{", "application/json"), [400, ""]);
  assertEquals(await post("/struct", undefined, ""), [400, ""]);
  assertEquals(await post("/text", "plain", "text/plain"), [200, "plain"]);
  assertEquals(await post("/text", `"quoted"`, "application/json"), [200, "quoted"]);
  assertEquals(await post("/number", "4", "text/plain"), [200, "4"]);
  assertEquals(await post("/number", "four", "text/plain"), [400, ""]);
  assertEquals(await post("/optional", undefined, ""), [200, "nobody"]);
  assertEquals(await post("/optional", "", "application/json"), [200, "nobody"]);
});

Deno.test("handler() ignores Content-Type and Accept where the body is as tagged", async () => {
  const run = serve({ F: rest("POST /", [User], [User], { body: "as-tagged" }) }, { F: (user) => user });
  const response = await run(request("POST", "/", `{"id":"a"}`, { "content-type": "image/png", accept: "image/png" }));
  assertEquals([response.status, await response.text()], [200, `{"id":"a"}`]);
});

Deno.test("handler() bounds bodies", async () => {
  const run = serve({
    Small: rest("POST /small", [z.string()], [z.number()], { limit: 10 }),
    Api: rest("POST /api", [z.string()], [z.number()]),
    Stream: rest("POST /stream", [stream()], [z.number()], { limit: 10 }),
    Free: rest("POST /free", [stream()], [z.number()]),
  }, {
    Small: (text) => text.length,
    Api: (text) => text.length,
    Stream: async (body) => (await new Response(body).arrayBuffer()).byteLength,
    Free: async (body) => (await new Response(body).arrayBuffer()).byteLength,
  }, { limit: 20 });
  const unsized = (size: number) => new Blob(["x".repeat(size)]).stream();
  const post = async (path: string, body: BodyInit, headers: HeadersInit = {}) => {
    const response = await run(request("POST", path, body, { "content-type": "text/plain", ...headers }));
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await post("/small", "x".repeat(10)), await post("/small", "x".repeat(11))], [200, 413]);
  assertEquals([await post("/api", unsized(20)), await post("/api", unsized(21))], [200, 413]);
  assertEquals([await post("/stream", unsized(10)), await post("/stream", unsized(11))], [200, 413]);
  assertEquals(await post("/free", unsized(100000)), 200);
  // Letting go of it may fail: a coding that ends too early says so then.
  const stubborn = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(8)),
    cancel: () => Promise.reject(new TypeError("corrupt gzip stream")),
  });
  assertEquals(await post("/small", stubborn), 413);
  assertEquals(await post("/small", "x", { "content-length": "11" }), 413);
  // Where the runtime is trusted to bound them, the limit still holds.
  for (const [size, status] of [[10, 200], [11, 413]]) {
    const sent = request("POST", "/small", "x".repeat(size), { "content-type": "text/plain" });
    assertEquals((await run(sent, { boundedBodies: true })).status, status);
  }
});

Deno.test("handler() bounds streams: by the operation, by the API, else by 1 GiB", async () => {
  const read = async (body: ReadableStream<Uint8Array>) => (await new Response(body).arrayBuffer()).byteLength;
  const operations = { Stream: rest("POST /", [stream()], [z.number()]) };
  const unsized = () => new Blob(["x".repeat(11)]).stream();
  const status = async (options: APIOptions, body: BodyInit, headers: HeadersInit = {}) => {
    const response = await serve(operations, { Stream: read }, options)(request("POST", "/", body, headers));
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await status({ streamLimit: 11 }, unsized()), 200);
  assertEquals(await status({ streamLimit: 10 }, unsized()), 413);
  assertEquals(await status({ limit: 10 }, unsized()), 200);
  assertEquals(await status({}, "x", { "content-length": String(2 ** 30) }), 200);
  assertEquals(await status({}, "x", { "content-length": String(2 ** 30 + 1) }), 413);
  assertEquals(await status({ streamLimit: Infinity }, "x", { "content-length": String(2 ** 40) }), 200);
});

Deno.test("handler() refuses a body that is not UTF-8", async () => {
  const run = serve({ F: rest("POST /", [z.string()], [z.string()]) }, { F: (text) => text });
  const post = async (body: Uint8Array<ArrayBuffer>, headers: HeadersInit) => {
    const response = await run(request("POST", "/", body, { "content-type": "text/plain", ...headers }));
    return response.ok ? await response.text() : (await response.body?.cancel(), response.status);
  };
  for (const bad of [[0xff, 0xfe], [0x61, 0xc3], [0xe2, 0x82, 0x41]]) {
    const body = Uint8Array.from(bad);
    assertEquals([await post(body, {}), await post(body, { "content-length": String(body.length) })], [400, 400]);
  }
  // A replacement character that was sent as one is a character like any other.
  const sent = new TextEncoder().encode("a\ufffd€");
  const length = { "content-length": String(sent.length) };
  assertEquals([await post(sent, {}), await post(sent, length)], ["a\ufffd€", "a\ufffd€"]);
});

Deno.test("handler() names arguments and results in JSON by their rules", async () => {
  const run = serve({
    F: rest("POST /f/{x=%v} (a,b) c,d", [z.string(), z.number(), int64], [z.string(), z.number()]),
    G: rest("POST /g e", [z.string(), z.number()], [z.array(z.string())]),
    H: rest("POST /h", [z.string(), z.number()], [z.number(), z.string()]),
  }, { F: (x, a, b) => [x + b, a], G: (a, b) => [a, String(b)], H: (a, b) => [b, a] });
  const post = async (path: string, body: string) => await (await run(request("POST", path, body, JSON_TYPE))).text();
  assertEquals(await post("/f/x", `{"a":1,"b":9007199254740993}`), `{"c":"x9007199254740993","d":1}`);
  assertEquals(await post("/g", `["a",2]`), `{"e":["a","2"]}`);
  assertEquals(await post("/h", `["a",2]`), `[2,"a"]`);
});

Deno.test("handler() never rejects, whatever the request", async () => {
  const run = serve({
    F: rest("POST /{a=%v}/{b*=%v}?c=%v&%v", [
      z.number(),
      z.string(),
      z.array(z.bigint()),
      z.object({ d: z.boolean() }),
      User,
    ]),
  }, { F: () => {} });
  const pieces = ["/", "1", "a", "%", "%zz", "%2F", "?", "c=", "&", "d=true", "é", "..", "\\", "[]", "=", "#", " "];
  const bodies = ["", "{}", "[", `{"id":"x"}`, "null", "\0", "9".repeat(400)];
  let seed = 11;
  const next = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 3000; i++) {
    const path = "/" + Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join("");
    const type = ["application/json", "text/plain", "application/x-www-form-urlencoded", "x", ""][next(5)];
    const sent = request("POST", path, bodies[next(bodies.length)], type === "" ? {} : { "content-type": type });
    const response = await run(sent);
    assert(response.status < 500, `${sent.url} ${response.status}`);
    await response.body?.cancel();
  }
});

Deno.test("handler() and link() carry bodies with an API's own codec", async () => {
  const lines: Codec = {
    type: "text/x-lines",
    carries: (kind) => kind.type === "list",
    encode: (value) => (value as string[]).join("\n"),
    decode: (body) => body.split("\n"),
  };
  const operations = { F: rest("POST(text/x-lines) /", [z.array(z.string())], [z.array(z.string())]) };
  const run = serve(operations, { F: (list) => list.toReversed() }, { codecs: [lines] });
  const response = await run(request("POST", "/", "a\nb", { "content-type": "text/x-lines" }));
  assertEquals(await response.json(), ["b", "a"]);
  assertEquals(await link(api("x", operations, { codecs: [lines] }), "http://h", { fetch: run }).F(["x", "y"]), [
    "y",
    "x",
  ]);
});

Deno.test("defect: long numbers and content types are read in a time that grows with their length", async () => {
  const run = serve({
    Query: rest("GET /n?n=%v", [z.number()], [z.number()]),
    Body: rest("POST /n", [z.number()], [z.number()]),
  }, { Query: (n) => n, Body: (n) => n });
  const started = performance.now();
  const digits = "1".repeat(100_000) + "e";
  assertEquals((await run(request("GET", `/n?n=${digits}`))).status, 400);
  const text = { "content-type": "text/plain" };
  assertEquals((await run(request("POST", "/n", "1".repeat(4_000_000) + "e", text))).status, 400);
  const type = { "content-type": "a/" + "+jsonx".repeat(20_000) };
  assertEquals((await run(request("POST", "/n", "1", type))).status, 415);
  // Each of them took longer by itself.
  assert(performance.now() - started < 4000);
});

Deno.test("collectBytes() puts pieces of a byte each together as they come, and takes no copy of a single one", async () => {
  const pieces = (count: number) =>
    ReadableStream.from((function* () {
      for (let at = 0; at < count; at++) yield Uint8Array.of(at % 251);
    })());
  const whole = await collectBytes({ body: pieces(5000) }, 5000, tooLarge);
  assertEquals(whole, Uint8Array.from({ length: 5000 }, (_, at) => at % 251));
  assert(whole.buffer.byteLength <= 2 * 5000, "no more than twice the body is held");
  await assertRejects(() => collectBytes({ body: pieces(5001) }, 5000, tooLarge), HTTPError, "5000 bytes");
  const single = new Uint8Array(9);
  assert((await collectBytes({ body: ReadableStream.from([single]) }, 9, tooLarge)).buffer === single.buffer);
  assertEquals(await collectBytes({ body: null }, 9, tooLarge), new Uint8Array());
});
