/** The small entries: what they carry alone, what they refuse, and what parts add. */
import { assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import * as client from "../../lib/rest/client.ts";
import { DefinitionError, handler as checkedHandler } from "../../lib/rest/mod.ts";
import * as server from "../../lib/rest/server.ts";

const { api, rest } = server;
const User = z.object({ id: z.string(), age: z.number().optional() });
const definition = api("x", {
  Get: rest("GET /users/{id=%v}?age=%v", [z.string(), z.number().optional()], [User]),
  Put: rest("PUT /users/{id}", [User], [User]),
  Text: rest("GET /text/{path*=%v}", [z.string()], [z.boolean()]),
  Pair: rest("POST /pair (a,b) c,d", [z.string(), z.number()], [z.string(), z.number()]),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [User], [z.string()]),
  Big: rest("GET(application/json) /big", [], [server.int64]),
  Watch: rest("GET /watch", [], [server.chan(z.number())]),
  Raw: rest("GET /raw", [], [server.stream()]),
});
const implementation = server.implement(definition, {
  Get: (id, age) => ({ id, age }),
  Put: (user) => user,
  Text: (path) => path === "a/b",
  Pair: (a, b) => [a, b],
  Form: ({ id }) => id,
  Big: () => 2n ** 63n - 1n,
  async *Watch() {
    yield 1;
  },
  Raw: () => "raw",
});

Deno.test("handler() and link() of the small entries carry JSON and text", async () => {
  const linked = client.link(definition, "http://h", { fetch: server.handler(null, implementation) });
  assertEquals(await linked.Get("a/b", 7), { id: "a/b", age: 7 });
  assertEquals(await linked.Put({ id: "a" }), { id: "a" });
  assertEquals(await linked.Text("a/b"), true);
  assertEquals(await linked.Pair("x", 1.5), ["x", 1.5]);
  const thrown = await assertRejects(() => linked.Get("a", "x" as unknown as number), client.HTTPError);
  assertEquals(thrown.status, 400);
});

Deno.test("handler() and link() of the small entries say what they do not carry", async () => {
  const run = server.handler(null, implementation);
  const linked = client.link(definition, "http://h", { fetch: run });
  await assertRejects(() => linked.Form({ id: "a" }), TypeError, "no codec");
  await assertRejects(() => linked.Watch(), TypeError, "no channels");
  const body = new URLSearchParams({ id: "a" });
  assertEquals((await run(new Request("http://h/form", { method: "POST", body }))).status, 415);
  for (const path of ["/big", "/watch", "/raw"]) {
    const errors: unknown[] = [];
    const telling = server.handler(null, implementation, { onError: (error) => errors.push(error) });
    assertEquals((await telling(new Request(`http://h${path}`))).status, 500, path);
    assertInstanceOf(errors[0], TypeError);
  }
});

Deno.test("handlerWith() and linkWith() carry what their parts do", async () => {
  const run = server.handlerWith(
    {
      router: server.trieRouter,
      codecs: [server.form, server.exactJSON],
      streams: server.streams,
      channel: server.writeChannel,
      finish: [server.etag],
    },
    null,
    implementation,
  );
  const parts = { codecs: [client.form, client.exactJSON], channel: client.readChannel };
  const linked = client.linkWith(parts, definition, "http://h", { fetch: run });
  assertEquals(await linked.Form({ id: "é&" }), "é&");
  assertEquals(await linked.Big(), 2n ** 63n - 1n);
  assertEquals(await new Response(await linked.Raw()).text(), "raw");
  for await (const value of await linked.Watch()) assertEquals(value, 1);
  assertEquals((await run(new Request("http://h/users/a"))).headers.has("etag"), true);
});

Deno.test("api() of the small entries trusts the definition, which the full handler() checks", () => {
  const bad = api("x", {
    Twice: rest("GET /a", [], [z.string()]),
    Again: rest("GET /a", [], [z.string()]),
    Body: rest("GET /b", [z.string()]),
  });
  server.handler(null, server.implementPart(bad, {}));
  const thrown = assertThrows(() => checkedHandler(null, server.implementPart(bad, {})), DefinitionError);
  assertEquals(thrown.problems.length, 2);
  assertStringIncludes(thrown.message, "GET has no body");
  assertThrows(() => api("x", { F: rest("nonsense" as string) }), SyntaxError);
});

Deno.test("apiWith() spreads queries and tells bigint within objects by its parts, without which api() or the full handler() says so", async () => {
  const Page = z.object({ from: z.number(), tags: z.array(z.string()), more: z.object({ deep: z.boolean() }) });
  const Texts = z.record(z.string(), z.string());
  const spread = { Read: rest("GET /read?%v", [Page], [Page]), Any: rest("GET /any?a=b&%v", [Texts], [Texts]) };
  for (const { api } of [server, client]) {
    assertThrows(() => api("x", spread), TypeError, 'Define "Read": it takes the part spreadQuery');
  }
  const pages = client.apiWith({ spread: client.spreadQuery }, "x", spread);
  const functions = server.implement(pages, { Read: (page) => page, Any: (texts) => texts });
  assertThrows(() => server.handler(null, functions), TypeError, 'Define "Any": it takes the part patternRouter');
  const run = server.handlerWith({ router: server.patternRouter }, null, functions);
  const linked = client.link(pages, "http://h", { fetch: run });
  const page = { from: 2, tags: ["a", "b"], more: { deep: true } };
  assertEquals(await linked.Read(page), page);
  assertEquals(await linked.Read({ ...page, tags: [] }), { ...page, tags: [] });
  assertEquals(await linked.Any({ c: "d&" }), { c: "d&" });
  assertEquals((await run(new Request("http://h/read?from=x"))).status, 400);

  const Big = z.object({ n: z.bigint() });
  const bigs = { Next: rest("POST /next", [Big], [Big]) };
  const exact = client.apiWith({ kinds: client.exactKinds }, "x", bigs);
  const next = (definition: typeof exact) => server.implement(definition, { Next: ({ n }) => ({ n: n + 1n }) });
  const codecs = [client.exactJSON];
  const call = client.linkWith({ codecs }, exact, "http://h", {
    fetch: server.handlerWith({ codecs }, null, next(exact)),
  });
  assertEquals(await call.Next({ n: 2n ** 60n }), { n: 2n ** 60n + 1n });
  checkedHandler(null, next(exact));
  assertThrows(() => api("x", bigs), TypeError, 'Define "Next": it takes the part exactKinds');
  // The JSON Schema of other libraries than zod may say nothing of it.
  const untold = { ...api("x", { Next: rest("POST /next", [z.any()], [z.any()]) }), operations: bigs };
  const told = { definition: untold, functions: { Next: () => {} } };
  assertThrows(() => checkedHandler(null, told), DefinitionError, 'Define "Next": bigint, Date and bytes');
});

Deno.test("handler() of the small entries routes plain paths, the most specific first, and names the part for others", async () => {
  const texts = [z.string()] as const;
  const plain = api("x", {
    Rest: rest("GET /a/{rest*=%v}", texts, texts),
    Tail: rest("GET /a/{rest*=%v}/b", texts, texts),
    One: rest("GET /a/{one=%v}", texts, texts),
    Word: rest("GET /a/word.x", [], texts),
    Dot: rest("GET /{dot=%v}/x", texts, texts),
  });
  const name = (kind: string) => (text: string) => `${kind} ${text}`;
  const run = server.handler(
    null,
    server.implement(plain, {
      Rest: name("rest"),
      Tail: name("tail"),
      One: name("one"),
      Word: () => "word",
      Dot: name("dot"),
    }),
  );
  const found = async (path: string) => await (await run(new Request(`http://h${path}`))).text();
  assertEquals(await found("/a/word.x"), "word");
  assertEquals(await found("/a/wordxx"), "one wordxx");
  assertEquals(await found("/a/c/d%2Fe"), "rest c/d/e");
  assertEquals(await found("/a/c/d/b"), "tail c/d");
  assertEquals(await found("/a/x"), "one x");
  assertEquals(await found("/b%20c/x"), "dot b c");
  const one = { definition: plain, functions: {} };
  const others = {
    Partial: rest("GET /{id=%v}.json", texts),
    Twice: rest("GET /{a*=%v}/x/{b*=%v}", [...texts, ...texts]),
    Constant: rest("GET /a?b=c"),
    Present: rest("GET /a", [], [], { present: ["b"] }),
  };
  for (const [name, operation] of Object.entries(others)) {
    const definition = api("x", { [name]: operation });
    assertThrows(
      () => server.handler(null, { ...one, definition }),
      TypeError,
      `Define "${name}": it takes the part patternRouter`,
    );
    server.handlerWith({ router: server.patternRouter }, null, { ...one, definition });
  }
  for (const options of [{ versioned: true }, { aliases: { a: ["b"] } }]) {
    const definition = api("x", { One: rest("GET /a") }, options);
    assertThrows(() => server.handler(null, { ...one, definition }), TypeError, "trieRouter for versions and aliases");
  }
  // Without the part that negotiates, an answer has the type of its tag.
  const headers = { accept: "application/json" };
  assertEquals(await (await run(new Request("http://h/a/word.x", { headers }))).text(), "word");
  const negotiating = server.handlerWith(
    { negotiate: server.negotiation, exactness: server.exactness },
    null,
    server.implementPart(plain, { Word: () => "word" }),
  );
  const response = await negotiating(new Request("http://h/a/word.x", { headers }));
  assertEquals([response.headers.get("vary"), await response.text()], ["accept", '"word"']);
});

Deno.test("api() of the small entries names the part for types that hold themselves, intersections and unions", () => {
  const Tree: z.ZodType = z.object({
    get children() {
      return z.array(Tree);
    },
  });
  const both = z.intersection(z.record(z.string(), z.string()), z.object({ b: z.string() }));
  const either = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]);
  const scalar = z.union([z.number(), z.boolean()]);
  for (const schema of [Tree, both, either, scalar, z.object({ inner: z.array(either) })]) {
    const operations = { Put: rest("PUT /a", [schema]) };
    assertThrows(
      () => api("x", operations),
      TypeError,
      'Define "Put": it takes the part exactKinds',
    );
    server.apiWith({ kinds: server.exactKinds }, "x", operations);
  }
  // No unions, as far as kinds go.
  const words = z.union([z.literal("a"), z.literal("b")]);
  const plain = z.object({
    a: z.string().nullish(),
    b: z.object({ c: z.int() }).nullable(),
    c: z.enum(["a", "b"]),
    words,
  });
  api("x", { Put: rest("PUT /{words=%v}", [words, plain]) });
});
