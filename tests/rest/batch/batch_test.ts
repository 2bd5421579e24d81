import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  api,
  bearer,
  bytes,
  chan,
  handler,
  header,
  HTTPError,
  implement,
  int64,
  link,
  rest,
} from "../../../lib/rest/mod.ts";
import { answerBatches, batchCalls, type BatchCallsOptions, type BatchOptions } from "../../../lib/rest/batch.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const shop = api("shop.example.com", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Slow: rest("GET /slow?name=%v", [z.string()], [z.string()]),
  Put: rest("PUT /notes/{id=%v}", [z.string(), z.object({ text: z.string() })], [z.string()], { limit: 64 }),
  Digest: rest("GET /digest?of=%v", [bytes], [bytes]),
  Large: rest("GET /large?n=%v", [z.number()], [z.string()]),
  Count: rest("GET /count", [], [chan(int64)]),
});

/** A shop behind batches; `release` lets the slow calls go on, by name. */
function served(options: { batch?: BatchOptions; client?: BatchCallsOptions } = {}) {
  const requests: string[] = [];
  const aborted: string[] = [];
  const running = new Map<string, () => void>();
  const serve = answerBatches(
    handler(
      bearer((token) => token === "good" ? { token } : undefined),
      implement(shop, {
        Add: (a, b) => a + b,
        Slow: (name, { signal }) =>
          new Promise((resolve) => {
            running.set(name, () => resolve(name));
            signal.addEventListener("abort", () => aborted.push(name));
          }),
        Put: (id, { text }) => {
          if (text === "wrong") throw new HTTPError(409, "Put: it is locked", { headers: { "x-owner": "ann" } });
          return `${id}: ${text}`;
        },
        Digest: (of) => of.toReversed(),
        Large: (n) => "x".repeat(n),
        async *Count() {
          yield* [1n, 2n];
        },
      }),
    ),
    options.batch,
  );
  const fetch = (request: Request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return serve(request);
  };
  const client = (token: string) =>
    link(shop, "http://h", header("authorization", `Bearer ${token}`, batchCalls({ fetch }, options.client)));
  const release = async (name: string) => {
    await untilTrue(() => running.has(name));
    running.get(name)!();
  };
  return { client: client("good"), bad: client("bad"), requests, release, serve, aborted, running };
}

const lines = (serve: (request: Request) => Promise<Response>, body: string, headers: Record<string, string> = {}) =>
  serve(
    new Request("http://h/batch", {
      method: "POST",
      body,
      headers: { authorization: "Bearer good", "content-type": "application/x-ndjson", ...headers },
    }),
  );
const answersOf = async (response: Response) =>
  (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
const call = (id: number, path: string, more: object = {}) =>
  JSON.stringify({ id, method: "GET", path, headers: [], ...more }) + "\n";

Deno.test("batchCalls() sends the calls of one turn as one request", async () => {
  const { client, requests } = served();
  const [sum, put, digest] = await Promise.all([
    client.Add(1n, 2n ** 60n),
    client.Put("7", { text: "milk" }),
    client.Digest(Uint8Array.of(255, 0, 1)),
  ]);
  assertEquals([sum, put, [...digest]], [2n ** 60n + 1n, "7: milk", [1, 0, 255]]);
  assertEquals(requests, ["POST /batch"]);
  await client.Add(1n, 2n);
  assertEquals(requests.slice(1), ["GET /sum"]);
});

Deno.test("batchCalls() gives each call its own status, headers and error", async () => {
  const { client } = served();
  const [fine, locked, large, unfit] = await Promise.allSettled([
    client.Add(1n, 1n),
    client.Put("7", { text: "wrong" }),
    client.Put("7", { text: "x".repeat(100) }),
    client.Put("7", { text: 7 as never }),
  ]);
  assertEquals(fine, { status: "fulfilled", value: 2n });
  const statuses = [locked, large, unfit].map((one) => one.status === "rejected" && (one.reason as HTTPError).status);
  assertEquals(statuses, [409, 413, 400]);
  assert(locked.status === "rejected");
  assertEquals(locked.reason.message, "Put: it is locked");
  assertEquals((locked.reason.responseHeaders as Headers).get("x-owner"), "ann");
});

Deno.test("answerBatches() sends answers as they are ready", async () => {
  const { client, release } = served();
  const first = client.Slow("first");
  assertEquals(await Promise.race([client.Add(1n, 1n), first]), 2n);
  await release("first");
  assertEquals(await first, "first");
});

Deno.test("a call that is aborted leaves the others of its batch alone; when all are, the batch is", async () => {
  const { client, release, aborted, running } = served();
  const [one, two] = [new AbortController(), new AbortController()];
  const gone = client.Slow("gone", { signal: one.signal });
  const kept = client.Slow("kept");
  await untilTrue(() => running.size >= 2);
  one.abort(new Error("enough"));
  await assertRejects(() => gone, Error, "enough");
  await release("kept");
  assertEquals(await kept, "kept");
  assertEquals(aborted, []);
  await release("gone");
  running.clear();
  const all = [client.Slow("a", { signal: two.signal }), client.Slow("b", { signal: two.signal })];
  await untilTrue(() => running.size >= 2);
  two.abort(new Error("enough"));
  for (const call of all) await assertRejects(() => call, Error, "enough");
  assertEquals(aborted, ["a", "b"]);
});

Deno.test("batches hold calls of one credential, and channels travel alone", async () => {
  const { client, bad, requests } = served();
  const [mine, yours, theirs, channel] = await Promise.allSettled([
    client.Add(1n, 1n),
    client.Add(2n, 2n),
    bad.Add(1n, 1n),
    Array.fromAsync(await client.Count()),
  ]);
  assertEquals([mine.status, yours.status, theirs.status], ["fulfilled", "fulfilled", "rejected"]);
  assert(theirs.status === "rejected" && theirs.reason.status === 401);
  assert(channel.status === "fulfilled");
  assertEquals(requests.toSorted(), ["GET /count", "GET /sum", "POST /batch"]);
});

Deno.test("answerBatches() lets a call forge no header, and tells no cookie", async () => {
  const seen: [string | null, string | null][] = [];
  const serve = answerBatches((request) => {
    seen.push([request.headers.get("x-user"), request.headers.get("cookie")]);
    return Promise.resolve(new Response(null, { status: 204, headers: { "set-cookie": "s=1", "x-own": "yes" } }));
  });
  for (const forged of [["x-user", "admin"], ["Cookie", "s=2"], ["origin", "http://h"]]) {
    const [{ status, text }] = await answersOf(await lines(serve, call(0, "/me", { headers: [forged] })));
    assertEquals([status, JSON.parse(text).detail.includes(`"${forged[0]}"`)], [400, true], text);
  }
  const [{ headers, status }] = await answersOf(await lines(serve, call(0, "/me"), { cookie: "s=0" }));
  assertEquals(seen, [[null, "s=0"]]);
  assertEquals([status, headers], [204, [["x-own", "yes"]]]);
});

Deno.test("answerBatches() refuses what is no batch", async () => {
  const { serve } = served();
  for (const type of ["text/plain", "application/json", ""]) {
    assertEquals((await lines(serve, call(0, "/sum?a=1&b=1"), { "content-type": type })).status, 415, type);
  }
  for (const path of ["//evil.example/sum", "sum", "http://h/sum", "/\\evil.example"]) {
    const [answer] = await answersOf(await lines(serve, call(0, path)));
    assertEquals([answer.id, answer.status], [undefined, 400], path);
  }
  const [nested] = await answersOf(await lines(serve, call(3, "/batch", { method: "POST" })));
  assertEquals([nested.id, nested.status], [3, 404]);
  const [method] = await answersOf(await lines(serve, call(4, "/sum", { method: "CONNECT" })));
  assertEquals([method.id, method.status], [4, 400]);
  const [channel] = await answersOf(await lines(serve, call(5, "/count")));
  assertEquals([channel.id, channel.status], [5, 400]);
  const answers = await answersOf(await lines(serve, call(6, "/sum?a=1&b=1") + "{\n" + call(7, "/sum?a=1&b=1")));
  assertEquals(answers.map(({ id, status }) => [id, status]), [[6, 200], [undefined, 400]]);
  const [first, twice] = await answersOf(await lines(serve, call(8, "/sum?a=1&b=1") + call(8, "/sum?a=2&b=2")));
  assertEquals([first.id, first.text, twice.id, twice.status], [8, "2", undefined, 400]);
  assertMatch(twice.text, /line 2 of the batch: another call has the ID 8/);
});

Deno.test("answerBatches() holds its limits of calls, bytes and answers", async () => {
  const { serve, client } = served({ batch: { calls: 2, bytes: 2000, answerBytes: 100, atOnce: 1 } });
  const three = await answersOf(await lines(serve, [0, 1, 2].map((id) => call(id, "/sum?a=1&b=1")).join("")));
  assertEquals(three.map(({ id, status }) => [id, status]), [[0, 200], [1, 200], [undefined, 413]]);
  assertEquals((await lines(serve, "x".repeat(3000), { "content-length": "3000" })).status, 413);
  const [untold] = await answersOf(await lines(serve, " ".repeat(3000)));
  assertEquals(untold.status, 413);
  const [small, large] = await Promise.allSettled([client.Large(50), client.Large(500)]);
  assertEquals(small.status, "fulfilled");
  assert(large.status === "rejected" && large.reason.status === 413);
  assertThrows(() => answerBatches(serve, { atOnce: 0 }), RangeError, "atOnce is 0");
});

Deno.test("batchCalls() holds to its own limits, and tells when a server takes no batches", async () => {
  const { client, requests } = served({ client: { calls: 2 } });
  await Promise.all([1n, 2n, 3n, 4n, 5n].map((n) => client.Add(n, n)));
  assertEquals(requests.toSorted(), ["GET /sum", "POST /batch", "POST /batch"]);
  const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }));
  const alone = link(api("x", { Ping: rest("GET /ping") }), "http://h", batchCalls({ fetch: serve }));
  await alone.Ping();
  const both = await Promise.allSettled([alone.Ping(), alone.Ping()]);
  for (const one of both) {
    assert(one.status === "rejected");
    assertEquals(one.reason.message, "Send a batch: /batch answered with status 404, and no lines");
  }
});

Deno.test("batches travel over the network", async () => {
  const { serve } = served();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => serve(request));
  const headed = header("authorization", "Bearer good", batchCalls());
  const client = link(shop, `http://127.0.0.1:${server.addr.port}`, headed);
  const sums = await Promise.all(Array.from({ length: 40 }, (_, n) => client.Add(BigInt(n), 1n)));
  assertEquals(sums, Array.from({ length: 40 }, (_, n) => BigInt(n + 1)));
});
