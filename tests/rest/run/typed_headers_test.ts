/** Arguments and results that a tag places in headers and cookies. */
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  chan,
  type ClientFunction,
  DefinitionError,
  failureOf,
  handler,
  HTTPError,
  implement,
  int64,
  link,
  outcomeOf,
  rest,
  stream,
  time,
} from "../../../lib/rest/mod.ts";
import { serve as serveOperations } from "../../fixtures/rest/serve.ts";

const Note = z.object({ text: z.string() });
const shop = api("shop.example.com", {
  List: rest("GET /items?limit=%v (X-Tenant:,X-Since:) *,X-Total:,X-At:", [z.int(), z.string(), time], [
    z.array(Note),
    int64,
    time,
  ]),
  Put: rest("PUT /items/{id=%v} (*,If-Match:) ETag:", [z.string(), Note, z.string().optional()], [z.string()]),
  Named: rest("POST /named (text,X-Pages:,stars) text,X-Stars:,pages", [z.string(), z.int(), z.int()], [
    z.string(),
    z.int(),
    z.int(),
  ]),
  SignIn: rest("POST /session (name) *,Set-Cookie:sid,Set-Cookie:theme !401", [z.string()], [
    z.string(),
    z.string(),
    z.string().nullable().optional(),
  ], { cookies: { theme: { httpOnly: false, maxAge: 60, sameSite: "Strict" } } }),
  Me: rest("GET /me (Cookie:sid,Cookie:visits)", [z.string(), z.int().optional()], [z.string()]),
  File: rest("GET /file *,X-Sum:", [], [stream("text/plain"), z.string()]),
});
const at = new Date(Date.UTC(2030, 0, 1));
const serve = handler(
  null,
  implement(shop, {
    List: (limit, tenant, since) => [[{ text: `${tenant} ${limit} ${since.toISOString()}` }], 2n ** 60n, at],
    Put: (id, { text }, match) => `"${id} ${text} ${match}"`,
    Named: async (text, pages, stars) => [text, await Promise.resolve(stars), pages],
    SignIn(name) {
      if (name === "nobody") return failureOf(401, "Sign in: nobody is known");
      return [`hello ${name}`, `${name};=1 %`, name === "ann" ? "dark" : null];
    },
    Me: (sid, visits) => `${sid} ${visits}`,
    File: () => ["text", "abc"],
  }),
);
const client = link(shop, "http://localhost", { fetch: serve });
const call = (method: string, path: string, headers: HeadersInit = {}, body?: BodyInit) =>
  serve(new Request(`http://localhost${path}`, { method, headers, body }));
const JSON_BODY = { "content-type": "application/json" };

Deno.test("headers are arguments and results, beside a query, a whole body, named fields and streams", async () => {
  assertEquals(await client.List(7, "ann", at), [[{ text: "ann 7 2030-01-01T00:00:00.000Z" }], 2n ** 60n, at]);
  assertEquals(await client.Put("1", { text: "milk" }, '"v1"'), '"1 milk "v1""');
  assertEquals(await client.Put("1", { text: "milk" }), '"1 milk undefined"');
  assertEquals(await client.Named("a", 3, 5), ["a", 5, 3]);
  const [body, sum] = await client.File();
  assertEquals([await new Response(body).text(), sum], ["text", "abc"]);
});

Deno.test("headers travel as the tag says", async () => {
  const listed = await call("GET", "/items?limit=7", { "x-tenant": "ann", "x-since": "2030-01-01T00:00:00Z" });
  assertEquals([listed.headers.get("x-total"), listed.headers.get("x-at")], [
    "1152921504606846976",
    "2030-01-01T00:00:00.000Z",
  ]);
  assertEquals(await listed.json(), [{ text: "ann 7 2030-01-01T00:00:00.000Z" }]);
  const put = await call("PUT", "/items/1", { ...JSON_BODY, "if-match": "v" }, '{"text":"x"}');
  assertEquals([put.status, put.headers.get("etag"), await put.text()], [204, '"1 x v"', ""]);
  const named = await call("POST", "/named", { ...JSON_BODY, "x-pages": "3" }, '{"text":"a","stars":5}');
  assertEquals([named.headers.get("x-stars"), await named.json()], ["5", { text: "a", pages: 3 }]);
});

Deno.test("a header that is missing or wrong is answered 400, by its name", async () => {
  const detail = async (headers: HeadersInit) => {
    const response = await call("GET", "/items?limit=7", headers);
    return [response.status, (await response.json()).detail];
  };
  assertEquals(await detail({ "x-tenant": "ann", "x-since": "yesterday" }), [
    400,
    'Read "X-Since:": it is not a time in the form of RFC 3339',
  ]);
  const [status, text] = await detail({ "x-since": "2030-01-01T00:00:00Z" });
  assertEquals(status, 400);
  assertStringIncludes(String(text), 'Read "X-Tenant:": it is missing');
});

Deno.test("link() refuses a header's value that would not arrive, and a server answers 500", async () => {
  for (const value of ["a\r\nset-cookie: b=c", "é", " a", "a\u0000"]) {
    await assertRejects(() => client.List(1, value, at), TypeError, 'Write the header "X-Tenant:"');
    const run = serveOperations({ F: rest("GET /f X-A:", [], [z.string()]) }, { F: () => value }, {}, { onError() {} });
    assertEquals((await run(new Request("http://h/f"))).status, 500, JSON.stringify(value));
  }
});

Deno.test("cookies are set with safe attributes, and come back", async () => {
  const response = await call("POST", "/session", JSON_BODY, '{"name":"ann"}');
  assertEquals(response.headers.getSetCookie(), [
    "sid=ann%3B=1%20%25; Path=/; HttpOnly; Secure; SameSite=Lax",
    "theme=dark; Max-Age=60; Path=/; Secure; SameSite=Strict",
  ]);
  assertEquals(await response.text(), "hello ann");
  assertEquals(await client.SignIn("ann"), ["hello ann", "ann;=1 %", "dark"]);
  assertEquals(await client.SignIn("bob"), ["hello bob", "bob;=1 %", undefined]);
  assertEquals(
    (await call("POST", "/session", JSON_BODY, '{"name":"bob"}')).headers.getSetCookie()[1],
    [
      "theme=; Max-Age=0; Path=/; Secure; SameSite=Strict",
    ][0],
  );
  assertEquals((await outcomeOf(client.SignIn("nobody"))).status, 401);
  assertEquals(await client.Me("ann;=1 %", 7), "ann;=1 % 7");
});

Deno.test("cookies are read strictly: odd pairs are no cookies, and a name that comes twice is refused", async () => {
  const me = async (cookie: string) => {
    const response = await call("GET", "/me", { cookie });
    return [response.status, await response.text()];
  };
  assertEquals(await me('a="odd, value"; sid=1; visits=7; =x; b c=1'), [200, "1 7"]);
  assertEquals(await me('sid="1"'), [200, "1 undefined"]);
  for (const cookie of ["", "sid", "sid =1", "sid=a b", "sid=a,b", "sid=%zz", "SID=1", "x=1;sid=2", 'sid="1']) {
    const [status, text] = await me(cookie);
    assertEquals(status, 400, cookie);
    assertStringIncludes(String(text), 'Read \\"Cookie:sid\\": it is missing', cookie);
  }
  assertStringIncludes((await me("sid=1; sid=2")).join(), "400,");
  assertStringIncludes((await me("sid=1; sid=2")).join(), "the cookie is sent twice");
  assertStringIncludes((await me("sid=1; visits=many")).join(), 'Read \\"Cookie:visits\\": it is not a number');
});

Deno.test("the cookies of a request are bounded", async () => {
  assertEquals((await call("GET", "/me", { cookie: `sid=1; a=${"x".repeat(16_384)}` })).status, 431);
  assertEquals((await call("GET", "/me", { cookie: `sid=1${"; a=1".repeat(256)}` })).status, 431);
  assertEquals((await call("GET", "/me", { cookie: `sid=1${"; a=1".repeat(255)}` })).status, 200);
  const long = `${"a=1;".repeat(4000)}sid=1`;
  assertEquals((await call("GET", "/me", { cookie: long })).status, 400);
});

Deno.test("a call's own headers go over its arguments, and a proxy passes declared headers and cookies on", async () => {
  assertEquals((await client.List(1, "ann", at, { headers: { "x-tenant": "bob" } }))[0][0].text.slice(0, 3), "bob");
  const proxied = link(shop, "http://localhost", { fetch: handler(null, client) });
  assertEquals(await proxied.List(7, "ann", at), await client.List(7, "ann", at));
  assertEquals(await proxied.Me("s", 1), "s 1");
});

Deno.test("link() tells which result of a header does not fit, and takes a cookie that a browser keeps", async () => {
  const answering = (headers: HeadersInit, body: string) =>
    link(shop, "http://localhost", {
      fetch: () => Promise.resolve(new Response(body, { headers: { ...JSON_BODY, ...headers } })),
    });
  const error = await assertRejects(() => answering({ "x-total": "many" }, "[]").List(1, "a", at), HTTPError);
  assertEquals([error.status, error.message], [502, 'Read the result "X-Total:" of "List": expected an integer']);
  const missing = await assertRejects(() => answering({ "x-total": "1" }, "[]").List(1, "a", at), HTTPError);
  assertEquals(missing.status, 502);
  assertEquals(await answering({}, '"hello"').SignIn("ann"), ["hello", undefined, undefined]);
});

Deno.test("rules of headers that do not fit are refused with the definition", () => {
  const s = z.string();
  const cookies = { sid: {} };
  const Set = "Set-Cookie:sid";
  for (
    const [tag, args, results, part, options] of [
      ["GET / (Cookie:)", [s], [], '"Cookie:" is no argument: a cookie is Cookie:name'],
      ["GET / (Set-Cookie:a)", [s], [], '"Set-Cookie:a" is no argument: a cookie is Cookie:name'],
      ["GET / Cookie:a", [], [s], '"Cookie:a" is no result: a cookie is Set-Cookie:name'],
      ["GET / (X-A:b)", [s], [], '"X-A:b" is neither a header, as in X-A:, nor a cookie'],
      ["GET / (X[A:)", [s], [], '"X[A:" is not the name of a header'],
      ["GET / (Content-Length:)", [s], [], 'the header "Content-Length" is not an operation\'s to set'],
      ["GET / (X-A:,x-a:)", [s, s], [], '"x-a:" stands twice'],
      ["GET / (X-A:)", [z.array(s)], [], '"X-A:" takes a single value, but argument 1 is a list'],
      ["GET / X-A:", [], [Note], '"X-A:" takes a single value, but result 1 is a struct'],
      ["POST / (*,a,X-A:)", [s, s, s], [], '"*" is the whole body: "*,a" has more in it'],
      ["GET / (X-A:)", [s, s], [], "1 argument rules for 2 arguments"],
      ["GET / *,X-A:", [], [s], "2 result rules for 1 results"],
      ["GET / *,X-A:", [], [chan(s), s], "a channel has no headers"],
      ["GET / (*,X-A:)", [s, s], [], "GET has no body: argument 1"],
      ["GET /", [], [], 'no result sets the cookie "sid"', { cookies }],
      [`GET / ${Set}`, [], [s], 'Write the cookie "sid": it has to be secure', {
        cookies: { sid: { sameSite: "None", secure: false } },
      }],
    ] as [string, z.ZodType[], z.ZodType[], string, Record<string, unknown>?][]
  ) {
    const [problem] = assertThrows(() => api("x", { F: rest(tag, args, results, options) }), DefinitionError).problems;
    assertStringIncludes(problem, part, tag);
  }
});

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function same<A, B>(_: Same<A, B>): void {}

Deno.test("cookies may be undefined where a browser keeps them, by their types", () => {
  type Of<K extends keyof typeof shop.operations> = ClientFunction<(typeof shop.operations)[K]>;
  same<Parameters<Of<"Me">>[0], string | undefined>(true);
  same<Awaited<ReturnType<Of<"SignIn">>>, [string, string | undefined, string | null | undefined]>(true);
  same<Parameters<Of<"List">>[1], string>(true);
  same<Awaited<ReturnType<Of<"List">>>, [{ text: string }[], bigint, Date]>(true);
  // @ts-expect-error a word for each argument
  assertThrows(() => api("x", { F: rest("GET / (X-A:)", [z.string(), z.string()]) }), DefinitionError);
  assert(shop.plans.length > 0);
});
