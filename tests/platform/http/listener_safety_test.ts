import { assert, assertEquals } from "@std/assert";
import { SocketReader } from "../../../lib/platform/http/exchange/socket_reader.ts";
import { readDeclaredBody } from "../../../lib/platform/http/exchange/declared_body.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import type { Handler } from "../../../lib/rest/context.ts";
import { client, later } from "../../fixtures/platform/raw_client.ts";
import { Duplex } from "node:stream";
import type { Socket } from "node:net";

const ok: Handler = () => Promise.resolve(new Response("ok"));

function port(address: string): number {
  return Number(address.split(":").at(-1));
}

Deno.test("listen() refuses a foreign host before it reads the body of a request that may take the connection", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", ok, { hijacks: () => true });
  await using peer = await client(port(listener.address));
  peer.write("POST /x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n");
  assertEquals((await peer.response()).status, 403);
});

Deno.test("listen() gives up a head that comes in very many pieces", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", ok);
  await using peer = await client(port(listener.address));
  peer.write("GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
  for (let i = 0; i < 3000 && !peer.closed; i++) {
    peer.write("x");
    await later(0);
  }
  await peer.until(() => peer.ended, "the end").catch(() => {});
  assert(peer.ended);
});

Deno.test("readDeclaredBody() costs what the body has, in however small chunks it comes", async () => {
  const count = 300_000;
  const bytes = new TextEncoder().encode("1\r\nx\r\n".repeat(count) + "0\r\n\r\nrest");
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  // A reader asks no more of its socket than a stream has.
  const reader = new SocketReader(stream as unknown as Socket);
  const before = Deno.memoryUsage().heapUsed;
  const reading = readDeclaredBody(reader, "chunked", count);
  for (let at = 0; at < bytes.length; at += 65_536) stream.push(bytes.subarray(at, at + 65_536));
  const body = await reading;
  assertEquals(body.length, count);
  assert(body.every((byte) => byte === 120));
  assertEquals(new TextDecoder().decode(await reader.read()), "rest");
  // A view for each byte would be some 100 MB.
  assert(Deno.memoryUsage().heapUsed - before < 80e6);
});

/** The timer of a port's established connection (proc(5)): 02 is that of keepalive. */
async function readTimer(port: number): Promise<string | undefined> {
  const lines = (await Deno.readTextFile("/proc/net/tcp")).split("\n").map((line) => line.trim().split(/\s+/));
  return lines.find(([, local, , state]) => state === "01" && Number.parseInt(local.split(":")[1], 16) === port)?.[5]
    .slice(0, 2);
}

if (Deno.build.os !== "linux") console.log("left out: the timers of TCP, which only Linux shows, in /proc/net/tcp");
else {
  Deno.test("listen() has TCP ask for peers that are silent", async () => {
    await using listener = await listen("tcp://127.0.0.1:0", () => Promise.resolve(new Response("hello")));
    await using peer = await client(port(listener.address));
    peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await peer.response();
    let timer: string | undefined;
    // A connection with unacknowledged bytes has the timer of their retransmission, for a moment.
    for (let i = 0; i < 100 && timer !== "02"; i++) {
      timer = await readTimer(port(listener.address));
      await later(20);
    }
    assertEquals(timer, "02");
  });
}
