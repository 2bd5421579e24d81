import { assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, implement, rest } from "../../../lib/rest/mod.ts";
import { listenAndServe } from "../../../lib/platform/http/serve.ts";

Deno.test("listenAndServe() takes the options of handler()", async () => {
  const greeting = api("x", { Get: rest("GET(application/json) /greeting", [], [z.string()]) });
  const options = { etag: true, fallback: () => Promise.resolve(new Response("elsewhere")) };
  const functions = implement(greeting, { Get: () => "hello" });
  await using server = await listenAndServe("tcp://127.0.0.1:0", null, functions, options);
  const base = server.address.replace("tcp:", "http:");
  const first = await fetch(`${base}/greeting`);
  assertEquals(await first.text(), `"hello"`);
  const again = await fetch(`${base}/greeting`, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  assertEquals([again.status, await again.text()], [304, ""]);
  assertEquals(await (await fetch(`${base}/none`)).text(), "elsewhere");
});

/** Asks a server for a path with headers that `fetch` would not send. */
async function ask(address: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(address.replace("tcp:", "http:"));
  using socket = await Deno.connect({ hostname: hostname === "0.0.0.0" ? "127.0.0.1" : hostname, port: Number(port) });
  const head = ["GET /ping HTTP/1.1", ...headers, "Connection: close", "", ""].join("\r\n");
  await socket.write(new TextEncoder().encode(head));
  return (await new Response(socket.readable).text()).split("\r\n")[0];
}

const ping = implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} });
const FOREIGN = ["Host: shop.example", "Origin: https://app.example", "Sec-Fetch-Site: cross-site"];

Deno.test("listenAndServe() serves what it is told anywhere, under any name and to any page", async () => {
  await using server = await listenAndServe("tcp://0.0.0.0:0", null, ping);
  assertEquals(await ask(server.address, FOREIGN), "HTTP/1.1 204 No Content");
});

Deno.test("listenAndServe() with hosts or origins refuses others", async () => {
  const rules = { hosts: ["shop.example"], origins: ["https://app.example"] };
  await using server = await listenAndServe("tcp://127.0.0.1:0", null, ping, rules);
  assertEquals(await ask(server.address, FOREIGN), "HTTP/1.1 204 No Content");
  assertEquals(await ask(server.address, ["Host: evil.example"]), "HTTP/1.1 403 Forbidden");
  assertEquals(
    await ask(server.address, ["Host: shop.example", "Origin: https://evil.example"]),
    "HTTP/1.1 403 Forbidden",
  );
  await using own = await listenAndServe("tcp://127.0.0.1:0", null, ping, { hosts: [] });
  assertEquals(await ask(own.address, ["Host: shop.example"]), "HTTP/1.1 403 Forbidden");
});
