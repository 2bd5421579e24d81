/** The known defects of the Go original that concern routing, arguments and answers, each as a test that it is not here. */
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { api, chan, DefinitionError, handler, implement, link, rest, stream } from "../../lib/rest/mod.ts";
import { xml } from "../../lib/rest/codecs/xml.ts";
import { JSON_TYPE, request, serve } from "../fixtures/rest/serve.ts";

Deno.test("defect: a verb is a path segment of its own", async () => {
  const run = serve({ F: rest("GET /path/%v/x/%v", [z.string(), z.number()], [z.string()]) }, {
    F: (a, b) => `${a} ${b}`,
  });
  assertEquals(await (await run(request("GET", "/path/a/x/2"))).text(), "a 2");
});

Deno.test("defect: GET /users does not reach /users/{id}", async () => {
  const run = serve({ Get: rest("GET /users/{id=%v}", [z.string()], [z.string()]) }, { Get: (id) => id });
  assertEquals((await run(request("GET", "/users"))).status, 404);
  assertEquals((await run(request("GET", "/users/"))).status, 404);
});

Deno.test("defect: a remainder takes all segments there are", async () => {
  const run = serve({ Get: rest("GET /files/{path*=%v}", [z.string()], [z.string()]) }, { Get: (path) => path });
  assertEquals(await (await run(request("GET", "/files/a/b/c"))).text(), "a/b/c");
});

Deno.test("defect: %2F in a segment stays in its segment", async () => {
  const run = serve({
    One: rest("GET /a/{id=%v}", [z.string()], [z.string()]),
    Two: rest("GET /a/{id=%v}/{b=%v}", [z.string(), z.string()], [z.string()]),
  }, { One: (id) => `one ${id}`, Two: (id, b) => `two ${id} ${b}` });
  assertEquals(await (await run(request("GET", "/a/x%2Fy"))).text(), "one x/y");
  assertEquals(await (await run(request("GET", "/a/x/y"))).text(), "two x y");
});

Deno.test("defect: a list of one element is a list", async () => {
  const operations = {
    Query: rest("GET /?a=%v", [z.array(z.string())], [z.array(z.string())]),
    Body: rest("POST /", [z.array(z.string())], [z.array(z.string())]),
  };
  const run = serve(operations, { Query: (a) => a, Body: (a) => a });
  assertEquals(await (await run(request("GET", "/?a=x"))).json(), ["x"]);
  assertEquals(await (await run(request("POST", "/", `["x"]`, JSON_TYPE))).json(), ["x"]);
  const client = link(api("x", operations), "http://h", { fetch: run });
  assertEquals([await client.Query(["x"]), await client.Body(["x"])], [["x"], ["x"]]);
});

Deno.test("defect: an empty list arrives as one, wherever it stands, and one left out does not", async () => {
  const Lists = z.object({
    must: z.array(z.string()),
    may: z.array(z.int()).optional(),
    in: z.object({ must: z.array(z.string()), may: z.array(z.string()).optional() }),
    out: z.object({ must: z.array(z.string()) }).optional(),
  });
  const text = z.string();
  const definition = api("x", {
    Named: rest("GET /named?must=%v&may=%v", [z.array(text), z.array(text).optional()], [text]),
    Spread: rest("GET /spread?%v", [Lists], [text]),
    Form: rest("POST(application/x-www-form-urlencoded) /form", [Lists], [text]),
    Parts: rest("POST(multipart/form-data) /parts", [Lists], [text]),
    XML: rest("POST(application/xml) /xml", [Lists], [text]),
    JSON: rest("POST /json", [Lists], [text]),
  }, { codecs: [xml()] });
  const told = (value: unknown) => JSON.stringify(value);
  const run = handler(
    null,
    implement(definition, {
      Named: (must, may) => told([must, may ?? "none"]),
      Spread: told,
      Form: told,
      Parts: told,
      XML: told,
      JSON: told,
    }),
  );
  const client = link(definition, "http://h", { fetch: run });
  assertEquals(await client.Named([]), `[[],"none"]`);
  assertEquals(await client.Named([], []), `[[],"none"]`);
  assertEquals(await client.Named([""], ["a"]), `[[""],["a"]]`);
  const empty = { must: [], in: { must: [] } };
  for (const call of [client.Spread, client.Form, client.Parts, client.XML, client.JSON]) {
    assertEquals(JSON.parse(await call(empty)), empty);
  }
  assertEquals(JSON.parse(await client.JSON({ ...empty, may: [] })), { ...empty, may: [] });
});

Deno.test("defect: zero values arrive", async () => {
  const operations = { F: rest("GET /?a=%v&b=%v&c=%v", [z.boolean(), z.number(), z.string()], [z.string()]) };
  const run = serve(operations, { F: (...args) => JSON.stringify(args.slice(0, 3)) });
  assertEquals(await link(api("x", operations), "http://h", { fetch: run }).F(false, 0, ""), `[false,0,""]`);
});

Deno.test("defect: several arguments share a body", async () => {
  const operations = {
    List: rest("POST /list", [z.string(), z.number()], [z.string()]),
    Named: rest("POST /named (a,b)", [z.string(), z.number()], [z.string()]),
  };
  const run = serve(operations, { List: (a, b) => a + b, Named: (a, b) => a + b });
  const client = link(api("x", operations), "http://h", { fetch: run });
  assertEquals([await client.List("a", 1), await client.Named("b", 2)], ["a1", "b2"]);
});

Deno.test("defect: a response a function makes keeps its headers", async () => {
  const run = serve({ F: rest("GET /", [], [stream()]) }, {
    F: (context) => {
      context.headers.set("x-context", "1");
      return new Response("png", { status: 206, headers: { "content-type": "image/png", "x-own": "1" } });
    },
  });
  const response = await run(request("GET", "/"));
  assertEquals([response.status, response.headers.get("content-type"), response.headers.get("x-own")], [
    206,
    "image/png",
    "1",
  ]);
  assertEquals(response.headers.get("x-context"), "1");
});

Deno.test("defect: bad input is answered 400, not 500", async () => {
  const run = serve({ F: rest("POST /{n=%v}", [z.number(), z.object({ a: z.number() })]) }, { F: () => {} });
  for (
    const [path, body] of [["/x", `{"a":1}`], ["/1", "{"], ["/1", `{"a":"x"}`], ["/1", ""], ["/%E0%A4%A", `{"a":1}`]]
  ) {
    assertEquals((await run(request("POST", path, body, JSON_TYPE))).status, 400, `${path} ${body}`);
  }
});

Deno.test("defect: a channel's server-sent events go on after the first", async () => {
  const run = serve({ F: rest("GET /", [], [chan(z.number())]) }, {
    async *F() {
      yield 1;
      yield 2;
      yield 3;
    },
  });
  const text = await (await run(request("GET", "/", undefined, { accept: "text/event-stream" }))).text();
  assertEquals([...text.matchAll(/^data: (\d)$/gm)].map(([, value]) => value), ["1", "2", "3"]);
});

Deno.test("defect: headers set late still go out before the status", async () => {
  const run = serve({ F: rest("GET /", [], [z.string()], { status: 203 }) }, {
    F: async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      context.headers.set("x-late", "1");
      return "a";
    },
  });
  const response = await run(request("GET", "/"));
  assertEquals([response.status, response.headers.get("x-late")], [203, "1"]);
});

Deno.test("defect: duplicates are reported", () => {
  assertThrows(() => api("x", { A: rest("GET /a"), B: rest("GET /a") }), DefinitionError, "takes the same requests");
});
