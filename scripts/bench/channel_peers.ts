import { OpenAPIHandler } from "@orpc/openapi/fetch";
import { eventIterator, os } from "@orpc/server";
import { createEventStream, H3 } from "h3";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { api, chan, handler, implement, rest } from "../../lib/rest/mod.ts";
import type { Fetch } from "./dispatch_peers.ts";

const Value = z.object({ n: z.number(), text: z.string() });
type Value = z.infer<typeof Value>;

/** The values of every peer: `GET /values/:count/:size` sends so many, each with a text of that size, as server-sent events. */
async function* makeValues(count: number, size: number): AsyncGenerator<Value> {
  const text = "x".repeat(size);
  for (let n = 0; n < count; n++) yield { n, text };
}

/** The same channel in every library that has them, as its documentation shows it. Ours and oRPC's check each value. */
export function channelPeers(): Record<string, Fetch> {
  return { gantry: gantryPeer(), hono: honoPeer(), h3: h3Peer(), orpc: orpcPeer() };
}

function gantryPeer(): Fetch {
  const feed = api("http://localhost", {
    Values: rest("GET /values/{count=%v}/{size=%v}", [z.number(), z.number()], [chan(Value)]),
  });
  const serve = handler(null, implement(feed, { Values: (count, size) => makeValues(count, size) }));
  return (request) => serve(request);
}

function honoPeer(): Fetch {
  const app = new Hono();
  app.get("/values/:count/:size", (c) =>
    streamSSE(c, async (stream) => {
      for await (const value of makeValues(Number(c.req.param("count")), Number(c.req.param("size")))) {
        await stream.writeSSE({ data: JSON.stringify(value) });
      }
    }));
  return (request) => app.fetch(request);
}

function h3Peer(): Fetch {
  const app = new H3();
  app.get("/values/:count/:size", (event) => {
    const stream = createEventStream(event);
    const { count, size } = event.context.params!;
    void (async () => {
      for await (const value of makeValues(Number(count), Number(size))) await stream.push(JSON.stringify(value));
      await stream.close();
    })();
    return stream.send();
  });
  return (request) => app.fetch(request);
}

function orpcPeer(): Fetch {
  const serve = new OpenAPIHandler({
    values: os.route({ method: "GET", path: "/values/{count}/{size}" })
      .input(z.object({ count: z.coerce.number(), size: z.coerce.number() })).output(eventIterator(Value))
      .handler(({ input }) => makeValues(input.count, input.size)),
  });
  return async (request) => (await serve.handle(request)).response ?? new Response(null, { status: 404 });
}
