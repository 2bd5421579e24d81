import { assertEquals } from "@std/assert";

import type { Handler } from "../../lib/rest/context.ts";
import { listen, type ListenOptions } from "../../lib/platform/listener.ts";
import { client } from "./raw_client.ts";

async function serve(handler: Handler, options: ListenOptions = {}) {
  const errors: unknown[] = [];
  const listener = await listen("tcp://127.0.0.1:0", handler, {
    onError: (error) => void errors.push(error),
    ...options,
  });
  const port = Number(listener.address.split(":").at(-1));
  return { listener, port, errors, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => listener.close(0) };
}

Deno.test("listen() serves requests one after another over one connection", async () => {
  await using server = await serve(async (request) =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`)
  );
  await using peer = await client(server.port);
  for (const body of ["", "hello", "x".repeat(300_000)]) {
    peer.write(`POST /a/b HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const response = await peer.response();
    assertEquals(response.status, 200);
    assertEquals(response.body, `POST /a/b ${body}`);
    assertEquals(response.headers.get("content-length"), String(response.body.length));
  }
});
