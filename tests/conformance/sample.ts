/**
 * A handler with one path for each thing an adapter has to carry, and a diary of what happened behind the wire. It names no
 * runtime: the same module is served by Deno, bundled for Node and for workerd.
 *
 * @module
 */
import { channelResponse } from "../../lib/rest/channels/channel.ts";
import type { Handler, Platform } from "../../lib/rest/context.ts";
import { HTTPError } from "../../lib/rest/error.ts";
import {
  acceptDuplex,
  api,
  chan,
  formStreams,
  handlerWith,
  implement,
  int64,
  partOf,
  receiveChannel,
  rest,
  stream,
  streams,
  writeChannel,
} from "../../lib/rest/server.ts";

/** A channel as an argument, and one each way. */
export const meter = api("meter.example.com", {
  Sum: rest("POST /meter/sum", [chan(int64)], [int64]),
  First: rest("POST /meter/first", [chan(int64)], [int64]),
  Double: rest("POST /meter/double", [chan(int64)], [chan(int64)]),
});

const parts = { receive: receiveChannel, channel: writeChannel };
const metered = implement(meter, {
  async Sum(readings) {
    let sum = 0n;
    for await (const reading of readings) sum += reading;
    return sum;
  },
  async First(readings) {
    for await (const reading of readings) return reading;
    return -1n;
  },
  async *Double(readings) {
    for await (const reading of readings) {
      if (reading < 0n) throw new HTTPError(422, "Double: a reading is negative");
      yield reading * 2n;
    }
  },
});
const serveMeter = acceptDuplex(handlerWith(parts, null, metered), metered);

/** Forms whose files are streams. */
export const album = api("album.example.com", {
  Add: rest("POST(multipart/form-data) /album/add (title,file)", [int64, stream()], [stream("text/plain")]),
  First: rest("POST(multipart/form-data) /album/first (title,file)", [int64, stream()], [int64]),
  Pair: rest("POST(multipart/form-data) /album/pair (one,two)", [stream(), stream()], [stream("text/plain")]),
  Either: rest("POST(multipart/form-data) /album/either (one,two)", [stream().optional(), stream()], [
    stream("text/plain"),
  ]),
});

async function sizeOf(file: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of file) size += piece.length;
  return size;
}

const serveAlbum = (note: (text: string) => void) =>
  handlerWith(
    formStreams({ streams }),
    null,
    implement(album, {
      async Add(title, file) {
        note(`begun ${title}`);
        try {
          return `${title} ${partOf(file).filename} ${await sizeOf(file)}`;
        } catch (error) {
          note(`failed ${title}`);
          throw error;
        }
      },
      async First(_title, file) {
        for await (const piece of file) return BigInt(piece.length);
        return 0n;
      },
      Pair: async (one, two) => `${await sizeOf(one)} ${await sizeOf(two)}`,
      Either: async (one, two) => `${one && await sizeOf(one)} ${await sizeOf(two)}`,
    }),
  );

type Route = (request: Request, platform: Platform, query: URLSearchParams, note: (text: string) => void) =>
  | Response
  | Promise<Response>;

let made = 0;

const routes: Record<string, Route> = {
  async echo(request) {
    const headers = [...request.headers].filter(([name]) => name.startsWith("x-"));
    return Response.json({ method: request.method, url: request.url, headers, body: await request.text() });
  },

  async length(request) {
    let length = 0;
    if (request.body) { for await (const piece of request.body) length += piece.length; }
    return new Response(String(length));
  },

  meter: (request, platform) => serveMeter(request, platform),

  album: (request, platform, _query, note) => serveAlbum(note)(request, platform),

  /** Answers before it has read anything. */
  refuse: () => new Response("too large", { status: 413 }),

  status: (_request, _platform, query) =>
    new Response(query.get("body"), { status: Number(query.get("code")), headers: { "x-status": "yes" } }),

  cookies: () =>
    new Response("two", { headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]], statusText: "Just Fine" }),

  throw: () => {
    throw new Error("secret");
  },

  /** As many bytes as asked for, in pieces of 64 KiB, made only as they are read. */
  bytes(_request, _platform, query, note) {
    let left = Number(query.get("n"));
    const piece = new Uint8Array(65536).fill(120);
    let made = 0;
    return new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left <= 0) return controller.close();
          controller.enqueue(piece.subarray(0, left));
          left -= piece.length;
          made++;
        },
        cancel: () => note(`cancelled after ${made}`),
      }, { highWaterMark: 0 }),
    );
  },

  /** A stream that has nothing to say yet. */
  quiet(request, _platform, _query, note) {
    request.signal.addEventListener("abort", () => note("aborted"));
    return new Response(new ReadableStream({ cancel: () => note("cancelled") }), { headers: { "x-quiet": "yes" } });
  },

  /** Never answers, unless the peer goes away. */
  wait: (request, _platform, _query, note) =>
    new Promise((_, reject) =>
      request.signal.addEventListener("abort", () => {
        note("aborted");
        reject(request.signal.reason);
      })
    ),

  fail: () =>
    new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          await new Promise((resolve) => setTimeout(resolve, 20));
          controller.error(new Error("broken"));
        },
      }),
    ),

  /** Takes the connection over and answers every piece in capitals; says so when the peer has ended its side. */
  async attach(_request, platform, query) {
    if (platform.upgrade === undefined) throw new HTTPError(501, "Attach: this runtime gives no connection away");
    const { readable, writable, response } = await platform.upgrade({
      status: query.has("status") ? Number(query.get("status")) : undefined,
      headers: { "content-type": "application/vnd.docker.raw-stream" },
    });
    void capitals(readable, writable);
    return response;
  },

  /** Reads a JSON body, then takes the connection over. */
  async start(request, platform) {
    const { greeting } = await request.json();
    if (platform.upgrade === undefined) throw new HTTPError(501, "Start: this runtime gives no connection away");
    const { readable, writable, response } = await platform.upgrade();
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(greeting + "\n"));
    writer.releaseLock();
    void capitals(readable, writable);
    return response;
  },

  /** Ends its side at once and goes on reading. */
  async drain(_request, platform, _query, note) {
    const { readable, writable, response } = await platform.upgrade!();
    await writable.close();
    void (async () => {
      let length = 0;
      for await (const piece of readable) length += piece.length;
      note(`drained ${length}`);
    })();
    return response;
  },

  /** How many values the last source has made, and what the process holds, where that can be known. */
  made() {
    const { process } = globalThis as { process?: { memoryUsage?(): { rss: number } } };
    return Response.json({ values: made, memory: process?.memoryUsage?.().rss ?? 0 });
  },

  values(request, platform, query, note) {
    const count = Number(query.get("n") ?? 3);
    async function* source() {
      let i = 0;
      made = 0;
      try {
        for (; i < count; i++) {
          made++;
          if (query.has("fail") && i === count - 1) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            throw new HTTPError(500, "Count: out of numbers");
          }
          if (query.has("slowly")) await new Promise((resolve) => setTimeout(resolve, 2));
          yield { i, pad: "x".repeat(Number(query.get("pad") ?? 0)) };
        }
      } finally {
        note(`left at ${i}`);
      }
    }
    return channelResponse(source(), { request, platform, signal: request.signal, encode: (v) => JSON.stringify(v) });
  },
};

async function capitals(readable: ReadableStream<Uint8Array>, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const piece of readable) {
      await writer.write(new TextEncoder().encode(new TextDecoder().decode(piece).toUpperCase()));
    }
    await writer.write(new TextEncoder().encode("<end>"));
    await writer.close();
  } catch { /* the peer has gone */ }
}

/** Makes the handler, with a diary of its own under `/diary`. */
export function sample(): Handler {
  const diary: string[] = [];
  return async (request, platform = {}) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/diary") return Response.json(diary.splice(0));
    const route = routes[pathname.split("/")[1]];
    if (route === undefined) return Response.json({ message: "no such path" }, { status: 404 });
    try {
      return await route(request, platform, searchParams, (text) => diary.push(`${pathname.slice(1)}: ${text}`));
    } catch (error) {
      if (error instanceof HTTPError) return Response.json({ message: error.message }, { status: error.status });
      throw error;
    }
  };
}
