/** Channels of a client are WebSockets where one can be had, and lines where not. */
import { assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import { connect } from "../../../lib/platform/http/serve.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import { api, chan, handler, header, HTTPError, implement, int64, link, rest } from "../../../lib/rest/mod.ts";

const clock = api("clock.example.com", {
  Count: rest("GET /count?to=%v", [int64], [chan(int64)]),
  Sent: rest("POST /sent", [z.array(z.number())], [chan(z.number())]),
});
const functions = implement(clock, {
  Count(to) {
    if (to > 100n) throw new HTTPError(422, "Count: that is too far");
    return (async function* () {
      for (let n = 1n; n <= to; n++) yield n;
    })();
  },
  async *Sent(numbers) {
    yield* numbers;
  },
});

/** A server that tells by which carriers it was asked. One that refuses WebSockets lets none through, as some proxies do. */
async function served({ refuses = false } = {}) {
  const carriers: string[] = [];
  const serve = handler(null, functions);
  const listener = await listen("tcp://127.0.0.1:0", (request, platform) => {
    const isSocket = request.headers.get("upgrade") === "websocket";
    carriers.push(isSocket ? "websocket" : "lines");
    return isSocket && refuses ? Promise.resolve(new Response(null, { status: 426 })) : serve(request, platform);
  });
  const base = listener.address.replace("tcp:", "http:");
  return { carriers, base, address: listener.address, [Symbol.asyncDispose]: () => listener.close(0) };
}

const values = async (channel: Promise<AsyncIterable<unknown>>) => (await Array.fromAsync(await channel)).join();

Deno.test("a channel is a WebSocket where the client reaches its server as the platform does", async () => {
  await using server = await served();
  const client = link(clock, server.base);
  assertEquals(await values(client.Count(3n)), "1,2,3");
  using connected = connect(server.address);
  assertEquals(await values(link(clock, "http://localhost", connected).Count(2n)), "1,2");
  const named = link(clock, server.base, header("authorization", "Bearer t"));
  assertEquals(await values(named.Count(1n)), "1");
  assertEquals(server.carriers, ["websocket", "websocket", "websocket"]);
});

Deno.test("a channel is lines where the call says so, is no GET, has headers of its own or a fetch of its own", async () => {
  await using server = await served();
  const client = link(clock, server.base);
  assertEquals(await values(client.Count(3n, { websocket: false })), "1,2,3");
  assertEquals(await values(client.Sent([1, 2])), "1,2");
  assertEquals(await values(client.Count(1n, { headers: { "x-trace": "1" } })), "1");
  assertEquals(await values(link(clock, server.base, { fetch: (request) => fetch(request) }).Count(2n)), "1,2");
  assertEquals(server.carriers, ["lines", "lines", "lines", "lines"]);
  const own = { fetch: (request: Request) => fetch(request), websocket: true };
  assertEquals(await values(link(clock, server.base, own).Count(2n)), "1,2");
  assertEquals(server.carriers.at(-1), "websocket");
});

Deno.test("a channel is lines where no WebSocket can be opened, and its errors are those of the answer", async () => {
  await using server = await served({ refuses: true });
  const client = link(clock, server.base);
  assertEquals(await values(client.Count(3n)), "1,2,3");
  assertEquals(server.carriers, ["websocket", "lines"]);
  await assertRejects(() => values(client.Count(3n, { websocket: true })), Error, "426");
  const failure = await assertRejects(() => values(client.Count(101n)), HTTPError, "that is too far");
  assertEquals(failure.status, 422);
  await assertRejects(
    () => values(client.Count(3n, { signal: AbortSignal.abort(new Error("enough")) })),
    Error,
    "enough",
  );
  assertEquals(server.carriers.length, 5, "an aborted call asks for nothing");
  await assertRejects(() => values(link(clock, "http://127.0.0.1:1").Count(1n)), TypeError);
});
