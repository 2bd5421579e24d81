import { assertEquals, assertRejects } from "@std/assert";
import { createServer } from "node:net";
import { hostNet } from "../../lib/platform/net.ts";
import { sha256 } from "../fixtures/images/image_builder.ts";
import { isBlockedPort } from "../../lib/oci/registry/blocked_ports.ts";
import { startRegistry } from "../fixtures/images/registry.ts";

Deno.test("hostNet() speaks TLS by its own choices: bodies both ways, cancel, abort", async () => {
  const registry = await startRegistry({ tls: true });
  try {
    const net = hostNet();
    const tls = { ca: registry.ca };
    const blob = crypto.getRandomValues(new Uint8Array(65_536));
    const large = new Uint8Array(8 * 1024 * 1024);
    for (let at = 0; at < large.length; at += blob.length) large.set(blob, at);

    const begun = await net.fetch(new Request(`${registry.url}/v2/x/blobs/uploads/`, { method: "POST" }), tls);
    assertEquals(begun.status, 202);
    const location = `${begun.headers.get("location")}&digest=${encodeURIComponent(sha256(large))}`;
    const put = new Request(location, {
      method: "PUT",
      body: large,
      headers: { "content-type": "application/octet-stream" },
    });
    assertEquals((await net.fetch(put, tls)).status, 201);

    const url = `${registry.url}/v2/x/blobs/${sha256(large)}`;
    const whole = await net.fetch(new Request(url), tls);
    assertEquals(sha256(new Uint8Array(await whole.arrayBuffer())), sha256(large));
    const head = await net.fetch(new Request(url, { method: "HEAD" }), tls);
    assertEquals([head.headers.get("content-length"), await head.text()], [String(large.length), ""]);

    // What was on its way when the reader went used to be an uncaught error.
    for (let i = 0; i < 5; i++) await (await net.fetch(new Request(url), tls)).body?.cancel();
    const stop = new AbortController();
    const cut = await net.fetch(new Request(url, { signal: stop.signal }), tls);
    stop.abort(new Error("enough"));
    await assertRejects(() => cut.arrayBuffer());
    await assertRejects(() => net.fetch(new Request(url, { signal: stop.signal }), tls), Error, "enough");
    await assertRejects(() => net.fetch(new Request(url), { ca: "" }), TypeError);
  } finally {
    await registry.close();
  }
});

Deno.test("hostNet() reaches servers at ports that fetch() refuses", async () => {
  const usual = [80, 443, 5000, 5001, 6001, 6443, 8080, 10_081];
  assertEquals(usual.filter((port) => isBlockedPort(`http://127.0.0.1:${port}/`)), []);
  assertEquals([isBlockedPort("https://r.example/v2/"), isBlockedPort("https://r.example:6000/v2/")], [false, true]);
  const ports = Array.from({ length: 10_081 }, (_, port) => port).filter((port) => isBlockedPort(`http://a:${port}/`));
  assertEquals(ports.length, 83);
  for (const port of ports) {
    // Refused before anything is sent.
    const error = await assertRejects(() => fetch(`http://127.0.0.1:${port}/`));
    assertEquals(/blocked|bad port/.test(`${error} ${error instanceof Error && error.cause}`), true, String(port));
  }
  const net = hostNet();
  for (const tls of [false, true]) {
    const port = await freeOf([6000, 6665, 6666, 6667, 6668, 6669, 10_080, 6697, 6679, 6566]);
    const registry = await startRegistry({ port, tls });
    try {
      const choices = tls ? { ca: registry.ca } : {};
      const body = new Uint8Array(1_000_000).fill(7);
      const begun = await net.fetch(new Request(`${registry.url}/v2/x/blobs/uploads/`, { method: "POST" }), choices);
      const location = `${begun.headers.get("location")}&digest=${encodeURIComponent(sha256(body))}`;
      const headers = { "content-type": "application/octet-stream" };
      assertEquals((await net.fetch(new Request(location, { method: "PUT", body, headers }), choices)).status, 201);
      const whole = await net.fetch(new Request(`${registry.url}/v2/x/blobs/${sha256(body)}`), choices);
      assertEquals(sha256(new Uint8Array(await whole.arrayBuffer())), sha256(body));
    } finally {
      await registry.close();
    }
  }
});

Deno.test("hostNet() follows redirects of servers at ports that fetch() refuses, but to no such port of another server", async () => {
  const port = await freeOf([6665, 6666, 6667, 6668, 6669, 6000]);
  const usual = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ headers }) => {
    return new Response(headers.get("authorization") ?? "elsewhere");
  });
  const places: Record<string, string> = {
    "/here": "/found",
    "/away": `http://127.0.0.1:${usual.addr.port}/`,
    "/mail": "http://127.0.0.1:25/",
    "/round": "/round",
  };
  await using _usual = usual;
  await using _odd = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, ({ url, headers }) => {
    const location = places[new URL(url).pathname];
    if (location === undefined) return new Response(headers.get("authorization") ?? "found");
    return new Response("moved", { status: 302, headers: { location } });
  });
  const net = hostNet();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await net.fetch(new Request(`http://127.0.0.1:${port}${path}`, init));
    return `${response.status} ${await response.text()}`;
  };
  assertEquals(await ask("/here"), "200 found");
  assertEquals(await ask("/away"), "200 elsewhere");
  const headers = { authorization: "secret" };
  assertEquals([await ask("/here", { headers }), await ask("/away", { headers })], ["200 secret", "200 elsewhere"]);
  assertEquals(await ask("/here", { redirect: "manual" }), "302 moved");
  await assertRejects(() => ask("/mail"), TypeError);
  await assertRejects(() => ask("/round"), TypeError, "more than 20 redirects");
});

/** The first of these ports at which nothing listens. */
async function freeOf(ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.on("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error(`Every one of the ports ${ports.join()} is taken`);
}
