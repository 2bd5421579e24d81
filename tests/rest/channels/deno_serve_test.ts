/** WebSockets of Deno's own server, which aborts a request that has become one, and takes its headers away. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { answerSocketCalls, socketCalls } from "../../../lib/rest/batch.ts";
import { api, chan, handler, implement, int64, link, rest } from "../../../lib/rest/mod.ts";

const definition = api("sockets.example.com", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Count: rest("GET /count?to=%v", [int64], [chan(int64)]),
  Double: rest("POST /double", [chan(int64)], [chan(int64)]),
});

const turn = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Serves functions that look whether their caller has gone; `left` settles with the values that one who went has had. */
function served() {
  const left = Promise.withResolvers<bigint>();
  const functions = implement(definition, {
    Add: (a, b) => a + b,
    async *Count(to, { signal }) {
      let n = 0n;
      signal.addEventListener("abort", () => left.resolve(n));
      for (; n < to && !signal.aborted; n++) {
        await turn();
        yield n;
      }
    },
    async *Double(values, { signal }) {
      for await (const value of values) {
        await turn();
        yield signal.aborted ? -1n : value * 2n;
      }
    },
  });
  const serve = answerSocketCalls(handler(null, functions));
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) =>
    serve(request, {
      upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options),
    }));
  return { base: `http://127.0.0.1:${server.addr.port}`, left: left.promise, server };
}

Deno.test("defect: a channel over a WebSocket of Deno.serve() is not aborted by its upgrade, but when its caller goes", async () => {
  const { base, left, server } = served();
  await using _ = server;
  const client = link(definition, base);
  assertEquals(await Array.fromAsync(await client.Count(5n, { websocket: true })), [0n, 1n, 2n, 3n, 4n]);
  for await (const value of await client.Count(1_000_000n, { websocket: true })) if (value === 2n) break;
  assertEquals(await left >= 2n, true);
});

Deno.test("defect: channels both ways over a WebSocket of Deno.serve() are not aborted by its upgrade", async () => {
  const { base, server } = served();
  await using _ = server;
  async function* numbers() {
    yield* [1n, 2n, 3n];
  }
  const doubled = await link(definition, base).Double(numbers(), { websocket: true });
  assertEquals(await Array.fromAsync(doubled), [2n, 4n, 6n]);
});

Deno.test("defect: answerSocketCalls() answers under Deno.serve()", async () => {
  const { base, server } = served();
  await using _ = server;
  const calls = socketCalls();
  const client = link(definition, base, calls);
  assertEquals(await Promise.all([client.Add(1n, 2n), client.Add(3n, 4n)]), [3n, 7n]);
  calls.close();
});

Deno.test("a function whose channel gets no WebSocket is told that nobody reads", async () => {
  const signals: AbortSignal[] = [];
  const functions = implement(definition, {
    Add: (a, b) => a + b,
    Count(_to, { signal }) {
      signals.push(signal);
      return ReadableStream.from([1n]);
    },
    Double(values, { signal }) {
      signals.push(signal);
      return values;
    },
  });
  const serve = handler(null, functions, { onError() {} });
  const upgradeWebSocket = () => {
    throw new Error("no socket left");
  };
  for (const [path, protocol] of [["/count?to=3", "gantry.flow"], ["/double", "gantry.duplex"]]) {
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocol };
    const request = new Request(`http://sockets.example.com${path}`, { headers });
    assertEquals((await serve(request, { upgradeWebSocket })).status, 500, path);
  }
  assertEquals(signals.map(({ aborted }) => aborted), [true, true]);
});

Deno.test("defect: a channel that its caller's own fetch aborts has not come to its end", async () => {
  const { base, server } = served();
  await using _ = server;
  const leave = new AbortController();
  const client = link(definition, base, {
    fetch: (request) => fetch(new Request(request, { signal: leave.signal })),
  });
  const seen: bigint[] = [];
  const read = async () => {
    for await (const value of await client.Count(1_000_000n, { websocket: false })) {
      if (seen.push(value) === 3) leave.abort();
    }
  };
  await assertRejects(read, DOMException);
  assertEquals(seen.length >= 3, true);
});

Deno.test("defect: an upgrade without a key is answered 400 under Deno.serve, which throws", async () => {
  const feed = api("http://x", {
    Count: rest("GET /count", [], [chan(z.int())]),
    Echo: rest("POST /echo", [chan(z.int())], [chan(z.int())]),
    Sum: rest("POST /sum", [chan(z.int())], [z.int()]),
  });
  const functions = implement(feed, {
    async *Count() {
      yield await Promise.resolve(1);
    },
    async *Echo(values) {
      yield* values;
    },
    async Sum(values) {
      for await (const value of values) return value;
      return 0;
    },
  });
  const serve = answerSocketCalls(handler(null, functions));
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => serve(request, { upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options) }),
  );
  for (
    const [path, protocol] of [
      ["count", "gantry.flow"],
      ["echo", "gantry.duplex"],
      ["sum", "gantry.duplex"],
      ["batch", "gantry.batch"],
    ]
  ) {
    const connection = await Deno.connect({ port: server.addr.port, hostname: "127.0.0.1" });
    const head = ["Host: x", "Upgrade: websocket", "Connection: upgrade, close", `Sec-WebSocket-Protocol: ${protocol}`];
    await connection.write(new TextEncoder().encode(`GET /${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`));
    const answer = await new Response(connection.readable).text();
    assertMatch(answer, /^HTTP\/1\.1 400 [^]*the request has no Sec-WebSocket-Key/, path);
  }
});
