/** `outcomeOf` a channel, over each carrier. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { events } from "../../../lib/rest/events.ts";
import { api, chan, failureOf, handler, HTTPError, implement, link, outcomeOf, rest } from "../../../lib/rest/mod.ts";
import { clientModule } from "../../../lib/rest/surfaces.ts";

const market = api("x", {
  Watch: rest("GET /prices/{of=%v} !404 !409(Taken)", [z.string()], [chan(z.number())], {
    errors: { Taken: z.object({ by: z.string() }) },
  }),
});
const serve = handler(
  null,
  implement(market, {
    Watch(of) {
      if (of === "none") return failureOf(404, "Watch: there is none");
      if (of === "taken") return failureOf(409, "Watch: it is taken", { by: "ann" });
      if (of === "odd") throw new HTTPError(418, "Watch: a pot");
      return (async function* () {
        yield 1;
        if (of === "later") throw new HTTPError(404, "Watch: it is gone");
        yield 2;
      })();
    },
  }),
  { onError() {} },
);

function serveMarket(): Deno.HttpServer<Deno.NetAddr> {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  return Deno.serve(
    options,
    (request) => serve(request, { upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options) }),
  );
}

Deno.test("outcomeOf() of a channel tells whether it could be opened, over lines, events and WebSockets", async () => {
  await using server = serveMarket();
  const base = `http://127.0.0.1:${server.addr.port}`;
  const clients = [
    link(market, base, { fetch: serve }),
    link(market, base, { fetch }),
    link(market, base),
    link(market, base, events()),
  ];
  for (const [at, client] of clients.entries()) {
    const none = await outcomeOf(client.Watch("none"));
    assertEquals([none.ok, none.status, none.error?.message], [false, 404, "Watch: there is none"], `client ${at}`);
    const taken = await outcomeOf(client.Watch("taken"));
    assert(taken.status === 409, `client ${at}`);
    assertEquals(taken.error.body, { by: "ann" });
    const odd = await outcomeOf(client.Watch("odd"));
    assert(!odd.ok && odd.status === undefined && odd.error instanceof HTTPError && odd.error.status === 418);
    const tea = await outcomeOf(client.Watch("tea"));
    assert(tea.ok, `client ${at}`);
    assertEquals(await Array.fromAsync(tea.value), [1, 2]);
    const later = await outcomeOf(client.Watch("later"));
    assert(later.ok);
    await assertRejects(() => Array.fromAsync(later.value), Error);
  }
  const socket = await outcomeOf(link(market, base).Watch("none", { websocket: true }));
  assertEquals([socket.ok, socket.status, socket.error instanceof Error], [false, undefined, true]);
});

Deno.test("outcomeOf() of the client module tells whether a channel could be opened", async () => {
  await using server = serveMarket();
  const { connect, outcomeOf } = await import(
    `data:text/javascript,${encodeURIComponent(clientModule(market))}`
  );
  const client = connect(`http://127.0.0.1:${server.addr.port}`);
  for (const how of [{}, { events: true }]) {
    const taken = await outcomeOf(client.Watch("taken", how));
    assertEquals([taken.ok, taken.status, taken.error?.body], [false, 409, { by: "ann" }]);
    assertEquals((await outcomeOf(client.Watch("odd", how))).error.status, 418);
  }
  for (const how of [{}, { events: true }, { websocket: true }]) {
    const tea = await outcomeOf(client.Watch("tea", how));
    assertEquals([tea.ok, await Array.fromAsync(tea.value)], [true, [1, 2]]);
  }
  const socket = await outcomeOf(client.Watch("none", { websocket: true }));
  assertEquals([socket.ok, socket.status, socket.error instanceof Error], [false, undefined, true]);
  // Nobody hears of one that is not asked for.
  await client.Watch("none", { websocket: true });
});

Deno.test("defect: a channel whose server sends something else says which operation's, and why", async () => {
  const fetch = () => Promise.resolve(new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } }));
  for (const client of [{ fetch }, events({ fetch: () => Promise.resolve(new Response("data: oh\n\n")) })]) {
    const prices = await link(market, "http://x", client).Watch("tea");
    const error = await assertRejects(
      () => Array.fromAsync(prices),
      HTTPError,
      'Read the result of "Watch": Unexpected',
    );
    assertEquals(error.status, 502);
  }
});
