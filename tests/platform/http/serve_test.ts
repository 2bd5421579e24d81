import { assertEquals } from "@std/assert";
import { z } from "../../../handlers/wire/zod.ts";
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
