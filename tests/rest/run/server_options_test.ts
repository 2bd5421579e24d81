import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, chan, handler, idOf, implement, link, requestID, rest, stream } from "../../../lib/rest/mod.ts";
import { request, serve } from "../../fixtures/rest/serve.ts";

const List = z.array(z.string());
const operations = {
  List: rest("GET /list", [], [List]),
  Own: rest("GET /own", [], [List]),
  Text: rest("GET /text", [], [z.string()]),
  Post: rest("POST /list", [], [List]),
  Lines: rest("GET(application/json) /lines", [], [chan(z.string())]),
  Raw: rest("GET /raw", [], [stream("application/json")]),
};
const words = Array.from({ length: 500 }, (_, i) => `word ${i}`);
const functions = {
  List: () => words,
  Own: ({ headers }: { headers: Headers }) => (headers.set("etag", '"mine"'), words),
  Text: () => "x".repeat(2000),
  Post: () => words,
  async *Lines() {
    yield "a";
  },
  Raw: () => JSON.stringify(words),
};

Deno.test("handler() with etag answers 304 to who has the same", async () => {
  const run = serve(operations, functions, { headers: { server: "s" } }, { etag: true });
  const first = await run(request("GET", "/list"));
  const tag = first.headers.get("etag") ?? "";
  assertMatch(tag, /^W\/"[0-9a-f]{32}"$/);
  assertEquals([await first.json(), first.headers.get("content-type")], [words, "application/json"]);
  for (const given of [tag, `"x", ${tag.slice(2)}`, "*"]) {
    const again = await run(request("GET", "/list", undefined, { "if-none-match": given }));
    assertEquals([again.status, await again.text(), again.headers.get("etag"), again.headers.get("server")], [
      304,
      "",
      tag,
      "s",
    ]);
  }
  assertEquals((await run(request("GET", "/list", undefined, { "if-none-match": '"x"' }))).status, 200);
  assertEquals((await run(request("GET", "/own", undefined, { "if-none-match": '"mine"' }))).status, 304);
  for (const [method, path] of [["POST", "/list"], ["GET", "/text"], ["GET", "/lines"], ["GET", "/raw"]]) {
    assertEquals((await run(request(method, path))).headers.get("etag"), null, path);
  }
});

Deno.test("handler() with compress answers as Accept-Encoding asks", async () => {
  const run = serve(operations, functions, {}, { compress: true, etag: true });
  const get = async (path: string, accepted?: string) => {
    const response = await run(request("GET", path, undefined, accepted ? { "accept-encoding": accepted } : {}));
    const encoding = response.headers.get("content-encoding");
    const body = encoding === null
      ? response.body!
      : response.body!.pipeThrough(new DecompressionStream(encoding as CompressionFormat));
    return [encoding, response.headers.get("vary"), (await new Response(body).text()).length];
  };
  const { length } = JSON.stringify(words);
  assertEquals(await get("/list", "gzip, br"), ["gzip", "accept-encoding", length]);
  assertEquals(await get("/list", "deflate;q=1, gzip;q=0.5"), ["deflate", "accept-encoding", length]);
  assertEquals(await get("/list", "*"), ["gzip", "accept-encoding", length]);
  assertEquals(await get("/list", "gzip;q=0"), [null, "accept-encoding", length]);
  assertEquals(await get("/list"), [null, "accept-encoding", length]);
  assertEquals(await get("/text", "gzip"), ["gzip", "accept, accept-encoding", 2000]);
  assertEquals(await get("/lines", "gzip"), [null, "accept", 4]);
  assertEquals(await get("/raw", "gzip"), [null, null, length]);
  const seen = await run(request("GET", "/list", undefined, { "if-none-match": "*" }));
  assertEquals([seen.status, seen.headers.get("vary")], [304, "accept-encoding"]);
  const small = serve(operations, functions, {}, { compress: { least: 100_000 } });
  const response = await small(request("GET", "/list", undefined, { "accept-encoding": "gzip" }));
  assertEquals(response.headers.get("content-encoding"), null);
});

Deno.test("handler() with compress and a client of fetch meet over a real socket", async () => {
  const definition = api("x", operations);
  const run = handler(null, implement(definition, functions), { compress: true });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => run(request));
  try {
    assertEquals(await link(definition, `http://127.0.0.1:${server.addr.port}`).List(), words);
  } finally {
    await server.shutdown();
  }
});

Deno.test("requestID() gives each request an id, and takes one over only when told to", async () => {
  const echo = serve({ F: rest("GET /", [], [z.string()]) }, { F: ({ request }) => idOf(request) ?? "" });
  const run = requestID(echo);
  const one = await run(request("GET", "/", undefined, { "x-request-id": "given" }));
  const two = await run(request("GET", "/"));
  const id = one.headers.get("x-request-id");
  assertEquals(await one.text(), id);
  assertNotEquals(id, "given");
  assertNotEquals(id, two.headers.get("x-request-id"));
  const trusting = requestID(echo, { trusted: true, header: "request-id" });
  const three = await trusting(request("GET", "/", undefined, { "request-id": "given" }));
  assertEquals([await three.text(), three.headers.get("request-id")], ["given", "given"]);
  const four = await trusting(request("GET", "/none", undefined, { "request-id": "a b" }));
  assert(four.headers.get("request-id") !== "a b" && four.status === 404);
  const foreign = requestID(() => fetch("data:text/plain,x"));
  assertEquals((await foreign(request("GET", "/"))).headers.has("x-request-id"), true);
});
