/** Connections that are taken over, as scenarios against the sample (`sample.ts`), whatever runtime serves it. */
import { assert, assertEquals } from "@std/assert";
import { type Client, later } from "../fixtures/platform/raw_client.ts";
import { diary, type Scenario, type Served } from "./wire.ts";

const HOST = "Host: localhost\r\n";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: tcp\r\n";
const JSON_BODY = '{"greeting":"hello"}';
const CHUNKED_BODY = 'b\r\n{"greeting"\r\n9\r\n:"hello"}\r\n0\r\n\r\n';

/** Every way of cutting a text into packets that is worth trying: whole, byte by byte, and in two at some places. */
function cuts(text: string): string[][] {
  const places = [1, text.indexOf("\r\n\r\n") + 2, text.indexOf("\r\n\r\n") + 4, text.indexOf("greeting") + 3];
  const raw = text.indexOf("raw bytes");
  places.push(raw - 3, raw, raw + 4);
  return [[text], [...text], ...places.filter((at) => at > 0).map((at) => [text.slice(0, at), text.slice(at)])];
}

async function expectRaw(peer: Client, first: string, more = "more"): Promise<void> {
  assertEquals(await peer.take(first.length), first);
  peer.write(more);
  assertEquals(await peer.take(more.length), more.toUpperCase());
  peer.socket.end();
  assertEquals(await peer.rest(), "<end>");
}

async function usedOnce(served: Served): Promise<Client> {
  const peer = await served.connect();
  peer.write(`POST /length HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`);
  assertEquals((await peer.response()).body, "2");
  return peer;
}

async function start(peer: Client, packets: string[], status: number): Promise<void> {
  for (const packet of packets) {
    peer.write(packet);
    await later(packets.length > 10 ? 0 : 5);
  }
  assertEquals((await peer.head()).status, status);
  await expectRaw(peer, "hello\nRAW BYTES");
}

/** Scenarios on connections that are taken over. */
export const raw: Record<string, Scenario> = {
  async "gives the connection to a handler that upgrades"(served) {
    await using peer = await served.connect();
    peer.write(`POST /attach HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    const { status, headers, line } = await peer.head();
    assertEquals([status, line], [101, "HTTP/1.1 101 UPGRADED"]);
    assertEquals([headers.get("connection"), headers.get("upgrade")], ["Upgrade", "tcp"]);
    assertEquals(headers.get("content-type"), "application/vnd.docker.raw-stream");
    peer.write("abc");
    await expectRaw(peer, "ABC");
  },

  async "gives it away without the headers too, with status 200"(served) {
    await using peer = await served.connect();
    peer.write(`POST /attach HTTP/1.1\r\n${HOST}\r\n`);
    const { status, headers } = await peer.head();
    assertEquals([status, headers.get("upgrade"), headers.get("transfer-encoding")], [200, null, null]);
    peer.write("abc");
    await expectRaw(peer, "ABC");
  },

  async "gives it away with the status the handler wants"(served) {
    await using peer = await served.connect();
    peer.write(`POST /attach?status=200 HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    assertEquals((await peer.head()).status, 200);
    peer.write("abc");
    await expectRaw(peer, "ABC");
  },

  async "reads exactly the declared body, however packets fall"(served) {
    const length = `Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}raw bytes`;
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${CHUNKED_BODY}raw bytes`;
    for (const [headers, status] of [[UPGRADE, 101], ["", 200]] as const) {
      for (const body of [length, chunked]) {
        for (const packets of cuts(`POST /start HTTP/1.1\r\n${HOST}${headers}${body}`)) {
          await using peer = await served.connect();
          await start(peer, packets, status);
        }
      }
    }
  },

  async "takes over a connection that was used before"(served) {
    const length = `Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}raw bytes`;
    for (const packets of cuts(`POST /start HTTP/1.1\r\n${HOST}${UPGRADE}${length}`)) {
      await using peer = await usedOnce(served);
      await start(peer, packets, 101);
    }
    const head = `POST /start HTTP/1.1\r\n${HOST}${UPGRADE}Transfer-Encoding: chunked\r\n\r\n`;
    for (const packets of [[head + CHUNKED_BODY + "raw bytes"], [head, CHUNKED_BODY + "raw bytes"]]) {
      await using peer = await usedOnce(served);
      await start(peer, packets, 101);
    }
  },

  async "takes over a connection that was used before, without the headers"(served) {
    await using attached = await usedOnce(served);
    attached.write(`POST /attach HTTP/1.1\r\n${HOST}\r\n`);
    assertEquals((await attached.head()).status, 200);
    attached.write("abc");
    await expectRaw(attached, "ABC");
    await using started = await usedOnce(served);
    started.write(`POST /start HTTP/1.1\r\n${HOST}Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`);
    assertEquals((await started.head()).status, 200);
    assertEquals(await started.take(6), "hello\n");
    await expectRaw(started, "");
  },

  async "lets each side end on its own"(served) {
    await using peer = await served.connect();
    peer.write(`POST /drain HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    assertEquals((await peer.head()).status, 101);
    await peer.until(() => peer.ended, "the server's end");
    peer.write("x".repeat(100_000));
    await later(30);
    peer.socket.end("yz");
    await diary(served, /drain: drained 100002/);
  },

  async "carries 20 MB both ways"(served) {
    await using peer = await served.connect();
    peer.write(`POST /attach HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    await peer.head();
    const piece = "abcdefgh".repeat(8192);
    let received = 0;
    peer.socket.on("data", (bytes: Uint8Array) => received += bytes.length);
    peer.socket.removeAllListeners("data");
    peer.socket.on("data", (bytes: Uint8Array) => received += bytes.length);
    for (let i = 0; i < 320; i++) {
      if (!peer.socket.write(piece)) await new Promise((resolve) => peer.socket.once("drain", resolve));
    }
    peer.socket.end();
    await peer.until(() => peer.ended, "the end");
    assertEquals(received, 320 * piece.length + "<end>".length);
  },

  async "sends an ordinary answer to a request that wanted an upgrade"(served) {
    for (const path of ["/missing", "/attach/x", "/bytes?n=200000"]) {
      const found = path !== "/missing";
      await using peer = await served.connect();
      peer.write(`GET ${path.replace("attach/x", "status?code=200&body=x")} HTTP/1.1\r\n${HOST}${UPGRADE}\r\nraw`);
      const response = await peer.response();
      assertEquals(response.status, found ? 200 : 404);
      if (!found) assertEquals(JSON.parse(response.body), { message: "no such path" });
      await peer.until(() => peer.ended, "the end").catch((error) => assert(peer.ended, error));
    }
    await using used = await usedOnce(served);
    used.write(`GET /missing HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    assertEquals((await used.response()).status, 404);
    await using unread = await served.connect();
    unread.write(`GET /quiet HTTP/1.1\r\n${HOST}${UPGRADE}\r\n`);
    assertEquals((await unread.head()).status, 200);
    unread.socket.destroy();
    await diary(served, /quiet: cancelled/);
  },

  async "refuses bodies that are malformed or too long"(served) {
    const head = `POST /start HTTP/1.1\r\n${HOST}${UPGRADE}`;
    for (
      const [rest, status] of [
        ["Content-Length: 5000000\r\n\r\n", 413],
        ["Content-Length: -1\r\n\r\n", 400],
        ["Content-Length: 5, 5\r\n\r\nhello", 400],
        ["Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
        ["Transfer-Encoding: gzip\r\n\r\n", 400],
        ["Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400],
        ["Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", 400],
        ["Transfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413],
        ["Transfer-Encoding: chunked\r\n\r\n" + "1;" + "x".repeat(20_000), 400],
        ["Host: again\r\n\r\n", 400],
      ] as const
    ) {
      await using peer = await served.connect();
      peer.write(head + rest);
      assertEquals((await peer.head()).status, status, rest.slice(0, 60));
    }
    await using cut = await served.connect();
    cut.write(head + "Content-Length: 50\r\n\r\nshort");
    cut.socket.end();
    assertEquals((await cut.head()).status, 400);
  },

  async "tells a client that waits to go on"(served) {
    await using peer = await served.connect();
    peer.write(
      `POST /start HTTP/1.1\r\n${HOST}${UPGRADE}Content-Length: ${JSON_BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assertEquals((await peer.head()).status, 100);
    peer.write(JSON_BODY);
    assertEquals((await peer.head()).status, 101);
    assertEquals(await peer.take(6), "hello\n");
  },
};
