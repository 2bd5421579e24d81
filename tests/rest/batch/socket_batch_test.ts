/** Calls over one WebSocket, through the listener. */
import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import { answerSocketCalls, type SocketAnswerOptions, socketCalls } from "../../../lib/rest/batch.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
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
  socketProtocols,
} from "../../../lib/rest/mod.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const shop = api("shop.example.com", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Slow: rest("GET /slow?name=%v", [z.string()], [z.string()]),
  Put: rest("PUT /notes/{id=%v}", [z.string(), z.object({ text: z.string() })], [z.string()], { limit: 64 }),
  Digest: rest("GET /digest?of=%v", [bytes], [bytes]),
  Count: rest("GET /count", [], [chan(int64)]),
});

/** A shop whose slow calls wait until they are told to go on, by name. */
async function served(options?: SocketAnswerOptions) {
  const requests: string[] = [];
  const aborted: string[] = [];
  const running = new Map<string, () => void>();
  const auth = bearer((token) => token === "good" ? { token } : undefined);
  const functions = implement(shop, {
    Add: (a, b) => a + b,
    Slow: (name, { signal }) =>
      new Promise((resolve) => {
        running.set(name, () => resolve(name));
        signal.addEventListener("abort", () => {
          aborted.push(name);
          resolve(name);
        });
      }),
    Put: (id, { text }) => {
      if (text === "wrong") throw new HTTPError(409, "Put: it is locked");
      return `${id}: ${text}`;
    },
    Digest: (of) => of.toReversed(),
    async *Count() {
      yield* [1n, 2n];
    },
  });
  const serve = answerSocketCalls(handler(auth, functions, { onError() {} }), options);
  const listener = await listen("tcp://127.0.0.1:0", (request, platform) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return serve(request, platform);
  });
  const url = listener.address.replace("tcp:", "http:");
  return { url, requests, aborted, running, [Symbol.asyncDispose]: () => listener.close(0) };
}

function called(url: string, token = "good", options?: Parameters<typeof socketCalls>[1]) {
  const client = socketCalls(undefined, options);
  return {
    ...link(shop, url, header("authorization", `Bearer ${token}`, client)),
    [Symbol.dispose]: () => client.close(),
  };
}

Deno.test("socketCalls() sends all calls over one WebSocket, and each gets its own answer", async () => {
  await using server = await served();
  using client = called(server.url);
  const sums = Array.from({ length: 200 }, (_, i) => client.Add(BigInt(i), 1n));
  assertEquals(await Promise.all(sums), Array.from({ length: 200 }, (_, i) => BigInt(i) + 1n));
  assertEquals(await client.Put("7", { text: "milk" }), "7: milk");
  assertEquals(await client.Digest(new Uint8Array([1, 255])), new Uint8Array([255, 1]));
  const locked = await assertRejects(() => client.Put("7", { text: "wrong" }), HTTPError, "locked");
  assertEquals(locked.status, 409);
  const large = await assertRejects(() => client.Put("7", { text: "x".repeat(99) }), HTTPError);
  assertEquals(large.status, 413);
  assertEquals(server.requests, ["GET /batch"]);
});

Deno.test("answerSocketCalls() answers in the order in which answers are ready, and cancels a call that is aborted", async () => {
  await using server = await served();
  using client = called(server.url);
  const order: string[] = [];
  const note = (name: string) => void order.push(name);
  const first = client.Slow("first").then(note);
  const second = client.Slow("second").then(note);
  const leave = new AbortController();
  const third = client.Slow("third", { signal: leave.signal });
  await untilTrue(() => server.running.size === 3);
  server.running.get("second")!();
  await second;
  leave.abort(new Error("enough"));
  await assertRejects(() => third, Error, "enough");
  await untilTrue(() => server.aborted.join() === "third");
  server.running.get("first")!();
  await first;
  assertEquals(order, ["second", "first"]);
});

Deno.test("socketCalls() has no more calls under way than it may, and the server runs no more at once than it will", async () => {
  await using server = await served({ atOnce: 3, calls: 5 });
  using client = called(server.url, "good", { calls: 5 });
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const calls = names.map((name) => client.Slow(name));
  await untilTrue(() => server.running.size === 3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals(server.running.size, 3);
  for (let i = 0; i < 12; i++) {
    await untilTrue(() => server.running.has(names[i]));
    server.running.get(names[i])!();
  }
  assertEquals(await Promise.all(calls), names);
});

Deno.test("answerSocketCalls() checks each call, by the credential of its WebSocket", async () => {
  await using server = await served();
  using stranger = called(server.url, "bad");
  const refused = await assertRejects(() => stranger.Add(1n, 2n), HTTPError);
  assertEquals(refused.status, 401);
  using good = called(server.url);
  assertEquals(await good.Add(1n, 2n), 3n);
  // A channel travels by itself.
  assertEquals(await Array.fromAsync(await good.Count({ websocket: false })), [1n, 2n]);
  assertEquals(server.requests, ["GET /batch", "GET /batch", "GET /count"]);
});

Deno.test("answerSocketCalls() with auth lets strangers open nothing, and calls then travel over HTTP", async () => {
  await using server = await served({ auth: bearer("good") });
  using stranger = called(server.url, "bad");
  assertEquals((await assertRejects(() => stranger.Add(1n, 2n), HTTPError)).status, 401);
  assertEquals((await assertRejects(() => stranger.Add(1n, 2n), HTTPError)).status, 401);
  assertEquals(server.requests, ["GET /batch", "GET /sum", "GET /sum"]);
});

Deno.test("socketCalls() repeats nothing when its WebSocket breaks, and opens another for the next call", async () => {
  await using server = await served();
  using client = called(server.url);
  const slow = client.Slow("lost");
  slow.catch(() => {});
  await untilTrue(() => server.running.size === 1);
  // One that is idle is closed, and the next call opens another.
  using other = called(server.url, "good", { idle: 20 });
  assertEquals(await other.Add(1n, 1n), 2n);
  await untilTrue(() => server.requests.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(await other.Add(2n, 2n), 4n);
  assertEquals(server.requests, ["GET /batch", "GET /batch", "GET /batch"]);
  client[Symbol.dispose]();
  await assertRejects(() => slow, Error, "the call may have run");
  await untilTrue(() => server.aborted.join() === "lost");
});

/** A peer that speaks by hand. */
async function speak(url: string) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/batch`, [
    "gantry.batch",
    ...socketProtocols("good").slice(1),
  ]);
  const heard: string[] = [];
  const closed = new Promise<[number, string]>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve([code, reason]);
  });
  socket.onmessage = ({ data }) => heard.push(data);
  await new Promise((resolve) => socket.onopen = resolve);
  const send = (...messages: unknown[]) => messages.forEach((one) => socket.send(JSON.stringify(one)));
  return { socket, heard, closed, send };
}

const call = (id: number, more: object = {}) => ({ id, method: "GET", path: "/slow?name=a", headers: [], ...more });

Deno.test("answerSocketCalls() takes a browser's credential, and lets a call forge no header", async () => {
  await using server = await served();
  const { heard, send, socket, closed } = await speak(server.url);
  send(
    call(1, { path: "/sum?a=1&b=2" }),
    call(2, { path: "/sum?a=1&b=2", headers: [["authorization", "Bearer good"]] }),
  );
  send(call(3, { path: "/sum?a=1&b=2", headers: [["X-Forwarded-For", "1.2.3.4"]] }), call(4, { path: "/count" }));
  send(call(5, { path: "/notes/a", base64: "%" }));
  await untilTrue(() => heard.length === 5);
  const statuses = heard.map((text) => JSON.parse(text)).map(({ id, status }) => [id, status]).sort();
  assertEquals(statuses, [[1, 200], [2, 400], [3, 400], [4, 400], [5, 400]]);
  socket.close();
  await closed;
});

Deno.test("answerSocketCalls() ends a WebSocket that breaks its rules, and aborts its calls", async () => {
  const breaches: [RegExp, number, unknown[]][] = [
    [/no call/, 1008, [{ id: 1 }]],
    [/no call/, 1008, [call(2, { path: "//evil.example/" })]],
    [/no call/, 1008, ["text"]],
    [/ID 0/, 1008, [call(0)]],
    [/More than 4 calls/, 1008, [1, 2, 3, 4].map((id) => call(id))],
    [/more than 1000 characters/, 1009, [call(1, { text: "x".repeat(1000) })]],
  ];
  await using server = await served({ calls: 4, bytes: 1000 });
  for (const [index, [words, code, messages]] of breaches.entries()) {
    server.running.clear();
    const { closed, send } = await speak(server.url);
    send(call(0));
    await untilTrue(() => server.running.size === 1);
    send(...messages);
    const [told, reason] = await closed;
    assertEquals(told, code);
    assertMatch(reason, words);
    await untilTrue(() => server.aborted.length > index);
  }
  const { socket, closed } = await speak(server.url);
  socket.send(new Uint8Array(3));
  assertEquals((await closed)[0], 1003);
});

Deno.test("answerSocketCalls() refuses another site's page, and limits that are none", async () => {
  const serve = answerSocketCalls(() => Promise.resolve(new Response("alone")));
  const headers = { upgrade: "websocket", "sec-websocket-protocol": "gantry.batch", origin: "http://evil.example" };
  const response = await serve(new Request("http://localhost/batch", { headers }));
  assertEquals(response.status, 403);
  assertThrows(() => answerSocketCalls(serve, { atOnce: 0 }), RangeError, "atOnce is 0");
});

Deno.test("a WebSocket of calls whose peer beats once and then is silent is closed", async () => {
  const serve = answerSocketCalls(() => Promise.resolve(new Response("alone")));
  const listener = await listen(
    "tcp://127.0.0.1:0",
    (request, platform) => serve(request, { ...platform, socketPatience: 100 }),
  );
  const { socket, closed } = await speak(listener.address.replace("tcp:", "http:"));
  socket.send("0");
  assertEquals((await closed)[0], 1001);
  await listener.close(0);
});
