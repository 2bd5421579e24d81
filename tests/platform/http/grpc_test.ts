import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  GRPC_CODES,
  type GRPCClient,
  GRPCError,
  type IncomingCall,
  type SocketConnection,
} from "../../../lib/engine/ports/build_port.ts";
import { nodeGRPC } from "../../../lib/platform/http/grpc/grpc.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const text = (data: Uint8Array) => new TextDecoder().decode(data);

/** Two ends of one connection. */
function connectionPair(): [SocketConnection, SocketConnection] {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return [
    { readable: there.readable, writable: back.writable },
    { readable: back.readable, writable: there.writable },
  ];
}

async function withCalls(
  handle: (call: IncomingCall) => Promise<void>,
  work: (client: GRPCClient) => Promise<void>,
): Promise<void> {
  const [served, called] = connectionPair();
  const serving = nodeGRPC.serve(served, handle);
  const client = nodeGRPC.connect(called);
  try {
    await work(client);
  } finally {
    client.close();
    await serving;
  }
}

Deno.test("calls go both ways, end with their status, and can be given up", async () => {
  const gone = Promise.withResolvers<void>();
  await withCalls(async (call) => {
    if (call.method === "/x.Y/Echo") {
      for await (const message of call.messages) await call.send(bytes(`${call.metadata.who} says ${text(message)}`));
    } else if (call.method === "/x.Y/Wait") {
      await call.send(bytes("begun"));
      call.signal.addEventListener("abort", () => gone.resolve());
      await gone.promise;
    } else throw new GRPCError(GRPC_CODES.notFound, "nöthing: here%");
  }, async (client) => {
    const said: string[] = [];
    const long = "x".repeat(300_000);
    for await (const one of client.call("/x.Y/Echo", [bytes("a"), bytes(long)], { metadata: { who: "me" } })) {
      said.push(text(one));
    }
    assertEquals(said, ["me says a", `me says ${long}`]);
    const error = await assertRejects(async () => {
      for await (const _ of client.call("/x.Y/None", [])) assert(false);
    }, GRPCError);
    assertEquals([error.code, error.message], [GRPC_CODES.notFound, "nöthing: here%"]);
    for await (const one of client.call("/x.Y/Wait", [])) {
      assertEquals(text(one), "begun");
      break;
    }
    await gone.promise;
  });
});

Deno.test("a message that is too long is refused, and so is a call behind the end", async () => {
  let left: GRPCClient | undefined;
  await withCalls(async (call) => {
    for await (const message of call.messages) await call.send(message);
  }, async (client) => {
    left = client;
    const huge = [new Uint8Array(16 * 1024 * 1024 + 1)];
    const error = await assertRejects(async () => {
      for await (const _ of client.call("/x.Y/Echo", huge)) assert(false);
    }, GRPCError);
    assertEquals(error.code, GRPC_CODES.resourceExhausted);
  });
  await left!.closed;
  await assertRejects(() => left!.call("/x.Y/Echo", []).next(), GRPCError, "the client has left");
});
