import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { channelResponse, openChannel } from "../../../lib/rest/channels/channel.ts";
import { api, chan, handler, implement, rest } from "../../../lib/rest/mod.ts";
import { HTTPError } from "../../../lib/rest/error.ts";
import { silent } from "../../fixtures/rest/silent.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const encode = (value: unknown) => JSON.stringify(value);

function context(headers: HeadersInit = {}, rest: { contentType?: string; signal?: AbortSignal } = {}) {
  const request = new Request("http://localhost/watch", { headers });
  return { request, platform: {}, encode, signal: rest.signal ?? request.signal, contentType: rest.contentType };
}

async function* numbers(count: number, left: { at?: number } = {}) {
  let i = 0;
  try {
    for (; i < count; i++) yield { i };
  } finally {
    left.at = i;
  }
}

Deno.test("channelResponse() sends newline-delimited JSON", async () => {
  const response = await channelResponse(numbers(3), context());
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  assertEquals(await response.text(), '{"i":0}\n{"i":1}\n{"i":2}\n');
});

Deno.test("channelResponse() sends lines under the type that is given", async () => {
  const response = await channelResponse(numbers(1), context({}, { contentType: "application/json" }));
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(await response.text(), '{"i":0}\n');
});

Deno.test("channelResponse() sends server-sent events to who asks for them", async () => {
  const response = await channelResponse(numbers(2), context({ accept: "text/html, text/event-stream;q=0.5" }));
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(await response.text(), 'data: {"i":0}\n\ndata: {"i":1}\n\nevent: end\nid: end\ndata: \n\n');
});

Deno.test("channelResponse() says in an event what an HTTPError says, and nothing of other errors", async () => {
  const failing = async function* (error: Error) {
    yield 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw error;
  };
  const accept = { accept: "text/event-stream" };
  const told = await channelResponse(failing(new HTTPError(409, "Watch: gone")), context(accept));
  assertStringIncludes(await told.text(), 'event: error\ndata: "Watch: gone"\n\n');
  const kept = await channelResponse(failing(new Error("secret")), context(accept));
  assertStringIncludes(await kept.text(), 'event: error\ndata: "Internal error"\n\n');
});

Deno.test("channelResponse() throws what a source throws at once", async () => {
  // deno-lint-ignore require-yield -- it fails first
  const failing = async function* () {
    throw new HTTPError(404, "Watch: nothing of that name");
  };
  await assertRejects(() => channelResponse(failing(), context()), HTTPError, "nothing of that name");
});

Deno.test("channelResponse() breaks the body off when the source fails later", async () => {
  const failing = async function* () {
    yield 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Error("broken");
  };
  const response = await channelResponse(failing(), context());
  await assertRejects(() => response.text(), Error, "broken");
});

Deno.test("channelResponse() answers before a source has its first value, and flushes each value", async () => {
  let give!: (value: number) => void;
  const source = async function* () {
    yield await new Promise((resolve) => give = resolve);
    yield await new Promise((resolve) => give = resolve);
  };
  const response = await channelResponse(source(), context());
  const reader = response.body!.getReader();
  for (const value of [1, 2]) {
    const read = reader.read();
    await new Promise((resolve) => setTimeout(resolve, 1));
    give(value);
    assertEquals(new TextDecoder().decode((await read).value), `${value}\n`);
  }
  assertEquals((await reader.read()).done, true);
});

Deno.test("channelResponse() runs the source's return when the body is cancelled or the peer goes away", async () => {
  const cancelled = silent();
  const response = await channelResponse(cancelled.source, context());
  const reader = response.body!.getReader();
  reader.read().catch(() => {});
  await reader.cancel();
  await cancelled.returned;

  const left = silent();
  const controller = new AbortController();
  await channelResponse(left.source, context({}, { signal: controller.signal }));
  controller.abort();
  await left.returned;
});

Deno.test("channelResponse() reads its source no faster than the body is read", async () => {
  const left: { at?: number } = {};
  const big = "x".repeat(32 * 1024);
  let produced = 0;
  const source = async function* () {
    try {
      for (;;) {
        produced++;
        yield big;
      }
    } finally {
      left.at = produced;
    }
  };
  const response = await channelResponse(source(), context());
  const reader = response.body!.getReader();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert(produced < 8, `${produced} values for one read`);
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(left.at, produced);
});

Deno.test("channelResponse() answers 501 to a WebSocket where there is none", async () => {
  const upgrade = context({ connection: "Upgrade", upgrade: "websocket" });
  const error = await assertRejects(() => channelResponse(numbers(1), upgrade), HTTPError);
  assertEquals(error.status, 501);
});

Deno.test("openChannel() yields decoded values and ends", async () => {
  const left: { at?: number } = {};
  const channel = openChannel<{ i: number }>({
    request: new Request("http://localhost/watch"),
    fetch: (request) => channelResponse(numbers(500, left), { ...context(), request }),
    decode: JSON.parse,
  });
  const seen: number[] = [];
  for await (const { i } of channel) seen.push(i);
  assertEquals(seen, [...Array(500).keys()]);
  assertEquals(left.at, 500);
});

Deno.test("openChannel() lets the sender go when the loop is left, and when it is closed while waiting", async () => {
  const endless = silent();
  const channel = openChannel({
    request: new Request("http://localhost/watch"),
    fetch: (request) => channelResponse(endless.source, { ...context(), request }),
    decode: JSON.parse,
  });
  const waiting = channel[Symbol.asyncIterator]().next();
  await channel.opened;
  await channel.close();
  assertEquals(await waiting, { done: true, value: undefined });
  await endless.returned;

  const left: { at?: number } = {};
  const many = openChannel({
    request: new Request("http://localhost/watch"),
    fetch: (request) => channelResponse(numbers(1e9, left), { ...context(), request }),
    decode: JSON.parse,
  });
  for await (const _ of many) break;
  await untilTrue(() => left.at !== undefined);
  assert(left.at !== undefined && left.at < 1e6);
});

Deno.test("openChannel() throws the signal's reason, the sender's failure and a status that is no success", async () => {
  const controller = new AbortController();
  const request = new Request("http://localhost/watch");
  const fetch = (request: Request) => channelResponse(silent().source, { ...context(), request });
  const aborted = openChannel({ request, fetch, decode: JSON.parse, signal: controller.signal });
  const waiting = aborted[Symbol.asyncIterator]().next();
  controller.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");

  const refused = openChannel({
    request,
    fetch: () => Promise.resolve(new Response("no", { status: 404 })),
    decode: JSON.parse,
  });
  await assertRejects(() => refused.opened, Error, "status 404");
  await assertRejects(() => refused[Symbol.asyncIterator]().next(), Error, "status 404");
});

Deno.test("openChannel() learns why a channel over lines failed, where a broken-off body would not say", async () => {
  const failing = async function* () {
    yield { i: 1 };
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new HTTPError(409, "Watch: gone\nfor good");
  };
  for (const accept of [undefined, "application/json"]) {
    const request = new Request("http://localhost/watch", { headers: accept ? { accept } : {} });
    const channel = openChannel<{ i: number }>({
      request,
      fetch: (request) => channelResponse(failing(), { ...context(), request }),
      decode: JSON.parse,
    });
    const seen: number[] = [];
    const reading = async () => {
      for await (const { i } of channel) seen.push(i);
    };
    await assertRejects(reading, Error, "Watch: gone\nfor good");
    assertEquals(seen, [1]);
  }
});

Deno.test("openChannel() reads a long line in a time that grows with its length", async () => {
  const length = 32 * 1024 * 1024;
  const piece = new TextEncoder().encode("x".repeat(16 * 1024));
  let left = length / piece.length;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => left-- > 0 ? controller.enqueue(piece) : controller.close(),
  });
  const channel = openChannel<string>({
    request: new Request("http://localhost/watch"),
    fetch: () => Promise.resolve(new Response(body)),
    decode: (text) => text,
  });
  assertEquals((await Array.fromAsync(channel)).map((text) => text.length), [length]);
});

Deno.test("a reader who leaves while a value is on its way is no failure", async () => {
  const told: unknown[] = [];
  let [go, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const watch = api("watch.example.com", { Watch: rest("GET /watch", [], [chan(z.number())]) });
  const Watch = async function* () {
    try {
      yield 1;
      await go.promise;
      yield 2;
    } finally {
      left.resolve();
    }
  };
  const serve = handler(null, implement(watch, { Watch }), { onError: (error) => void told.push(error) });
  for (const accept of ["application/x-ndjson", "text/event-stream"]) {
    [go, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { body } = await serve(new Request("http://localhost/watch", { headers: { accept } }));
    const reader = body!.getReader();
    await reader.read();
    const second = reader.read();
    await reader.cancel();
    go.resolve();
    assertEquals((await second).done, true);
    await left.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(told, []);
});
