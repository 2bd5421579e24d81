import { assertEquals, assertRejects } from "@std/assert";
import { connect, listen } from "../../../lib/platform/http/serve.ts";

/** A server that answers `/fast`, and nothing else before its caller leaves; tells what else it was asked. */
function slowServer() {
  const asked: string[] = [];
  const serve = (request: Request) => {
    if (request.url.endsWith("/fast")) return Promise.resolve(new Response("fast"));
    asked.push(request.method);
    return new Promise<Response>((answer) =>
      request.signal.addEventListener("abort", () => answer(new Response("too late")))
    );
  };
  return { asked, serve };
}

Deno.test("defect: connect() ends a call at its signal on a connection that was used before", async () => {
  const { asked, serve } = slowServer();
  await using server = await listen("tcp://127.0.0.1:0", serve);
  using client = connect(server.address);
  for (const method of ["GET", "POST"]) {
    assertEquals(await (await client.fetch(new Request("http://localhost/fast"))).text(), "fast");
    const slow = new Request("http://localhost/slow", { method, signal: AbortSignal.timeout(20) });
    assertEquals((await assertRejects(() => client.fetch(slow), DOMException)).name, "TimeoutError");
  }
  // Deno's node:http would ask again behind the caller's back.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals(asked, ["GET", "POST"]);
});

Deno.test("defect: connect() sends nothing twice when a connection that was used before breaks", async () => {
  let asked = 0;
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of server) {
      const bytes = new Uint8Array(4096);
      for (let read = await connection.read(bytes); read; read = await connection.read(bytes)) {
        const isFast = new TextDecoder().decode(bytes.subarray(0, read)).startsWith("GET /fast");
        if (!isFast && ++asked) break;
        await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfast"));
      }
      connection.close();
    }
  })();
  using client = connect(`tcp://127.0.0.1:${server.addr.port}`);
  assertEquals(await (await client.fetch(new Request("http://localhost/fast"))).text(), "fast");
  await assertRejects(
    () => client.fetch(new Request("http://localhost/make", { method: "POST", body: "x" })),
    TypeError,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals(asked, 1);
  server.close();
  await serving;
});

Deno.test("defect: connect() cancels the stream it sends when the call is ended", async () => {
  const { serve } = slowServer();
  await using server = await listen("tcp://127.0.0.1:0", serve);
  using client = connect(server.address);
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(9)),
    cancel: () => cancelled.resolve(),
  });
  // The library of types does not know `duplex`, which a stream needs.
  const init = { method: "POST", body, duplex: "half", signal: AbortSignal.timeout(20) } as RequestInit;
  await assertRejects(() => client.fetch(new Request("http://localhost/slow", init)), DOMException);
  await cancelled.promise;
});

Deno.test("connect() throws at once what ended a call before it began", async () => {
  using client = connect("tcp://127.0.0.1:9");
  const signal = AbortSignal.abort(new Error("never mind"));
  await assertRejects(() => client.fetch(new Request("http://localhost/fast", { signal })), Error, "never mind");
});
