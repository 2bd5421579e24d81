import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  api,
  chan,
  handler,
  header,
  hooks,
  HTTPError,
  implement,
  int64,
  link,
  rest,
  retry,
} from "../../../lib/rest/mod.ts";
import { channelResponse } from "../../../lib/rest/channels/channel.ts";
import { events, resumable } from "../../../lib/rest/events.ts";
import { readEvents } from "../../../lib/rest/channels/read_events.ts";
import { eventFrame } from "../../../lib/rest/channels/sse.ts";

const counter = api("x", { Count: rest("GET /count?to=%v", [int64], [chan(int64)]) });

/** Counts with IDs; `broken` gives the numbers after which the connection is cut, in turn. */
function served(broken: bigint[] = []) {
  const asked: (string | null)[] = [];
  const count = (to: bigint) =>
    resumable(async function* (after = "0") {
      if (after === "gone") throw new HTTPError(410, "Count: that is too long ago");
      for (let n = BigInt(after) + 1n; n <= to; n++) {
        if (n > 3n) await new Promise((resolve) => setTimeout(resolve));
        yield [String(n), n] as const;
      }
    });
  const serve = handler(null, implement(counter, { Count: count }));
  const fetch = async (request: Request) => {
    asked.push(request.headers.get("last-event-id"));
    const response = await serve(request);
    const cut = broken.shift();
    return cut === undefined ? response : new Response(cutAfter(response.body!, `data: ${cut}\n\n`), response);
  };
  return { client: { fetch }, asked };
}

/** Breaks a body off behind a text. */
function cutAfter(body: ReadableStream<Uint8Array>, text: string): ReadableStream<Uint8Array> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value = "" } = await reader.read();
      const at = (seen += value).indexOf(text);
      if (done) return controller.close();
      if (at < 0) return controller.enqueue(new TextEncoder().encode(value));
      const end = value.length - (seen.length - at - text.length);
      controller.enqueue(new TextEncoder().encode(value.slice(0, end) + "id: half\nda"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.error(new TypeError("connection reset"));
      await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

Deno.test("resumable() sends IDs, and begins after the last one a client has seen", async () => {
  const { client } = served();
  const get = (headers: HeadersInit) =>
    client.fetch(new Request("http://h/count?to=4", { headers: { accept: "text/event-stream", ...headers } }));
  const all = await (await get({})).text();
  assertEquals(all.split("\n\n").slice(0, 4), [1, 2, 3, 4].map((n) => `id: ${n}\ndata: ${n}`));
  assertEquals(await (await get({ "last-event-id": "3" })).text(), "id: 4\ndata: 4\n\nevent: end\ndata: \n\n");
});

Deno.test("resumable() answers 204 when nothing follows, so that an EventSource stops asking", async () => {
  const { client } = served();
  const headers = { accept: "text/event-stream", "last-event-id": "4" };
  assertEquals((await client.fetch(new Request("http://h/count?to=4", { headers }))).status, 204);
});

Deno.test("resumable() answers with the error of a start point that is no more", async () => {
  const { client } = served();
  const headers = { accept: "text/event-stream", "last-event-id": "gone" };
  assertEquals((await client.fetch(new Request("http://h/count?to=4", { headers }))).status, 410);
});

Deno.test("resumable() is an ordinary source over lines", async () => {
  const { client } = served();
  const seen = await Array.fromAsync(await link(counter, "http://h", client).Count(3n));
  assertEquals(seen, [1n, 2n, 3n]);
});

Deno.test("events() goes on where it was cut off, with nothing lost and nothing twice", async () => {
  const { client, asked } = served([2n, 5n, 9n]);
  const seen = await Array.fromAsync(await link(counter, "http://h", events(client, { wait: 1 })).Count(12n));
  assertEquals(seen, [...Array(12).keys()].map((n) => BigInt(n + 1)));
  assertEquals(asked, [null, "2", "5", "9"]);
});

Deno.test("events() gives up after so many attempts, and throws what went wrong", async () => {
  let asked = 0;
  const { client } = served([2n]);
  const fetch = (request: Request) =>
    asked++ === 0 ? client.fetch(request) : Promise.reject(new TypeError("connection refused"));
  const channel = await link(counter, "http://h", events({ fetch }, { wait: 1, attempts: 3 })).Count(9n);
  const seen: bigint[] = [];
  const reading = async () => {
    for await (const n of channel) seen.push(n);
  };
  await assertRejects(reading, TypeError, "connection refused");
  assertEquals([seen, asked], [[1n, 2n], 4]);
});

Deno.test("events() throws at once what connecting again would not mend", async () => {
  const { client } = served([2n]);
  let asked = 0;
  const fetch = (request: Request) => {
    const headers = new Headers(request.headers);
    if (asked++ > 0) headers.set("last-event-id", "gone");
    return client.fetch(new Request(request, { headers }));
  };
  const gone = await link(counter, "http://h", events({ fetch }, { wait: 1 })).Count(9n);
  await assertRejects(() => Array.fromAsync(gone), HTTPError, "too long ago");
  assertEquals(asked, 2);

  const failing = implement(counter, {
    async *Count() {
      yield 1n;
      await new Promise((resolve) => setTimeout(resolve, 2));
      throw new HTTPError(409, "Count: out of numbers");
    },
  });
  const told = await link(counter, "http://h", events({ fetch: handler(null, failing) })).Count(9n);
  await assertRejects(() => Array.fromAsync(told), Error, "out of numbers");
});

Deno.test("events() throws for a connection that breaks where values have no IDs", async () => {
  const plain = handler(
    null,
    implement(counter, {
      async *Count() {
        yield* [1n, 2n, 3n, 4n];
      },
    }),
  );
  const fetch = async (request: Request) => new Response(cutAfter((await plain(request)).body!, "data: 2\n\n"));
  const channel = await link(counter, "http://h", events({ fetch }, { wait: 1 })).Count(9n);
  const seen: bigint[] = [];
  await assertRejects(
    async () => {
      for await (const n of channel) seen.push(n);
    },
    TypeError,
    "reset",
  );
  assertEquals(seen, [1n, 2n]);
});

Deno.test("events() lets the source go when the loop is left, and while it waits to connect again", async () => {
  const { client } = served([2n]);
  const channel = await link(counter, "http://h", events(client, { wait: 60_000 })).Count(9n);
  const iterator = channel[Symbol.asyncIterator]();
  assertEquals((await iterator.next()).value, 1n);
  assertEquals((await iterator.next()).value, 2n);
  const waiting = iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await channel.close();
  assertEquals(await waiting, { done: true, value: undefined });
});

Deno.test("channelResponse() sends a comment when events are quiet, and values as they come", async () => {
  let give = () => {};
  async function* quiet() {
    await new Promise<void>((resolve) => give = resolve);
    yield 1;
  }
  const request = new Request("http://h/", { headers: { accept: "text/event-stream" } });
  const context = { request, platform: {}, signal: request.signal, encode: String, heartbeat: 5 };
  const reader = (await channelResponse(quiet(), context)).body!.pipeThrough(new TextDecoderStream()).getReader();
  assertEquals((await reader.read()).value, ":\n\n");
  assertEquals((await reader.read()).value, ":\n\n");
  give();
  let text = "";
  while (!text.includes("end")) text += (await reader.read()).value;
  assertEquals(text.replaceAll(":\n\n", ""), "data: 1\n\nevent: end\nid: end\ndata: \n\n");
  await reader.cancel();
});

Deno.test("channelResponse() sends no comments once a quiet channel is left, whose source does not notice", async () => {
  // deno-lint-ignore require-yield
  async function* deaf() {
    await new Promise(() => {});
  }
  const { setInterval, clearInterval } = globalThis;
  const running = new Set<unknown>();
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    const timer = setInterval(...args);
    running.add(timer);
    return timer;
  }) as typeof setInterval;
  globalThis.clearInterval = (timer) => {
    running.delete(timer);
    clearInterval(timer);
  };
  try {
    const request = new Request("http://h/", { headers: { accept: "text/event-stream" } });
    const context = { request, platform: {}, signal: request.signal, encode: String, heartbeat: 5 };
    const reader = (await channelResponse(deaf(), context)).body!.getReader();
    assertEquals(new TextDecoder().decode((await reader.read()).value), ":\n\n");
    const waiting = reader.read();
    await reader.cancel();
    await waiting;
    assertEquals(running.size, 0);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

Deno.test("eventFrame() refuses an ID that would not come back", () => {
  for (const id of ["a\nb", "a\r", "\0", "é", "😀"]) {
    assertThrows(() => eventFrame("1", undefined, id), TypeError, "ID");
  }
});

Deno.test("readEvents() reads what the standard allows, however it is cut into pieces", async () => {
  const text = "\uFEFF: comment\r\nid: 1\rdata: a\r\ndata:b\n\nevent: x\ndata\ndata:  é\r\r" +
    "retry: 20\nid:2\nunknown: y\n\ndata: lost by being cut";
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size += size < 9 ? 1 : 17) {
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    const seen = await Array.fromAsync(readEvents(ReadableStream.from(pieces).getReader()));
    assertEquals(seen, [
      { name: "message", data: "a\nb", id: "1", retry: undefined },
      { name: "x", data: "\n é", id: "1", retry: undefined },
    ], `in pieces of ${size}`);
  }
});

Deno.test("events(), header(), hooks() and retry() go together, in any order", async () => {
  for (
    const make of [
      (fetch: (request: Request) => Promise<Response>) => events(header("x-a", "1", { fetch })),
      (fetch: (request: Request) => Promise<Response>) => header("x-a", "1", events({ fetch })),
      (fetch: (request: Request) => Promise<Response>) => hooks({}, retry({}, header("x-a", "1", events({ fetch })))),
    ]
  ) {
    const { client } = served();
    const seen: (string | null)[] = [];
    const fetch = (request: Request) => {
      seen.push(request.headers.get("x-a"), request.headers.get("accept"));
      return client.fetch(request);
    };
    assertEquals((await Array.fromAsync(await link(counter, "http://h", make(fetch)).Count(2n))).length, 2);
    assertEquals(seen, ["1", "text/event-stream"]);
  }
});
