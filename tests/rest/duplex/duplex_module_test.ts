/** Channels both ways over one WebSocket in the client module that surfaces serve. */
import { assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import { listen } from "../../../lib/platform/http/listener.ts";
import { api, chan, handler, HTTPError, implement, int64, rest } from "../../../lib/rest/mod.ts";
import { clientModule } from "../../../lib/rest/surfaces.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const talk = api("talk.example.com", {
  Echo: rest("POST /echo", [chan(z.string())], [chan(z.string())]),
  Sum: rest("POST /sum !422", [chan(int64)], [int64]),
});

async function served() {
  const seen: string[] = [];
  const state = { left: 0 };
  const serve = handler(
    null,
    implement(talk, {
      async *Echo(values) {
        try {
          for await (const value of values) {
            if (value === "fail") throw new HTTPError(409, "Echo: told to fail");
            yield value.toUpperCase();
          }
        } finally {
          state.left++;
        }
      },
      async Sum(values) {
        let sum = 0n;
        for await (const value of values) {
          if (value < 0n) throw new HTTPError(422, "Sum: a value is negative");
          sum += value;
        }
        return sum;
      },
    }),
    { onError() {} },
  );
  const listener = await listen("tcp://127.0.0.1:0", (request, platform) => {
    seen.push(request.method);
    return serve(request, platform);
  });
  const { connect } = await import(`data:text/javascript,${encodeURIComponent(clientModule(talk))}`);
  const client = connect(listener.address.replace("tcp:", "http:"));
  return { client, seen, state, [Symbol.asyncDispose]: () => listener.close(0) };
}

async function* several<T>(...values: T[]) {
  yield* values;
}

Deno.test("the client module carries channels both ways over one WebSocket", async () => {
  await using server = await served();
  assertEquals(await Array.fromAsync(await server.client.Echo(several("a", "b"))), ["A", "B"]);
  assertEquals(await Array.fromAsync(await server.client.Echo(several("c"), { websocket: false })), ["C"]);
  const failing = await server.client.Echo(several("fail"));
  await assertRejects(() => Array.fromAsync(failing), Error, "Echo: told to fail");
  assertEquals(server.seen, ["GET", "POST", "GET"]);
});

Deno.test("the client module gets a plain result over a WebSocket, and errors with their status", async () => {
  await using server = await served();
  assertEquals(await server.client.Sum(several(40n, 2n), { websocket: true }), 42n);
  const error = await assertRejects(() => server.client.Sum(several(-1n), { websocket: true }));
  assertEquals([(error as Error & { status: number }).status, (error as Error).message], [
    422,
    "Sum: a value is negative",
  ]);
  assertEquals(server.seen, ["GET", "GET"]);
});

Deno.test("the client module leaves and aborts a channel both ways", async () => {
  await using server = await served();
  let returned = 0;
  async function* endless() {
    try {
      for (;;) yield "x";
    } finally {
      returned++;
    }
  }
  for await (const value of await server.client.Echo(endless())) {
    assertEquals(value, "X");
    break;
  }
  await untilTrue(() => returned === 1 && server.state.left === 1);
  const leave = new AbortController();
  const channel = await server.client.Echo(endless(), { signal: leave.signal });
  await channel.next();
  leave.abort(new Error("enough"));
  await assertRejects(() => Array.fromAsync(channel), Error, "enough");
  await untilTrue(() => returned === 2 && server.state.left === 2);
});
