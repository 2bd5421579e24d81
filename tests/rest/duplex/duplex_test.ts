/** Channels both ways over one WebSocket, through the listener. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { z } from "zod";
import { listen } from "../../../lib/platform/http/listener.ts";
import { api, bearer, chan, handler, header, HTTPError, implement, int64, link, rest } from "../../../lib/rest/mod.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const Line = z.object({ text: z.string(), n: z.number().optional() });
const talk = api("talk.example.com", {
  Echo: rest("POST /echo?loud=%v", [z.boolean(), chan(Line)], [chan(Line)]),
  Put: rest("PUT /echo", [chan(int64)], [chan(int64)]),
  Sum: rest("POST /sum", [chan(int64)], [int64]),
  First: rest("POST /first !409(Busy)", [chan(z.string())], [chan(z.string())], {
    errors: { Busy: z.object({ by: z.string() }) },
  }),
  Ignore: rest("POST /ignore", [chan(z.number())], [chan(z.number())]),
});

function functions() {
  const state = { taken: 0, left: 0, failures: [] as unknown[], aborted: 0 };
  const made = implement(talk, {
    async *Echo(loud, lines, { signal }) {
      signal.addEventListener("abort", () => state.aborted++, { once: true });
      try {
        for await (const line of lines) {
          state.taken++;
          if (line.text === "fail") throw new HTTPError(409, "Echo: told to fail");
          if (line.text === "enough") return;
          yield loud ? { ...line, text: line.text.toUpperCase() } : line;
        }
        yield { text: "the end" };
      } catch (error) {
        state.failures.push(error);
        throw error;
      } finally {
        state.left++;
      }
    },
    async *Put(values) {
      for await (const value of values) yield value * 2n;
    },
    async Sum(values) {
      let sum = 0n;
      for await (const value of values) {
        if (value < 0n) throw new HTTPError(422, "Sum: a value is negative");
        sum += value;
      }
      return sum;
    },
    async First(values) {
      for await (const value of values) {
        if (value === "busy") throw new HTTPError(409, "Busy", { body: { by: "ann" } });
        return (async function* () {
          yield value;
        })();
      }
      throw new HTTPError(400, "First: there is none");
    },
    async *Ignore(values) {
      values.close();
      yield* [1, 2];
    },
  });
  return { state, made };
}

async function served(auth: Parameters<typeof handler>[0] = null) {
  const { state, made } = functions();
  const seen: string[] = [];
  const serve = handler(auth, made, { onError() {} });
  const listener = await listen("tcp://127.0.0.1:0", (request, platform) => {
    seen.push(`${request.method} ${request.headers.get("upgrade") ?? ""}`.trim());
    return serve(request, platform);
  });
  const url = listener.address.replace("tcp:", "http:");
  return { url, state, seen, [Symbol.asyncDispose]: () => listener.close(0) };
}

/** A source whose values are given one by one; `state` tells what became of it. */
function hand<T>() {
  const waiting: T[] = [];
  let wake = () => {};
  let ended = false;
  const state = { returned: false };
  async function* make() {
    try {
      for (;;) {
        while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => wake = resolve);
        if (waiting.length === 0) return;
        yield waiting.shift()!;
      }
    } finally {
      state.returned = true;
    }
  }
  const give = (value: T) => {
    waiting.push(value);
    wake();
  };
  const end = () => {
    ended = true;
    wake();
  };
  return { values: make(), give, end, state };
}

async function* several<T>(...values: T[]) {
  yield* values;
}

Deno.test("link() carries channels both ways over one WebSocket, value by value", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const mine = hand<z.infer<typeof Line>>();
  const echo = (await client.Echo(true, mine.values))[Symbol.asyncIterator]();
  for (const text of ["one", "two", "three"]) {
    mine.give({ text });
    assertEquals((await echo.next()).value, { text: text.toUpperCase() });
  }
  mine.end();
  assertEquals((await echo.next()).value, { text: "the end" });
  assertEquals((await echo.next()).done, true);
  assertEquals(server.seen, ["GET websocket"]);
  await untilTrue(() => server.state.left === 1);
});

Deno.test("link() carries many values over a WebSocket, in order, and under other methods", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  async function* count() {
    for (let n = 0n; n < 3000n; n++) yield n;
  }
  const seen = await Array.fromAsync(await client.Put(count()));
  assertEquals(seen.length, 3000);
  assert(seen.every((value, index) => value === BigInt(index) * 2n));
  assertEquals(server.seen, ["GET websocket"]);
});

Deno.test("link() sends a channel as lines where its call says so, or no WebSocket can be opened", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const seen = await Array.fromAsync(await client.Echo(false, several({ text: "a" }), { websocket: false }));
  assertEquals(seen, [{ text: "a" }, { text: "the end" }]);
  const deaf = link(talk, server.url, {
    fetch: (request) => fetch(request),
    websocket: true,
    openWebSocket: () => {
      throw new TypeError("none here");
    },
  });
  assertEquals((await Array.fromAsync(await deaf.Echo(false, several({ text: "b" })))).length, 2);
  assertEquals(server.seen, ["POST", "POST"]);
});

Deno.test("link() gets a plain result over a WebSocket where its call says so", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  assertEquals(await client.Sum(several(1n, 2n, 39n), { websocket: true }), 42n);
  assertEquals(await client.Sum(several(1n, 2n)), 3n);
  const error = await assertRejects(() => client.Sum(several(1n, -1n), { websocket: true }), HTTPError, "negative");
  assertEquals(error.status, 422);
  assertEquals(server.seen, ["GET websocket", "POST", "GET websocket"]);
});

Deno.test("handler() ends a duplex channel at a value that is wrong, and says which", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  // A wrong value is what this sends.
  const wrong = several({ text: "a" }, { text: 7 } as unknown as { text: string });
  const echo = await client.Echo(false, wrong);
  await assertRejects(() => Array.fromAsync(echo), Error, 'Read value 2: at "text"');
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() tells a duplex client of a function's failure, and stops its source", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const mine = hand<z.infer<typeof Line>>();
  const echo = await client.Echo(false, mine.values);
  mine.give({ text: "fail" });
  await assertRejects(() => Array.fromAsync(echo), Error, "Echo: told to fail");
  mine.give({ text: "more" });
  await untilTrue(() => mine.state.returned);
});

Deno.test("handler() ends a duplex channel when its function is done, and stops the client's source", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const mine = hand<z.infer<typeof Line>>();
  const echo = await client.Echo(false, mine.values);
  mine.give({ text: "enough" });
  assertEquals(await Array.fromAsync(echo), []);
  mine.give({ text: "more" });
  await untilTrue(() => mine.state.returned);
});

Deno.test("handler() lets a function leave its argument and go on yielding", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const mine = hand<number>();
  mine.give(1);
  assertEquals(await Array.fromAsync(await client.Ignore(mine.values)), [1, 2]);
  mine.give(2);
  await untilTrue(() => mine.state.returned);
});

Deno.test("link() throws the error of its own source, and the function gets one that tells no more", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  async function* failing() {
    yield { text: "a" };
    throw new RangeError("a secret of the client's");
  }
  const echo = await client.Echo(false, failing());
  await assertRejects(() => Array.fromAsync(echo), RangeError, "a secret of the client's");
  await untilTrue(() => server.state.failures.length === 1);
  assertMatch(String(server.state.failures[0]), /the sender failed: its source failed/);
});

Deno.test("link() reads an error that comes in place of a duplex channel as any answer", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  const error = await assertRejects(async () => Array.fromAsync(await client.First(several("busy"))), HTTPError);
  assertEquals([error.status, error.body], [409, { by: "ann" }]);
  const none = await assertRejects(async () => Array.fromAsync(await client.First(several())), HTTPError);
  assertEquals(none.status, 400);
  assertEquals(await Array.fromAsync(await client.First(several("x"))), ["x"]);
});

Deno.test("link() closes a duplex channel that is left, aborted or closed, and both sources return", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  for (const [index, way] of ["left", "closed", "aborted"].entries()) {
    const mine = hand<z.infer<typeof Line>>();
    const leave = new AbortController();
    const echo = await client.Echo(false, mine.values, { signal: leave.signal });
    mine.give({ text: "a" });
    const iterator = echo[Symbol.asyncIterator]();
    await iterator.next();
    if (way === "left") await iterator.return?.();
    if (way === "closed") await (echo as AsyncIterable<unknown> & { close(): Promise<void> }).close();
    if (way === "aborted") {
      leave.abort(new Error("enough"));
      await assertRejects(() => iterator.next(), Error, "enough");
    }
    mine.give({ text: "b" });
    await untilTrue(() => mine.state.returned);
    await untilTrue(() => server.state.left === index + 1 && server.state.aborted === index + 1);
  }
});

Deno.test("a duplex client that does not read holds the function back, and a function that does not holds the client back", async () => {
  await using server = await served();
  const client = link(talk, server.url);
  let made = 0;
  async function* endless() {
    for (;;) yield { text: "x".repeat(1000), n: made++ };
  }
  const echo = await client.Echo(false, endless());
  let before = -1;
  // It stands still: nothing is made from one look to the next.
  while (made === 0 || before !== made) {
    before = made;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert(made <= 64 * 3 + 8, `made ${made}`);
  assert(server.state.taken <= 64 * 2 + 8, `taken ${server.state.taken}`);
  let count = 0;
  for await (const { n } of echo) {
    assertEquals(n, count);
    if (++count === 1000) break;
  }
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() answers a duplex call that is refused with a status, and opens no WebSocket", async () => {
  await using server = await served(bearer("secret"));
  const client = link(talk, server.url);
  const error = await assertRejects(
    async () => Array.fromAsync(await client.Echo(false, several({ text: "a" }))),
    HTTPError,
  );
  assertEquals(error.status, 401);
  const good = link(talk, server.url, header("authorization", "Bearer secret"));
  assertEquals((await Array.fromAsync(await good.Echo(false, several({ text: "a" })))).length, 2);
  assertEquals(server.seen, ["GET websocket", "POST", "GET websocket"]);
});

Deno.test("handler() refuses a duplex upgrade of another site's page, for plain results too", async () => {
  const { made } = functions();
  const serve = handler(null, made, { onError() {} });
  const open = (path: string, headers: HeadersInit) => {
    const protocols = { upgrade: "websocket", "sec-websocket-protocol": "gantry.duplex" };
    const request = new Request(`http://localhost${path}`, { headers: { ...protocols, ...headers } });
    const upgradeWebSocket = () => {
      throw new Error("opened");
    };
    return serve(request, { upgradeWebSocket });
  };
  for (const path of ["/echo?loud=false", "/sum"]) {
    for (const [name, value] of [["origin", "http://evil.example"], ["sec-fetch-site", "cross-site"]]) {
      // A type that a page could not send without being asked does not open the door either.
      const response = await open(path, { [name]: value, "content-type": "application/x-ndjson" });
      assertEquals(response.status, 403);
      await response.body?.cancel();
    }
  }
});
