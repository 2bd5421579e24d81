import { assertEquals, assertRejects } from "@std/assert";
import { connect, listenAndServe } from "../../../lib/platform/http/serve.ts";
import { api, bearer, chan, header, implement, int64, link, rest } from "../../../lib/rest/mod.ts";

const clock = api("clock.example.com", {
  Ticks: rest("GET /ticks?from=%v", [int64], [chan(int64)]),
  Now: rest("GET /now", [], [int64]),
});

/** A clock that ticks until it is left, behind a token, on a Unix socket. */
async function served() {
  const folder = await Deno.makeTempDir();
  const left = Promise.withResolvers<void>();
  const functions = implement(clock, {
    async *Ticks(from) {
      try {
        for (let n = from;; n++) yield n;
      } finally {
        left.resolve();
      }
    },
    Now: () => 1n,
  });
  const server = await listenAndServe(`unix://${folder}/clock.sock`, bearer("sesame-street"), functions);
  return {
    address: server.address,
    left: left.promise,
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("connect() opens WebSockets on a Unix socket, with the headers of the client around it", async () => {
  await using server = await served();
  using client = connect(server.address);
  // Colons and more in a query are no part of the socket's path.
  const api = link(clock, "https://nowhere.example.com/", header("authorization", "Bearer sesame-street", client));
  assertEquals(await api.Now(), 1n);
  const seen: bigint[] = [];
  for await (const tick of await api.Ticks(5n, { websocket: true })) if (seen.push(tick) === 300) break;
  assertEquals([seen[0], seen.at(-1)], [5n, 304n]);
  await server.left;
});

Deno.test("connect() tells why a WebSocket is refused, and that there is no server", async () => {
  await using server = await served();
  using client = connect(server.address);
  const read = async (client: ReturnType<typeof connect>) =>
    await Array.fromAsync(await link(clock, "http://localhost", client).Ticks(0n, { websocket: true }));
  await assertRejects(() => read(client), Error, "401");
  using nobody = connect(`${server.address}-not`);
  await assertRejects(() => read(nobody), Error, "ENOENT");
});

Deno.test("connect() closes its WebSockets when it is disposed of", async () => {
  await using server = await served();
  const client = connect(server.address);
  const api = link(clock, "http://localhost", header("authorization", "Bearer sesame-street", client));
  const channel = await api.Ticks(0n, { websocket: true });
  const iterator = channel[Symbol.asyncIterator]();
  await iterator.next();
  client[Symbol.dispose]();
  await server.left;
  await assertRejects(
    async () => {
      while (!(await iterator.next()).done);
    },
    Error,
    "closed with 1006",
  );
});

Deno.test("defect: a timeout ends a channel, over lines and over a WebSocket", async () => {
  await using server = await served();
  using client = connect(server.address);
  const api = link(clock, "http://localhost", header("authorization", "Bearer sesame-street", client));
  for (const websocket of [false, true]) {
    let last = 0n;
    // On a busy machine nothing may have come before a short timeout.
    for (let timeout = 800; last === 0n && timeout < 60_000; timeout *= 2) {
      const read = async () => {
        for await (const tick of await api.Ticks(1n, { websocket, timeout })) last = tick;
      };
      assertEquals((await assertRejects(read, DOMException)).name, "TimeoutError");
    }
    assertEquals(last > 0n, true);
  }
  await server.left;
});
