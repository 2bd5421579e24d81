import { assertEquals, assertRejects } from "@std/assert";
import { hostNet } from "../../lib/platform/net.ts";
import { sha256 } from "../fixtures/images/image_builder.ts";
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
