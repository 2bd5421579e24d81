/** The part of an error that is sent, the part that is logged, and how much of a bad value is told. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, chan, handler, HTTPError, implement, link, rest } from "../../../lib/rest/mod.ts";
import { JSON_TYPE, request, serve } from "../../fixtures/rest/serve.ts";

/** Runs with what is written to the log instead of on the console. */
async function logged(run: () => Promise<unknown>): Promise<unknown[][]> {
  const { error } = console;
  const lines: unknown[][] = [];
  console.error = (...line: unknown[]) => void lines.push(line);
  try {
    await run();
  } finally {
    console.error = error;
  }
  return lines;
}

Deno.test("handler() tells a machine what is wrong with a value (RFC 9457)", async () => {
  const User = z.object({ name: z.string(), tags: z.array(z.string()) });
  const run = serve({ Put: rest("PUT /u", [User]), Get: rest("GET /u?n=%v", [z.number().max(3)]) }, {
    Put() {},
    Get() {},
  });
  const response = await run(request("PUT", "/u", '{"name":1,"tags":["a",2]}', JSON_TYPE));
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  const { detail, status, issues, title } = await response.json();
  assertEquals([status, title, detail.startsWith('Read "body": at "name": ')], [400, undefined, true]);
  assertEquals(issues.map(({ path, code }: { path: unknown; code: unknown }) => [path, code]), [
    [["body", "name"], "invalid_type"],
    [["body", "tags", 1], "invalid_type"],
  ]);
  assertEquals((await (await run(request("GET", "/u?n=7"))).json()).issues[0].path, ["n"]);
});

Deno.test("handler() bounds what it tells of a value with many faults", async () => {
  const run = serve({
    List: rest("POST /list", [z.array(z.number())]),
    Strict: rest("POST /strict", [z.strictObject({})]),
    Map: rest("POST /map", [z.record(z.string(), z.number())]),
  }, { List() {}, Strict() {}, Map() {} });
  const many = JSON.stringify(Array.from({ length: 20_000 }, () => "x"));
  const long = JSON.stringify({ ["k".repeat(100_000)]: "x" });
  for (const [path, body] of [["/list", many], ["/strict", long], ["/map", long]]) {
    const response = await run(request("POST", path, body, JSON_TYPE));
    const text = await response.text();
    assertEquals(response.status, 400);
    assert(text.length < 4096, `${path}: ${text.length} bytes`);
    if (path === "/list") assert(text.includes("and 19990 more"), text);
  }
});

Deno.test("handler() bounds what it tells of a value that is deep", async () => {
  type Deep = { in?: Deep };
  const Deep: z.ZodType<Deep> = z.lazy(() => z.strictObject({ in: Deep.optional() }));
  const run = serve({ F: rest("POST /", [Deep]) }, { F() {} });
  const depth = 400;
  const body = `${'{"in":'.repeat(depth)}1${"}".repeat(depth)}`;
  const text = await (await run(request("POST", "/", body, JSON_TYPE))).text();
  assert(text.length < 2048, String(text.length));
});

Deno.test("handler() logs what a function throws, and leaves that to onError where there is one", async () => {
  const failure = new Error("the disk is full");
  const operations = {
    Fail: rest("GET /fail"),
    Refuse: rest("GET /refuse"),
    None: rest("GET /none"),
    Watch: rest("GET /watch", [], [chan(z.number())]),
  };
  const functions = {
    Fail: () => Promise.reject(failure),
    Refuse: () => Promise.reject(new HTTPError(409, "no")),
    // deno-lint-ignore require-yield
    async *Watch(): AsyncGenerator<number> {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw failure;
    },
  };
  const run = serve(operations, functions);
  assertEquals(await logged(() => run(request("GET", "/fail"))), [['Answer "Fail" with 500:', failure]]);
  for (const path of ["/refuse", "/none", "/nowhere"]) assertEquals(await logged(() => run(request("GET", path))), []);
  const events = async () =>
    void await (await run(request("GET", "/watch", undefined, { accept: "text/event-stream" }))).text();
  assertEquals(await logged(events), [['Answer "Watch" with 500:', failure]]);
  const told: unknown[] = [];
  const telling = serve(operations, functions, {}, { onError: (error, { name }) => told.push([name, error]) });
  assertEquals(await logged(() => telling(request("GET", "/fail"))), []);
  assertEquals(told, [["Fail", failure]]);
});

Deno.test("handler() answers 500 for an error whose headers or status cannot be sent, and never rejects", async () => {
  const bad = [
    new HTTPError(409, "x", { headers: { "x-bad": "a\nb" } }),
    new HTTPError(409, "x", { headers: { "x bad": "a" } }),
    new HTTPError(99, "x"),
    new HTTPError(NaN, "x"),
  ];
  const run = serve({ F: rest("GET /?n=%v", [z.number()]) }, { F: (n) => Promise.reject(bad[n]) });
  for (const index of bad.keys()) {
    const statuses: number[] = [];
    const lines = await logged(async () => statuses.push((await run(request("GET", `/?n=${index}`))).status));
    assertEquals([statuses, lines.length > 0], [[500], true]);
  }
});

Deno.test("link() gives its errors the headers of the answer, which a server does not send on", async () => {
  const definition = api("x", { F: rest("GET /") });
  const run = handler(
    null,
    implement(definition, {
      F: () => Promise.reject(new HTTPError(429, "later", { headers: { "retry-after": "7" } })),
    }),
  );
  const client = link(definition, "http://h", { fetch: run });
  const thrown = await assertRejects(() => client.F(), HTTPError);
  assertEquals(thrown.responseHeaders?.get("retry-after"), "7");
  const outer = handler(null, implement(definition, { F: () => client.F() }));
  assertEquals((await outer(request("GET", "/"))).headers.get("retry-after"), null);
});
