/** Bodies that stop coming, and bodies nobody wants. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listen } from "../../../lib/platform/http/listener.ts";
import type { Handler } from "../../../lib/rest/context.ts";
import { api, handler, implement, implementPart, rest, stream } from "../../../lib/rest/mod.ts";
import { z } from "../../fixtures/zod.ts";
import { type Client, client, later } from "../../fixtures/platform/raw_client.ts";

const port = (address: string) => Number(address.split(":").at(-1));

const definition = api("x", {
  Text: rest("POST(text/plain) /text", [z.string()], [z.string()], { limit: 1000 }),
  Stream: rest("POST /stream", [stream()], [z.string()]),
  Unread: rest("POST /unread", [stream()], [z.string()], { limit: Infinity }),
  Slow: rest("POST /slow", [stream()], [z.string()]),
});

const serve: Handler = handler(
  null,
  implement(definition, {
    Text: (text) => text,
    Stream: (body) => new Response(body).text(),
    Unread: () => "not wanted",
    async Slow(body) {
      let size = 0;
      for await (const piece of body) {
        size += piece.length;
        await later(150);
      }
      return String(size);
    },
  }),
);

async function open(options: { bodyPatience?: number } = {}) {
  const listener = await listen("tcp://127.0.0.1:0", serve, options);
  return { listener, peer: await client(port(listener.address)) };
}

const ended = (peer: Client) => peer.until(() => peer.ended, "the end").catch((error) => assert(peer.ended, error));

for (const framing of ["Content-Length: 500", "Transfer-Encoding: chunked"]) {
  for (const path of ["/text", "/stream"]) {
    Deno.test(`listen() answers 408 and closes when a body of ${framing} to ${path} stops halfway`, async () => {
      const { listener, peer } = await open({ bodyPatience: 200 });
      await using _listener = listener;
      await using _peer = peer;
      peer.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n5\r\nhello\r\n`);
      const { status, headers } = await peer.response();
      assertEquals([status, headers.get("connection")], [408, "close"]);
      await ended(peer);
    });
  }
}

Deno.test("listen() is patient with a body as long as the handler itself takes its time", async () => {
  const { listener, peer } = await open({ bodyPatience: 100 });
  await using _listener = listener;
  await using _peer = peer;
  peer.write("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + "x".repeat(200_000));
  assertEquals((await peer.response()).body, "200000");
});

Deno.test("listen() is patient with a body that comes slowly but comes", async () => {
  const { listener, peer } = await open({ bodyPatience: 200 });
  await using _listener = listener;
  await using _peer = peer;
  peer.write("POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n");
  for (let i = 0; i < 8; i++) {
    await later(80);
    peer.write("x");
  }
  assertEquals((await peer.response()).body, "xxxxxxxx");
});

Deno.test("listen() keeps a connection whose unread body is short", async () => {
  const { listener, peer } = await open();
  await using _listener = listener;
  await using _peer = peer;
  for (let i = 0; i < 20; i++) {
    peer.write("POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + "x".repeat(30_000));
    assertEquals((await peer.response()).body, "not wanted");
    peer.write("x".repeat(30_000));
  }
  peer.write("POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi");
  assertEquals((await peer.response()).body, "hi");
});

Deno.test("listen() takes the rest of a short body of a connection that its client closes, so that no write fails before the answer is read", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/socket`;
  await using _listener = await listen(`unix://${path}`, serve);
  try {
    // TCP takes bytes for a closed peer in silence; a socket of a path does not.
    using peer = await Deno.connect({ transport: "unix", path });
    const write = (text: string) => peer.write(new TextEncoder().encode(text));
    await write("POST /unread HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 60000\r\n\r\n");
    await later(100);
    await write("x".repeat(30_000));
    await later(100);
    await write("x".repeat(30_000));
    assertStringIncludes(await new Response(peer.readable).text(), "not wanted");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (const path of ["/text", "/unread"]) {
  for (const framing of ["Content-Length: 100000000000", "Transfer-Encoding: chunked"]) {
    Deno.test(`listen() reads a bounded part of an endless body of ${framing} that ${path} does not want, and closes`, async () => {
      const { listener, peer } = await open();
      await using _listener = listener;
      await using _peer = peer;
      peer.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
      const piece = "10000\r\n" + "x".repeat(65_536) + "\r\n";
      let sent = 0;
      const sending = (async () => {
        while (!peer.closed) {
          if (peer.socket.writableLength < 1e6) sent += peer.socket.write(piece) ? piece.length : 0;
          await later(0);
        }
      })();
      assertEquals((await peer.response()).status, path === "/text" ? 413 : 200);
      await ended(peer);
      peer.socket.destroy();
      await sending;
      assert(sent < 32e6, `took ${sent} bytes`);
    });
  }
}

Deno.test("listen() closes a connection that goes on sending after its takeover was refused", async () => {
  const refuse: Handler = () => Promise.resolve(Response.json({}, { status: 409 }));
  await using listener = await listen("tcp://127.0.0.1:0", refuse);
  await using peer = await client(port(listener.address));
  peer.write("POST /attach HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
  assertEquals((await peer.response()).status, 409);
  const from = Date.now();
  while (!peer.closed && Date.now() - from < 8000) {
    peer.write("more");
    await later(20);
  }
  assert(peer.closed);
});

Deno.test("listen() gives up a takeover whose unread body does not end", async () => {
  const attach: Handler = async (_request, platform) => (await platform!.upgrade!()).response;
  await using listener = await listen("tcp://127.0.0.1:0", attach, { bodyPatience: 200, upgradeBodyLimit: 1_000_000 });
  const head = "POST /attach HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  await using silent = await client(port(listener.address));
  silent.write(`${head}5\r\nhello\r\n`);
  await ended(silent);
  await using endless = await client(port(listener.address));
  endless.write(head);
  for (let i = 0; i < 500 && !endless.closed; i++) {
    endless.write("10000\r\n" + "x".repeat(65_536) + "\r\n");
    await later(5);
  }
  assert(endless.closed);
  // One that ends is what is waited for.
  await using short = await client(port(listener.address));
  short.write(`${head}5\r\nhello\r\n`);
  await later(50);
  short.write("0\r\n\r\n");
  assertEquals((await short.head()).status, 200);
});

Deno.test("listen() fails a body whose peer has left before anybody read it", async () => {
  const left = Promise.withResolvers<void>();
  const read = Promise.withResolvers<unknown>();
  const late = handler(
    null,
    implementPart(definition, {
      async Stream(body: ReadableStream<Uint8Array>) {
        await left.promise;
        read.resolve(await new Response(body).text().catch((error) => error));
        return "";
      },
    }),
  );
  await using listener = await listen("tcp://127.0.0.1:0", late);
  const peer = await client(port(listener.address));
  peer.write("POST /stream HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  await later(50);
  await peer[Symbol.asyncDispose]();
  await later(50);
  left.resolve();
  assert(await read.promise instanceof DOMException);
});

Deno.test("listen() reads a body that comes at any moment behind the head of a new connection", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  // On a thread of its own, so that bytes come while the server is at work.
  const url = URL.createObjectURL(
    new Blob([`(${postBodies})(${port(listener.address)})`], { type: "text/javascript" }),
  );
  const worker = new Worker(url, { type: "module" });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    assertEquals(await promise, Array(1200).fill("HTTP/1.1 200"));
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
});

/** Opens connections, each for a body that comes up to 2 ms behind its head, and posts how each answer begins. Runs by itself. */
async function postBodies(port: number): Promise<void> {
  const [head, body] = [
    "POST /stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000\r\n\r\n",
    "x".repeat(30_000),
  ];
  const answers: string[] = [];
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 150; n++) {
      const socket = await Deno.connect({ hostname: "127.0.0.1", port });
      socket.setNoDelay(true);
      const [reader, writer] = [socket.readable.getReader(), socket.writable.getWriter()];
      await writer.write(new TextEncoder().encode(head));
      const moment = performance.now() + Math.random() * 2;
      while (performance.now() < moment) await new Promise((resolve) => setTimeout(resolve));
      // A server that has refused the head does not read on.
      const written = writer.write(new TextEncoder().encode(body)).catch(() => {});
      answers.push(new TextDecoder().decode((await reader.read()).value).slice(0, 12));
      await written;
      socket.close();
    }
  }));
  // A worker's own, which the types of a main program do not have.
  (globalThis as unknown as { postMessage(data: unknown): void }).postMessage(answers);
}

// The consoles of cockpit-podman: node:http hands such a request on in another way than a first one.
Deno.test("listen() gives the bytes to a POST that asks for an upgrade named WebSocket, first or later on its connection", async () => {
  const echo: Handler = async (request, platform) => {
    if (request.method === "GET") return new Response(null);
    const { readable, writable, response } = await platform!.upgrade!({
      status: 101,
      headers: { upgrade: "WebSocket" },
    });
    readable.pipeTo(writable).catch(() => {});
    return response;
  };
  await using listener = await listen("tcp://127.0.0.1:0", echo);
  const attach =
    "POST /attach HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nContent-Length: 0\r\n\r\n";
  for (const isLater of [false, true]) {
    await using peer = await client(port(listener.address));
    const text = () => peer.buffer.toString("latin1");
    if (isLater) {
      peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertEquals((await peer.response()).status, 200);
    }
    peer.write(attach);
    await peer.until(() => text().includes("\r\n\r\n"), "the head");
    peer.write("typed");
    await peer.until(() => text().endsWith("typed"), "the echo");
    assert(text().startsWith("HTTP/1.1 101 "), text());
  }
});
