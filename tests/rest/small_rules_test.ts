/** Small rules, each found broken once. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { api, DefinitionError, int64, rest, time } from "../../lib/rest/mod.ts";
import { xml } from "../../lib/rest/codecs/xml.ts";
import { JSON_TYPE, request, serve } from "../fixtures/rest/serve.ts";

Deno.test("handler() compresses no more than Accept-Encoding likes", async () => {
  const run = serve({ F: rest("GET /", [], [z.string()]) }, { F: () => "x".repeat(5000) }, {}, { compress: true });
  const coding = async (accepted: string) =>
    (await run(request("GET", "/", undefined, { "accept-encoding": accepted }))).headers.get("content-encoding");
  assertEquals(await coding("gzip;q=0.1, identity"), null);
  assertEquals(await coding("identity;q=0.1, gzip"), "gzip");
  assertEquals(await coding("gzip, identity"), "gzip");
});

Deno.test("time takes no day that its month does not have", async () => {
  const run = serve({ F: rest("GET /?at=%v", [time], [time]) }, { F: (at) => at });
  const status = async (day: string) => (await run(request("GET", `/?at=${day}T00:00:00Z`))).status;
  for (const day of ["2026-02-30", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"]) {
    assertEquals(await status(day), 400, day);
  }
  for (const day of ["2028-02-29", "2026-12-31", "0001-01-01"]) assertEquals(await status(day), 200, day);
});

Deno.test("handler() gives no function a path with a dot segment behind an encoded slash", async () => {
  const text = z.string();
  const run = serve({
    F: rest("GET /files/{path*=%v}", [text], [text]),
    G: rest("GET /one/{name=%v}", [text], [text]),
  }, { F: (path) => path, G: (name) => name });
  for (const path of ["files/a/..%2fb", ..."..%2Fetc a%2f.. a%2f.%2fb ..%5cx a%5c..".split(" ")]) {
    for (const place of path.startsWith("files") ? [""] : ["files/", "one/"]) {
      assertEquals((await run(request("GET", `/${place}${path}`))).status, 400, place + path);
    }
  }
  for (const [path, value] of [["a%2Fb", "a/b"], ["a..%2Fb", "a../b"], ["%2e%2e.x%2Fb", "...x/b"], ["a%5cb", "a\\b"]]) {
    for (const place of ["files", "one"]) {
      assertEquals(await (await run(request("GET", `/${place}/${path}`))).text(), value);
    }
  }
});

Deno.test("api() refuses versions of an API whose paths have none", () => {
  const operations = { F: rest("GET /", [], [], { versions: "<4" }) };
  assertThrows(() => api("x", operations), DefinitionError, "never count");
  assertEquals(api("x", operations, { versioned: true }).plans.length, 1);
});

Deno.test("handler() reads a body of very long integers in no more time than others", async () => {
  const run = serve({ F: rest("POST /", [z.object({ n: z.array(z.bigint()) })]) }, { F() {} });
  const post = async (value: string) => {
    const begun = performance.now();
    const { status } = await run(request("POST", "/", `{"n":[${value}]}`, JSON_TYPE));
    return { status, taken: performance.now() - begun };
  };
  assertEquals((await post("9".repeat(4000))).status, 204);
  // The least of several turns each: a busy machine takes some of them for itself. Digits one by one would take a thousand times as long.
  const [digits, letters] = ["9".repeat(2_000_000), `"${"x".repeat(2_000_000)}"`];
  let [long, other] = [Infinity, Infinity];
  for (let turn = 0; turn < 5; turn++) {
    const [first, second] = [await post(digits), await post(letters)];
    assertEquals([first.status, second.status], [400, 400]);
    [long, other] = [Math.min(long, first.taken), Math.min(other, second.taken)];
  }
  assert(long < 50 * other, `${long} ms, and ${other} ms for a text`);
  const exact = serve({ F: rest("POST /", [int64], [int64]) }, { F: (n) => n });
  assertEquals((await exact(request("POST", "/", "9".repeat(5000), JSON_TYPE))).status, 400);
});

Deno.test("xml() reads character references", async () => {
  const Note = z.object({ text: z.string() });
  const operations = { F: rest("POST(application/xml) /", [Note], [z.string()]) };
  const run = serve(operations, { F: ({ text }) => text }, { codecs: [xml()] });
  const body = "<note><text>caf&#233; &#x1F600; &lt;</text></note>";
  const response = await run(request("POST", "/", body, { "content-type": "application/xml", accept: "text/plain" }));
  assertEquals(await response.text(), "caf\u00e9 \u{1F600} <");
});
