import { assertEquals, assertMatch } from "@std/assert";
import http2 from "node:http2";
import process from "node:process";
import { askGRPCHealth } from "../../../../lib/platform/linux/networks/grpc_health.ts";

/** A server of HTTP/2 that answers each service with the bytes that a test wants. */
async function startServer(answers: Readonly<Record<string, Uint8Array>>): Promise<{ port: number; close(): void }> {
  const server = http2.createServer();
  server.on("stream", (stream, headers) => {
    const chunks: Uint8Array[] = [];
    stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    stream.on("end", () => {
      const message = chunks.flatMap((chunk) => [...chunk]);
      const service = new TextDecoder().decode(new Uint8Array(message.slice(message[6] > 127 ? 8 : 7)));
      const answer = headers[":path"] === "/grpc.health.v1.Health/Check" ? answers[service] : undefined;
      stream.respond({
        ":status": 200,
        "content-type": "application/grpc",
        ...answer === undefined && { "grpc-status": "5", "grpc-message": "unknown service" },
      });
      stream.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // An address of TCP: it was asked for.
  const { port } = server.address() as { port: number };
  return { port, close: () => void server.close() };
}

const frame = (...message: number[]) => new Uint8Array([0, 0, 0, 0, message.length, ...message]);

Deno.test({
  name: "askGRPCHealth() asks a server in a process's network, and says what it answers",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const long = "s".repeat(200);
    const answers = {
      "": frame(0x08, 1),
      shop: frame(0x08, 2),
      odd: frame(0x12, 1),
      none: frame(),
      [long]: frame(0x08, 0),
    };
    const server = await startServer(answers);
    const ask = (service: string) =>
      askGRPCHealth({ pid: process.pid, port: server.port, service, timeout: 5000 }).then((answer) =>
        Object.values(answer)
      );
    try {
      assertEquals(await ask(""), [true, "service status: SERVING"]);
      assertEquals(await ask("shop"), [false, "service status: NOT_SERVING"]);
      assertEquals(await ask("odd"), [false, "service status: an answer without a status"]);
      assertEquals(await ask(long), [false, "service status: UNKNOWN"]);
      assertEquals(await ask("none"), [false, "service status: UNKNOWN"]);
      assertEquals(await ask("other"), [false, "the answer is gRPC status 5: unknown service"]);
    } finally {
      server.close();
    }
    const [isServing, text] = await ask("");
    assertEquals(isServing, false);
    assertMatch(String(text), /connect/i);
  },
});
