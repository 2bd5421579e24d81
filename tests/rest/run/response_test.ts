import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { chan, int64, type Platform, rest, stream, type Upgraded } from "../../../lib/rest/mod.ts";
import { request, serve } from "../../fixtures/rest/serve.ts";

const User = z.object({ id: z.string(), age: z.number().optional(), tags: z.array(z.string()).optional() });

Deno.test("handler() answers with the status the rules say", async () => {
  const run = serve({
    Nothing: rest("DELETE /x"),
    One: rest("GET /x", [], [z.string()]),
    Made: rest("POST /x", [], [z.string()], { status: 201 }),
    Gone: rest("PUT /x", [], [], { status: 202 }),
    Maybe: rest("PATCH /x", [], [User.optional()]),
  }, { Nothing: () => {}, One: () => "a", Made: () => "b", Gone: () => {}, Maybe: () => undefined });
  for (
    const [method, status] of [["DELETE", 204], ["GET", 200], ["POST", 201], ["PUT", 202], ["PATCH", 204]] as const
  ) {
    assertEquals((await run(request(method, "/x"))).status, status, method);
  }
});

Deno.test("handler() negotiates what it answers with", async () => {
  const run = serve({
    Text: rest("GET /text", [], [z.string()]),
    Json: rest("GET(application/json) /json", [], [z.string()]),
    Struct: rest("GET /struct", [], [User]),
  }, { Text: () => "a", Json: () => "a", Struct: () => ({ id: "a" }) });
  const get = async (path: string, accept?: string) => {
    const response = await run(request("GET", path, undefined, accept === undefined ? {} : { accept }));
    const body = await response.text();
    return response.ok ? [response.headers.get("content-type"), body] : response.status;
  };
  assertEquals(await get("/text"), ["text/plain;charset=UTF-8", "a"]);
  assertEquals(await get("/text", "application/json"), ["application/json", `"a"`]);
  assertEquals(await get("/text", "image/png"), 406);
  assertEquals(await get("/json"), ["application/json", `"a"`]);
  assertEquals(await get("/json", "text/plain"), 406);
  assertEquals(await get("/struct", "text/html, */*;q=0.1"), ["application/json", `{"id":"a"}`]);
});

Deno.test("handler() streams bodies in and out as they come", async () => {
  const run = serve({ Echo: rest("POST /", [stream()], [stream("application/x-tar")]) }, { Echo: (body) => body });
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const response = await run(request("POST", "/", sent.readable));
  assertEquals(response.headers.get("content-type"), "application/x-tar");
  const writer = sent.writable.getWriter();
  const reader = response.body!.getReader();
  writer.write(Uint8Array.of(1));
  assertEquals((await reader.read()).value, Uint8Array.of(1));
  writer.write(Uint8Array.of(2));
  assertEquals((await reader.read()).value, Uint8Array.of(2));
  writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("handler() sends bytes, text, a Blob and a Response for a stream", async () => {
  const results: (Uint8Array | string | Blob | Response)[] = [
    Uint8Array.of(65),
    "text",
    new Blob(["blob"], { type: "text/x" }),
    new Response("own", { status: 418, headers: { "x-own": "1" } }),
  ];
  const run = serve({ F: rest("GET /{n=%v}", [z.number()], [stream()]) }, { F: (n) => results[n] }, {
    headers: { server: "s" },
  });
  const seen = [];
  for (const n of results.keys()) {
    const response = await run(request("GET", `/${n}`));
    seen.push([
      response.status,
      response.headers.get("content-type"),
      response.headers.get("server"),
      await response.text(),
    ]);
  }
  assertEquals(seen, [
    [200, "application/octet-stream", "s", "A"],
    [200, "application/octet-stream", "s", "text"],
    [200, "text/x", "s", "blob"],
    [418, "text/plain;charset=UTF-8", "s", "own"],
  ]);
});

Deno.test("handler() answers a channel as lines of JSON, under the tag's type", async () => {
  const run = serve({
    Lines: rest("GET /lines", [], [chan(int64)]),
    Json: rest("GET(application/json) /json", [], [chan(z.object({ a: z.number() }))]),
  }, {
    async *Lines() {
      yield 2n ** 62n;
      yield 1;
    },
    async *Json() {
      yield { a: 1 };
    },
  });
  const lines = await run(request("GET", "/lines"));
  assertEquals([lines.headers.get("content-type"), await lines.text()], [
    "application/x-ndjson",
    "4611686018427387904\n1\n",
  ]);
  const json = await run(request("GET", "/json"));
  assertEquals([json.headers.get("content-type"), await json.text()], ["application/json", `{"a":1}\n`]);
});

Deno.test("handler() runs a source's return when the peer goes away", async () => {
  let ended = false;
  const run = serve({ C: rest("GET /", [], [chan(z.number())]) }, {
    async *C() {
      try {
        for (let n = 0;; n++) yield n;
      } finally {
        ended = true;
      }
    },
  });
  const reader = (await run(request("GET", "/"))).body!.getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(ended, true);
});

Deno.test("context.signal aborts with the request and with the response's body", async () => {
  const signals: AbortSignal[] = [];
  const run = serve({ F: rest("GET /", [], [stream()]) }, {
    F: (context) => {
      signals.push(context.signal);
      return new ReadableStream({ pull: (controller) => controller.enqueue(Uint8Array.of(1)) });
    },
  });
  const reader = (await run(request("GET", "/"))).body!.getReader();
  await reader.read();
  assertEquals(signals[0].aborted, false);
  await reader.cancel("enough");
  assertEquals(signals[0].aborted, true);

  const gone = new AbortController();
  const response = await run(new Request("http://h/", { signal: gone.signal }));
  gone.abort();
  assertEquals(signals[1].aborted, true);
  await response.body!.cancel();
});

Deno.test("context.signal stays quiet when the request's signal fires after the answer", async () => {
  const signals: AbortSignal[] = [];
  const run = serve({ F: rest("GET /", [], [z.string()]) }, { F: (context) => (signals.push(context.signal), "a") });
  const after = new AbortController();
  await (await run(new Request("http://h/", { signal: after.signal }))).text();
  after.abort();
  assertEquals(signals[0].aborted, false);
});

Deno.test("context.upgrade() hands the socket over and leaves the marker alone", async () => {
  const marker = new Response(null);
  const upgraded: Upgraded = { readable: new ReadableStream(), writable: new WritableStream(), response: marker };
  let init: unknown;
  const platform: Platform = { upgrade: (given) => (init = given, upgraded) };
  const run = serve({ F: rest("POST /", [], [stream()]) }, {
    F: async (context) => (await context.upgrade({ status: 200, headers: { a: "b" } })).response,
  }, { headers: { server: "s" } });
  assert(await run(request("POST", "/"), platform) === marker);
  assertEquals(init, { status: 200, headers: { a: "b" } });
  assertEquals((await run(request("POST", "/"))).status, 501);
});

Deno.test("handler() lets a result write headers", async () => {
  class Picture {
    constructor(readonly name: string) {}
    writeHeadersHTTP(headers: Headers) {
      headers.set("x-name", this.name);
    }
  }
  const run = serve({ F: rest("GET / a,b", [], [z.object({ name: z.string() }), z.object({ name: z.string() })]) }, {
    F: () => [new Picture("first"), new Picture("second")],
  });
  assertEquals((await run(request("GET", "/"))).headers.get("x-name"), "second");
});
