import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, type HandlerOptions, rest, stream } from "../../../lib/rest/mod.ts";
import { decompress, handlerWith, implement, streams } from "../../../lib/rest/server.ts";
import { request, serve } from "../../fixtures/rest/serve.ts";

const operations = {
  Words: rest("POST /words", [z.array(z.string())], [z.int()], { limit: 100_000 }),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [z.object({ a: z.string() })], [z.string()]),
  Stream: rest("POST /stream", [stream()], [z.int()]),
  Short: rest("POST /short", [stream()], [z.int()], { limit: 1000 }),
};
const length = async (body: ReadableStream<Uint8Array>) => (await new Response(body).bytes()).length;
const functions = {
  Words: (words: string[]) => words.length,
  Form: ({ a }: { a: string }) => a,
  Stream: length,
  Short: length,
};

function zip(text: BlobPart, format: CompressionFormat = "gzip"): Promise<Uint8Array<ArrayBuffer>> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).bytes();
}

function sender(options: HandlerOptions) {
  const run = serve(operations, functions, {}, options);
  return async (path: string, body: BodyInit, headers: Record<string, string>) => {
    const response = await run(request("POST", path, body, { "content-type": "application/json", ...headers }));
    return { status: response.status, text: await response.text(), accepted: response.headers.get("accept-encoding") };
  };
}

Deno.test("defect: a body in a coding that is not undone is answered 415 and what is accepted, not 400", async () => {
  const send = sender({});
  for (const coding of ["gzip", "GZIP", "br", "gzip, gzip", "nonsense"]) {
    const { status, accepted, text } = await send("/words", await zip('["a"]'), { "content-encoding": coding });
    assertEquals([status, accepted], [415, "identity"], coding);
    assertMatch(text, /encoded as/);
  }
  assertEquals((await send("/words", '["a"]', { "content-encoding": "identity" })).text, "1");
  assertEquals((await send("/words", '["a"]', { "content-encoding": "" })).text, "1");
  // A stream's bytes are the function's to understand.
  const zipped = await zip("x".repeat(1000));
  assertEquals((await send("/stream", zipped, { "content-encoding": "gzip" })).text, String(zipped.length));
});

Deno.test("handler() with compress reads bodies in gzip and deflate, streams too", async () => {
  const send = sender({ compress: true });
  for (const [coding, format] of [["gzip", "gzip"], ["X-GZip", "gzip"], ["deflate", "deflate"]] as const) {
    const headers = { "content-encoding": coding };
    const body = await zip('["a","b"]', format);
    assertEquals((await send("/words", body, headers)).text, "2", coding);
    const told = { ...headers, "content-length": String(body.length) };
    assertEquals((await send("/words", body, told)).text, "2", coding);
    assertEquals((await send("/stream", await zip("x".repeat(1e6), format), headers)).text, "1000000", coding);
    const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
    assertEquals((await send("/form", await zip("a=b+c", format), form)).text, "b c", coding);
  }
  for (const coding of ["br", "gzip, gzip", "zstd"]) {
    const { status, accepted } = await send("/stream", await zip("x"), { "content-encoding": coding });
    assertEquals([status, accepted], [415, "gzip, deflate"], coding);
  }
});

Deno.test("handler() with compress answers 400 to a body that is cut short or not what it says", async () => {
  const send = sender({ compress: true });
  const zipped = await zip('["a","b"]');
  const broken = zipped.slice();
  broken[12] ^= 0xff;
  for (const body of [zipped.subarray(0, -1), zipped.subarray(0, 5), broken, new TextEncoder().encode('["a"]')]) {
    const { status, text } = await send("/words", body, { "content-encoding": "gzip" });
    assertEquals(status, 400);
    assertMatch(text, /Read the body as gzip: [^"]/);
  }
});

Deno.test("defect: a body that is not what it says is answered with words where the runtime has none, as Node", async () => {
  const ours = globalThis.DecompressionStream;
  class Wordless extends TransformStream {
    constructor() {
      super({ transform: () => Promise.reject(new TypeError()) });
    }
  }
  // The part that Node differs in is all that is replaced.
  globalThis.DecompressionStream = Wordless as unknown as typeof DecompressionStream;
  try {
    const body = new TextEncoder().encode('["a"]');
    const { status, text } = await sender({ compress: true })("/words", body, { "content-encoding": "gzip" });
    assertEquals([status, JSON.parse(text).detail], [400, "Read the body as gzip: it is malformed"]);
  } finally {
    globalThis.DecompressionStream = ours;
  }
});

Deno.test("handler() with compress bounds a body before and after it is undone, and undoes no more of it than that", async () => {
  const send = sender({ compress: true });
  const headers = { "content-encoding": "gzip" };
  const bomb = await zip(new Uint8Array(64 << 20));
  assert(bomb.length < 100_000);
  assertEquals((await send("/words", bomb, headers)).status, 413);
  // Empty blocks (RFC 1951, section 3.2.4) become nothing, however many there are.
  const nothing = new Uint8Array(200_000);
  nothing.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  for (let at = 10; at + 5 <= nothing.length; at += 5) nothing.set([0, 0, 0, 0xff, 0xff], at);
  assertEquals((await send("/words", nothing, headers)).status, 413);

  let most = 0;
  let pulled = 0;
  const pieces = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bomb.subarray(pulled, pulled + 16_384));
      pulled += 16_384;
      if (pulled >= bomb.length) controller.close();
    },
  }, { highWaterMark: 0 });
  const definition = api("x", { Stream: operations.Stream });
  const look = async (body: ReadableStream<Uint8Array>) => {
    for await (const piece of body) {
      most = Math.max(most, piece.length);
      break;
    }
    return 0;
  };
  const run = handlerWith({ streams, decode: decompress }, null, implement(definition, { Stream: look }));
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body: pieces, duplex: "half" };
  assertEquals((await run(new Request("http://h/stream", init))).status, 200);
  assert(most > 0 && most <= 4 << 20, `a piece of ${most} bytes`);
  assert(pulled <= 3 * 16_384, `${pulled} bytes were read for one piece`);
});

Deno.test("handler() with compress bounds a stream by its operation's limit, and bodies where callers are trusted", async () => {
  const send = sender({ compress: true });
  assertEquals((await send("/short", await zip("x".repeat(1000)), { "content-encoding": "gzip" })).text, "1000");
  const run = serve(operations, functions, {}, { compress: true });
  for (const path of ["/words", "/short"]) {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const sent = request("POST", path, await zip(new Uint8Array(8 << 20)), headers);
    const response = await run(sent, { boundedBodies: true });
    await response.body?.cancel();
    assertEquals(response.status, 413, path);
  }
});
