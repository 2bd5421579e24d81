import { assertEquals, assertRejects } from "@std/assert";
import { idleBody } from "../../../lib/platform/http/exchange/idle_body.ts";
import { IdleWatch } from "../../../lib/platform/http/idle_watch.ts";
import { api, handler, HTTPError, implement, rest } from "../../../lib/rest/mod.ts";
import { z } from "../../fixtures/zod.ts";

const echo = api("x", { Echo: rest("POST /echo", [z.array(z.string())], [z.string()]) });
const serve = handler(null, implement(echo, { Echo: (texts) => texts.join() }));

Deno.test("idleBody() gives up a body that stops halfway, which Deno.serve answers 408", async () => {
  using idle = new IdleWatch(40);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const init = request.body && { body: idleBody(request.body, idle), duplex: "half" };
    return serve(new Request(request, init as RequestInit));
  });
  const url = `http://127.0.0.1:${server.addr.port}/echo`;
  const headers = { "content-type": "application/json" };
  assertEquals(await (await fetch(url, { method: "POST", headers, body: '["a","b"]' })).text(), "a,b");
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  const head =
    "POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
  await connection.write(new TextEncoder().encode(head + '["a",'));
  const answer = new Uint8Array(1024);
  const read = await connection.read(answer);
  assertEquals(
    new TextDecoder().decode(answer.subarray(0, read ?? 0)).split("\r\n")[0],
    "HTTP/1.1 408 Request Timeout",
  );
  connection.close();
});

Deno.test("idleBody() is patient with a body that comes slowly, and passes a cancel on", async () => {
  using idle = new IdleWatch(200);
  let left = 4;
  let cancelled = "";
  const slow = () =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        if (left-- > 0) controller.enqueue(new Uint8Array(3));
        else controller.close();
      },
      cancel: (reason) => void (cancelled = reason),
    });
  assertEquals((await new Response(idleBody(slow(), idle)).bytes()).length, 12);
  left = 1;
  const reader = idleBody(slow(), idle).getReader();
  await reader.read();
  await reader.cancel("enough");
  assertEquals(cancelled, "enough");
  const never = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason.message) });
  await assertRejects(() => new Response(idleBody(never, idle)).bytes(), HTTPError, "nothing came");
  assertEquals(cancelled, "Read the body: nothing came for too long");
});
