/** What an adapter must do with bytes, as scenarios against the sample (`sample.ts`), whatever runtime serves it. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type Client, later } from "../fixtures/platform/raw_client.ts";

/** A sample that is being served. */
export interface Served {
  connect(): Promise<Client>;
  /** Whether it is served over TCP, where names and origins are checked. */
  readonly tcp: boolean;
}

/** One scenario. */
export type Scenario = (served: Served) => Promise<void>;

const HEAD = "Host: localhost\r\n";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: tcp\r\n";

/** Waits until the diary has an entry that fits, and returns everything it had. */
export async function diary(served: Served, pattern: RegExp): Promise<string[]> {
  const entries: string[] = [];
  // A loaded machine takes its time to tell a server that its peer has gone.
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    await using peer = await served.connect();
    peer.write(`GET /diary HTTP/1.1\r\n${HEAD}\r\n`);
    entries.push(...JSON.parse((await peer.response()).body));
    if (entries.some((entry) => pattern.test(entry))) return entries;
    await later(20);
  }
  throw new Error(`The diary has nothing like ${pattern}: ${JSON.stringify(entries)}`);
}

async function stillServes(peer: Client): Promise<void> {
  peer.write(`GET /status?code=200&body=alive HTTP/1.1\r\n${HEAD}\r\n`);
  assertEquals((await peer.response()).body, "alive");
}

/** Requests and answers. */
export const messages: Record<string, Scenario> = {
  async "serves requests one after another over one connection"(served) {
    await using peer = await served.connect();
    for (const body of ["", "hello", "x".repeat(300_000)]) {
      peer.write(`POST /length HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
      const response = await peer.response();
      assertEquals([response.status, response.body], [200, String(body.length)]);
      assertEquals(response.headers.get("content-length"), String(response.body.length));
    }
    await stillServes(peer);
  },

  async "serves requests that arrive together, in order"(served) {
    await using peer = await served.connect();
    const get = (body: string) => `GET /status?code=200&body=${body} HTTP/1.1\r\n${HEAD}\r\n`;
    peer.write(get("one") + get("two") + get("three"));
    for (const body of ["one", "two", "three"]) assertEquals((await peer.response()).body, body);
  },

  async "serves a request that arrives byte by byte"(served) {
    await using peer = await served.connect();
    for (const byte of `POST /length HTTP/1.1\r\n${HEAD}Content-Length: 3\r\n\r\nabc`) {
      peer.write(byte);
      await later(0);
    }
    assertEquals((await peer.response()).body, "3");
    await stillServes(peer);
  },

  async "hands over the path as far as a URL keeps it, and the headers"(served) {
    await using peer = await served.connect();
    peer.write(`GET /echo//a%2Fb/%zz?q=%20+&q= HTTP/1.1\r\n${HEAD}X-A: 1\r\nX-A: 2\r\nX-Caf: \xe9\r\n\r\n`);
    const { url, headers } = JSON.parse((await peer.response()).body);
    assertEquals(url.replace(/^http:\/\/[^/]+/, ""), "/echo//a%2Fb/%zz?q=%20+&q=");
    assertEquals(headers.find(([name]: string[]) => name === "x-a")[1], "1, 2");
  },

  async "takes a whole URL as target, and does not believe its authority"(served) {
    await using peer = await served.connect();
    peer.write(`GET http://elsewhere.example.com/echo?x HTTP/1.1\r\n${HEAD}\r\n`);
    const { url } = JSON.parse((await peer.response()).body);
    assertMatch(url, /^http:\/\/localhost(:\d+)?\/echo\?x$/);
  },

  async "reads a chunked body"(served) {
    await using peer = await served.connect();
    await peer.packets([
      `POST /echo HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhe`,
      "llo\r\n6;ext=1\r\n wor",
      "ld\r\n0\r\n\r\n",
    ]);
    assertEquals(JSON.parse((await peer.response()).body).body, "hello world");
    await stillServes(peer);
  },

  async "answers HEAD without a body"(served) {
    await using peer = await served.connect();
    peer.write(`HEAD /status?code=200&body=hello HTTP/1.1\r\n${HEAD}\r\n`);
    assertEquals((await peer.response("HEAD")).status, 200);
    await stillServes(peer);
  },

  async "sends statuses without a body, and empty bodies"(served) {
    await using peer = await served.connect();
    for (const code of [204, 304]) {
      peer.write(`GET /echo HTTP/1.1\r\n${HEAD}\r\n`);
      await peer.response();
      peer.write(`GET /nothing${code} HTTP/1.1\r\n${HEAD}\r\n`);
      assertEquals((await peer.response()).status, 404);
    }
    peer.write(`GET /status?code=200 HTTP/1.1\r\n${HEAD}\r\n`);
    const empty = await peer.response();
    assertEquals([empty.status, empty.body, empty.headers.get("content-length")], [200, "", "0"]);
    await stillServes(peer);
  },

  async "sends several cookies and the status text"(served) {
    await using peer = await served.connect();
    peer.write(`GET /cookies HTTP/1.1\r\n${HEAD}\r\n`);
    const { line, headers } = await peer.head();
    assertEquals(line, "HTTP/1.1 200 Just Fine");
    assertEquals(headers.getSetCookie(), ["a=1", "b=2"]);
  },

  async "tells a client that waits to go on, and only when the body is read"(served) {
    await using peer = await served.connect();
    const head = (path: string) => `POST ${path} HTTP/1.1\r\n${HEAD}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`;
    peer.write(head("/length"));
    assertEquals((await peer.head()).status, 100);
    peer.write("hello");
    assertEquals((await peer.response()).body, "5");
    peer.write(head("/refuse"));
    const refused = await peer.response();
    assertEquals([refused.status, refused.headers.get("connection")], [413, "close"]);
  },

  async "takes an upload of 64 MiB as a stream"(served) {
    await using peer = await served.connect();
    const size = 64 * 1024 * 1024;
    peer.write(`POST /length HTTP/1.1\r\n${HEAD}Content-Length: ${size}\r\n\r\n`);
    const piece = new Uint8Array(1024 * 1024);
    for (let sent = 0; sent < size; sent += piece.length) {
      if (!peer.socket.write(piece)) await new Promise((resolve) => peer.socket.once("drain", resolve));
    }
    assertEquals((await peer.response()).body, String(size));
    await stillServes(peer);
  },

  async "answers before the body has come, and uses the connection again"(served) {
    await using peer = await served.connect();
    peer.write(`POST /refuse HTTP/1.1\r\n${HEAD}Content-Length: 200000\r\n\r\n`);
    assertEquals((await peer.response()).status, 413);
    peer.write("x".repeat(200_000));
    await stillServes(peer);
  },

  async "reads a bounded part of an endless body nobody wants, and closes"(served) {
    for (const framing of ["Content-Length: 1000000000000", "Transfer-Encoding: chunked"]) {
      await using peer = await served.connect();
      peer.write(`POST /refuse HTTP/1.1\r\n${HEAD}${framing}\r\n\r\n`);
      assertEquals((await peer.response()).status, 413);
      const piece = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const until = Date.now() + 8000;
      // What the sockets hold on the way is not much; beyond it the peer has to wait, and then is gone.
      for (let sent = 0; !peer.closed && Date.now() < until; await later(5)) {
        if (peer.socket.writableLength > piece.length) continue;
        peer.write(piece);
        sent += piece.length;
        assert(sent < 64e6, `${sent} bytes taken`);
      }
      assert(peer.closed, framing);
    }
  },

  async "answers 500 without the reason to a handler that throws"(served) {
    await using peer = await served.connect();
    peer.write(`GET /throw HTTP/1.1\r\n${HEAD}\r\n`);
    const response = await peer.response();
    assertEquals(response.status, 500);
    assert(!response.body.includes("secret"));
    await stillServes(peer);
  },

  async "refuses what is no HTTP"(served) {
    for (
      const bytes of [
        "hello\r\n\r\n",
        "GET /echo HTTP/1.1\r\n\r\n",
        `GET / HTTP/1.1\r\n${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
        `GET nowhere HTTP/1.1\r\n${HEAD}\r\n`,
      ]
    ) {
      await using peer = await served.connect();
      peer.write(bytes);
      assertEquals((await peer.head()).status, 400, bytes);
    }
  },

  async "leaves alone the wish to change to a protocol that is not served"(served) {
    await using peer = await served.connect();
    peer.write(
      `GET /status?code=200&body=plain HTTP/1.1\r\n${HEAD}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`,
    );
    assertEquals((await peer.response()).body, "plain");
    await stillServes(peer);
  },

  async "checks names and origins over TCP"(served) {
    const status = async (head: string) => {
      await using peer = await served.connect();
      peer.write(`GET /status?code=200&body=x HTTP/1.1\r\n${head}\r\n\r\n`);
      return (await peer.response()).status;
    };
    for (const host of ["d", "docker", "localhost:99", "api.moby.localhost", "127.0.0.1:1", "[::1]:80", "127.9.9.9"]) {
      assertEquals(await status(`Host: ${host}`), 200, host);
    }
    assertEquals(await status("Host: localhost:1\r\nOrigin: http://localhost:1"), 200);
    const refused = served.tcp ? 403 : 200;
    for (const host of ["evil.example.com", "10.0.0.1", "127.0.0.1.evil.com", "localhost.evil.com:80", "a:b:c"]) {
      assertEquals(await status(`Host: ${host}`), refused, host);
    }
    for (const origin of ["https://evil.example.com", "null", "http://localhost:2", "http://evil/"]) {
      assertEquals(await status(`Host: localhost:1\r\nOrigin: ${origin}`), refused, origin);
      assertEquals(await status(`Host: localhost\r\n${UPGRADE}Origin: ${origin}`), refused, origin);
    }
  },
};

/** Bodies that last. */
export const streams: Record<string, Scenario> = {
  async "sends a stream's head at once, and lets go of it when the peer goes away"(served) {
    await using peer = await served.connect();
    peer.write(`GET /quiet HTTP/1.1\r\n${HEAD}\r\n`);
    assertEquals((await peer.head()).headers.get("x-quiet"), "yes");
    peer.socket.destroy();
    const seen = await diary(served, /quiet: cancelled/);
    if (!seen.includes("quiet: aborted")) await diary(served, /quiet: aborted/);
  },

  async "aborts a request whose peer goes away before the answer"(served) {
    await using peer = await served.connect();
    peer.write(`GET /wait HTTP/1.1\r\n${HEAD}\r\n`);
    await later(30);
    peer.socket.destroy();
    await diary(served, /wait: aborted/);
  },

  async "sends a large stream whole, no faster than it is read"(served) {
    await using peer = await served.connect();
    const size = 40 * 1024 * 1024;
    peer.write(`GET /bytes?n=${size} HTTP/1.1\r\n${HEAD}\r\n`);
    assertEquals((await peer.head()).headers.get("transfer-encoding"), "chunked");
    let length = 0;
    for (let chunk = await peer.chunk(); chunk !== ""; chunk = await peer.chunk()) length += chunk.length;
    assertEquals(length, size);
    await stillServes(peer);

    await using slow = await served.connect();
    slow.write(`GET /bytes?n=${1e12} HTTP/1.1\r\n${HEAD}\r\n`);
    await slow.head();
    slow.socket.pause();
    await later(150);
    slow.socket.destroy();
    const entries = await diary(served, /bytes: cancelled/);
    const made = Number(entries.find((entry) => entry.startsWith("bytes: cancelled"))?.split(" ").at(-1));
    assert(made < 400, `${made} pieces of 64 KiB made for a peer that does not read`);
  },

  async "breaks off when a body fails, so that the client can tell"(served) {
    await using peer = await served.connect();
    peer.write(`GET /fail HTTP/1.1\r\n${HEAD}\r\n`);
    await peer.head();
    assertEquals(await peer.chunk(), "first");
    assert(!(await peer.rest()).includes("0\r\n\r\n"));
  },

  async "sends values as lines and as events, and lets go of them"(served) {
    await using peer = await served.connect();
    peer.write(`GET /values HTTP/1.1\r\n${HEAD}\r\n`);
    assertEquals((await peer.response()).body.trim().split("\n").length, 3);
    peer.write(`GET /values?n=2 HTTP/1.1\r\n${HEAD}Accept: text/event-stream\r\n\r\n`);
    assertStringIncludes((await peer.response()).body, "event: end");
    await diary(served, /values: left at 2/);
    peer.write(`GET /values?n=1000000&slowly=1 HTTP/1.1\r\n${HEAD}\r\n`);
    await peer.head();
    assertMatch(await peer.chunk(), /^\{"i":0/);
    peer.socket.destroy();
    const entries = await diary(served, /values: left at \d/);
    assertNotEquals(entries.at(-1), "values: left at 1000000");
  },
};
