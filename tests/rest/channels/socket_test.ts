/** Channels that need a credential, from a browser and from a linked client, through the listener. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import {
  api,
  bearer,
  chan,
  handler,
  header,
  implement,
  implementPart,
  link,
  rest,
  socketProtocols,
} from "../../../lib/rest/mod.ts";
import { answerSocketCalls } from "../../../lib/rest/batch.ts";
import { resumable } from "../../../lib/rest/events.ts";
import { z } from "../../fixtures/zod.ts";
import { browserTest, withPage } from "../../fixtures/rest/chromium.ts";
import { meter, ticks } from "../../fixtures/rest/ticks.ts";

/** With what no header or subprotocol would take as it is. */
const TOKEN = "s3cret/+token==";

async function served() {
  let left = 0;
  const secret = implementPart(ticks, {
    async *Ticks(to) {
      try {
        for (let n = 1; n <= to; n++) {
          yield { n, exact: 2n ** 60n + BigInt(n), at: new Date(Date.UTC(2026, 0, n % 28 + 1)) };
        }
      } finally {
        left++;
      }
    },
  });
  // Cut off twice, as a proxy might: an EventSource comes back by itself.
  let cuts = 2;
  const open = api("x", { Open: rest("GET /open?to=%v", [z.int()], [chan(z.int())]) });
  const count = (to: number) =>
    resumable(async function* (after = "0") {
      const last = cuts-- > 0 ? Number(after) + 2 : to;
      for (let n = Number(after) + 1; n <= Math.min(to, last); n++) yield [String(n), n] as const;
    });
  const guarded = handler(bearer(TOKEN), secret);
  const page = answerSocketCalls(handler(null, [implement(open, { Open: count }), metered], { fallback: guarded }));
  let script: Promise<string> | undefined;
  const listener = await listen("tcp://127.0.0.1:0", async (request, platform) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response(PAGE, { headers: { "content-type": "text/html" } });
    if (pathname !== "/page.js") return page(request, platform);
    script ??= bundled("tests/fixtures/rest/socket_page.ts", "portable");
    return new Response(await script, { headers: { "content-type": "text/javascript" } });
  });
  const url = listener.address.replace("tcp:", "http:");
  return { url, left: () => left, [Symbol.asyncDispose]: () => listener.close(0) };
}

/** Running totals of what comes, and a call for many at once. */
const metered = implement(meter, {
  async *Totals(values) {
    let total = 0n;
    for await (const value of values) yield total += value;
  },
  Twice: (n) => 2n * n,
});

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`;

Deno.test("link() sends the headers of its client when it opens a WebSocket", async () => {
  await using server = await served();
  const client = link(ticks, server.url, header("authorization", `Bearer ${TOKEN}`));
  const seen = await Array.fromAsync(await client.Ticks(3, { websocket: true }));
  assertEquals(seen.map(({ n, exact }) => [n, exact - 2n ** 60n]), [[1, 1n], [2, 2n], [3, 3n]]);
});

Deno.test("bearer() takes the token of a WebSocket's subprotocol, and of no other request's", async () => {
  await using server = await served();
  const open = (protocols: string[]) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/ticks?to=2`, protocols);
    return new Promise<unknown[]>((resolve) => {
      let count = 0;
      socket.onmessage = () => count++;
      socket.onerror = () => {};
      socket.onclose = ({ code }) => resolve([code, count, socket.protocol]);
    });
  };
  assertEquals(await open(socketProtocols(TOKEN)), [1000, 2, "gantry.plain"]);
  for (const protocols of [socketProtocols("guess"), ["gantry.plain"], ["gantry.plain", "gantry.bearer.%"], []]) {
    const [code] = await open(protocols).catch(() => [0]);
    assert(code !== 1000, protocols.join());
  }
  const headers = { "sec-websocket-protocol": socketProtocols(TOKEN).join() };
  const response = await fetch(`${server.url}/ticks?to=2`, { headers });
  assertEquals(response.status, 401);
  await response.body?.cancel();
});

browserTest("a browser consumes channels with a credential: lines, events and WebSockets", async () => {
  await using server = await served();
  await withPage(server.url, async ({ page, troubles }) => {
    await page.goto(server.url);
    await page.waitForFunction("globalThis.read");
    const call = (text: string) => page.evaluate(text) as Promise<unknown[]>;
    const tick = (n: number) => ({
      n,
      exact: String(2n ** 60n + BigInt(n)),
      at: `2026-01-0${n + 1}T00:00:00.000Z`,
    });
    for (const way of ["lines", "events", "websocket"]) {
      assertEquals(await call(`read(${JSON.stringify(TOKEN)}, "${way}", 3)`), [tick(1), tick(2), tick(3)], way);
      const [refused] = await call(`read("guess", "${way}", 3)`);
      assertMatch(String(refused), way === "websocket" ? /closed/ : /the token is not known/);
      const before = server.left();
      assertEquals((await call(`read(${JSON.stringify(TOKEN)}, "${way}", 1e9)`)).length, 20_000, way);
      for (let i = 0; i < 100 && server.left() === before; i++) await new Promise((go) => setTimeout(go, 20));
      assertEquals(server.left(), before + 1, `${way}: leaving the loop lets the source go`);
    }
    assertEquals(await call(`plain(${JSON.stringify(TOKEN)}, 3)`), ["gantry.plain", 1000, 1, 2, 3]);
    assertEquals(await call(`plain(undefined, 3)`), ["", 1006]);
    // The browser waits 3 s before it comes back, each time.
    const seen = await call("eventSource(3)");
    assertEquals(seen, [1, 2, 3].map((n) => [n, String(n)]));
    // What JSON would round, one value after the other's answer.
    assertEquals(await call("talk(4)"), ["1", "3", "6", "10"]);
    assertEquals(await call("together(50)"), Array.from({ length: 50 }, (_, n) => String(2 * n)));
    // The refused WebSockets, which a browser tells of.
    assertEquals(troubles.filter((text) => !/WebSocket|ws:/.test(text)), []);
  });
});
