import { assertEquals, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "../../fixtures/zod.ts";
import { requestListener } from "../../../lib/platform/http/serve.ts";
import { api, handler, implement, rest } from "../../../lib/rest/mod.ts";

Deno.test("requestListener() says so at once when something in front has read the body", async () => {
  const echo = api("x", { Echo: rest("POST /echo", [z.object({ text: z.string() })], [z.string()]) });
  const serve = requestListener(handler(null, implement(echo, { Echo: ({ text }) => text })));
  const server = createServer(async (message, out) => {
    if (message.headers["x-parsed"]) { for await (const _ of message); }
    serve(message, out);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const post = async (headers: Record<string, string>) => {
    const init = {
      method: "POST",
      body: '{"text":"hello"}',
      headers: { "content-type": "application/json", ...headers },
    };
    const response = await fetch(`http://127.0.0.1:${port}/echo`, init);
    return [response.status, await response.text()] as const;
  };
  assertEquals(await post({}), [200, "hello"]);
  const [status, text] = await post({ "x-parsed": "1" });
  assertEquals(status, 500);
  assertStringIncludes(text, "it has been read already");
  server.close();
  await once(server, "close");
});
