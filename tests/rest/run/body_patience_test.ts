/** Bodies that stop coming where no listener of ours looks: `Deno.serve`, and whatever else calls a handler. */
import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { type HandlerOptions, multipart, rest, stream } from "../../../lib/rest/mod.ts";
import { type Client, client, later } from "../../fixtures/platform/raw_client.ts";
import { serve } from "../../fixtures/rest/serve.ts";

const operations = {
  JSON: rest("POST /json", [z.array(z.string())], [z.int()]),
  Form: rest("POST(multipart/form-data) /form", [z.object({ a: z.string() })], [z.string()]),
  Stream: rest("POST /stream", [stream()], [z.int()]),
};

function served(options: HandlerOptions) {
  const run = serve(
    operations,
    {
      JSON: (list) => list.length,
      Form: ({ a }) => a,
      async Stream(body) {
        let size = 0;
        for await (const piece of body) {
          size += piece.length;
          // The function's own time is not the peer's.
          await later(30);
        }
        return size;
      },
    },
    { codecs: [multipart] },
    options,
  );
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => run(request));
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function status(peer: Client): Promise<number> {
  return (await peer.response()).status;
}

const heads: Record<string, string> = {
  "a length": "POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n[",
  "chunks":
    "POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n",
  "no byte": "POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n",
  "a form":
    "POST /form HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 50\r\n\r\n--x\r\n",
  "a stream": "POST /stream HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\nhello",
  "gzip":
    "POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f",
};

for (const [name, head] of Object.entries(heads)) {
  Deno.test(`handler() with bodyPatience answers 408 under Deno.serve when a body stops coming: ${name}`, async () => {
    await using server = served({ bodyPatience: 200, compress: name === "gzip" });
    await using peer = await client(server.port);
    peer.write(head);
    assertEquals(await status(peer), 408);
  });
}

Deno.test("handler() with bodyPatience waits for a body that comes, slowly or to a slow function", async () => {
  await using server = served({ bodyPatience: 10_000 });
  await using slow = await client(server.port);
  slow.write("POST /json HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n");
  for (const byte of '["a","b","c"') {
    await later(10);
    slow.write(byte);
  }
  // The last byte is missing, and is not in the length.
  assertEquals(await status(slow), 400);
  await using long = await client(server.port);
  long.write(`POST /stream HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}`);
  assertEquals((await long.response()).body, "1000000");
});

Deno.test("handler() with bodyPatience needs no Promise.withResolvers, which Node 20 lacks", async () => {
  const { withResolvers } = Promise;
  // Not optional in the library of types, as later versions all have it.
  delete (Promise as Partial<PromiseConstructor>).withResolvers;
  try {
    const run = serve(operations, { JSON: (list) => list.length, Form: () => "", Stream: () => 0 }, {}, {
      bodyPatience: 10_000,
    });
    const headers = { "content-type": "application/json" };
    const response = await run(new Request("http://h/json", { method: "POST", headers, body: '["a"]' }));
    assertEquals(await response.text(), "1");
  } finally {
    Promise.withResolvers = withResolvers;
  }
});

Deno.test("handler() with bodyPatience lets go of the body it has given up", async () => {
  let cancelled = false;
  const run = serve(operations, { JSON: () => 0, Form: () => "", Stream: () => 0 }, {}, { bodyPatience: 50 });
  const body = new ReadableStream({ cancel: () => void (cancelled = true) });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  };
  const response = await run(new Request("http://h/json", init));
  await response.body?.cancel();
  assertEquals(response.status, 408);
  assert(cancelled);
});
