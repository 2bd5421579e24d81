import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { api, chan, handler, implement, int64, rest } from "../../../lib/rest/mod.ts";
import { PassedChannel } from "../../../lib/rest/run/forwarded.ts";

const counter = api("x", { Count: rest("GET /count?to=%v", [int64], [chan(int64)]) });

Deno.test("writeChannel() keeps the values of a server behind on one line each", async () => {
  async function* texts() {
    yield '{"a":\n1,\r\n"b":2}';
  }
  const feed = api("x", { Feed: rest("GET /feed", [], [chan(z.object({ a: z.number(), b: z.number() }))]) });
  // As the function of a linked API returns it.
  const pass = () => new PassedChannel(texts()) as unknown as AsyncIterable<{ a: number; b: number }>;
  const serve = handler(null, implement(feed, { Feed: pass }));
  const answer = async (accept: string) => (await serve(new Request("http://h/feed", { headers: { accept } }))).text();
  assertEquals(await answer("*/*"), '{"a": 1,  "b":2}\n');
  assertMatch(await answer("text/event-stream"), /^data: \{"a": 1, {2}"b":2\}\n\nevent: end\n/);
});

Deno.test("writeChannel() ends a call with its body: its signal aborts when the body is cancelled, and not after its end", async () => {
  const signals: AbortSignal[] = [];
  const serve = handler(
    null,
    implement(counter, {
      async *Count(to, { signal }) {
        signals.push(signal);
        for (let n = 1n; n <= to; n++) yield n;
      },
    }),
  );
  for (const accept of ["application/x-ndjson", "text/event-stream"]) {
    const read = new AbortController();
    const whole = await serve(
      new Request("http://h/count?to=2", { headers: { accept }, signal: read.signal }),
    );
    await whole.text();
    read.abort();
    const left = await serve(new Request("http://h/count?to=100000", { headers: { accept } }));
    await left.body!.cancel("enough");
    const [ended, cancelled] = signals.splice(0);
    assertEquals([ended.aborted, cancelled.aborted, cancelled.reason], [false, true, "enough"]);
  }
});

Deno.test("writeChannel() answers 204 with the headers of the API, too: a browser asks again for what it may not read", async () => {
  const open = api("x", { Count: rest("GET /count?to=%v", [int64], [chan(int64)]) }, {
    headers: { "access-control-allow-origin": "*" },
  });
  const serve = handler(null, implement(open, { async *Count() {} }));
  const headers = { accept: "text/event-stream", "last-event-id": "end" };
  const response = await serve(new Request("http://h/count?to=1", { headers }));
  assertEquals([response.status, response.headers.get("access-control-allow-origin")], [204, "*"]);
});
