/** Peers that open a channel's WebSocket and vanish without a word to TCP, on every runtime that has one. */
import { assertEquals } from "@std/assert";
import { bundled } from "../fixtures/platform/test_cache.ts";
import { connect } from "../../lib/platform/http/client/connect.ts";
import { openChannel } from "../../lib/rest/channels/channel.ts";
import { client, later } from "../fixtures/platform/raw_client.ts";
import { onDeno, onNode } from "./served.ts";
import { sample } from "./sample.ts";
import { diary, type Served } from "./wire.ts";
import { startWorkerd } from "./workerd.ts";

const PATIENCE = 2000;
/** Credit for nothing, as a masked frame: a peer of ours tells so that it is there. */
const BEAT = Uint8Array.from([0x81, 0x81, 0, 0, 0, 0, 48]);

/** A server of the sample. */
interface Server extends AsyncDisposable {
  readonly address: string;
}

const servers: Record<string, () => Promise<Server>> = {
  "listen() on Deno": () => onDeno("tcp://127.0.0.1:0", { socketPatience: PATIENCE }),
  "listen() on Node 24": () => onNode("tcp://127.0.0.1:0", { socketPatience: PATIENCE }),
  "Deno.serve()": () => {
    const serve = sample();
    const upgrade = (request: Request) => (options?: { protocol?: string }) =>
      Deno.upgradeWebSocket(request, { ...options, idleTimeout: PATIENCE / 1000 });
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => serve(request, { upgradeWebSocket: upgrade(request) }),
    );
    const address = `tcp://127.0.0.1:${server.addr.port}`;
    return Promise.resolve({ address, [Symbol.asyncDispose]: () => server.shutdown() });
  },
  "workerd": async () => {
    const workerd = await startWorkerd({
      script: await bundled("tests/conformance/sample_workers.ts", "workers"),
      objects: { SAMPLE: "Sample" },
      bindings: { SOCKET_PATIENCE: String(PATIENCE) },
    });
    return { address: workerd.url, [Symbol.asyncDispose]: () => workerd[Symbol.asyncDispose]() };
  },
};

/** Waits until a source has been let go of, on a busy machine too. */
async function left(served: Served, attempts = 8): Promise<void> {
  try {
    await diary(served, /values: left/);
  } catch (error) {
    if (attempts === 0) throw error;
    await left(served, attempts - 1);
  }
}

/** Opens a WebSocket by hand, with credit for nothing. */
async function open(port: number) {
  const peer = await client(port);
  peer.write(
    "GET /values HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: gantry.flow\r\n\r\n",
  );
  assertEquals((await peer.head()).status, 101);
  return peer;
}

for (const [name, start] of Object.entries(servers)) {
  Deno.test(`defect: a WebSocket's peer that has vanished lets go of its source: ${name}`, async () => {
    await using server = await start();
    const port = Number(server.address.split(":").at(-1));
    const served = { tcp: true, connect: () => client(port) };
    await using gone = await open(port);
    // From here on nothing is read or sent but what its kernel acknowledges.
    gone.write(BEAT);
    gone.socket.pause();
    const started = Date.now();
    await left(served);
    if (Date.now() - started < PATIENCE / 4) throw new Error("it was given up before its time");
  });
}

Deno.test("a WebSocket's peer that answers pings is not taken for gone, however silent its channel is", async () => {
  await using server = await onDeno("tcp://127.0.0.1:0", { socketPatience: PATIENCE });
  const url = server.address.replace("tcp:", "http:");
  const channel = openChannel<{ i: number }>({
    request: new Request(`${url}/values?n=200`),
    fetch,
    decode: JSON.parse,
    websocket: true,
  });
  await channel.opened;
  await later(2 * PATIENCE);
  let count = 0;
  for await (const _ of channel) count++;
  assertEquals(count, 200);
});

Deno.test("connect() ends a channel whose server has vanished", async () => {
  // A server that takes the WebSocket and never reads on: its runtime answers no ping.
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const serving = (async () => {
    const connection = await listener.accept();
    const head = new Uint8Array(4096);
    const length = await connection.read(head) ?? 0;
    const key = /sec-websocket-key: *(\S+)/i.exec(new TextDecoder().decode(head.subarray(0, length)))?.[1];
    const text = new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const accept = new Uint8Array(await crypto.subtle.digest("SHA-1", text)).toBase64();
    await connection.write(new TextEncoder().encode(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: gantry.flow\r\n\r\n`,
    ));
    return connection;
  })();
  const { port } = listener.addr as Deno.NetAddr;
  using hasty = connect(`tcp://127.0.0.1:${port}`, { socketPatience: 600 });
  const channel = openChannel({
    request: new Request(`http://127.0.0.1:${port}/values`),
    fetch,
    decode: JSON.parse,
    websocket: true,
    openWebSocket: hasty.openWebSocket,
  });
  const failure = await Array.fromAsync(channel).catch((error) => String(error));
  assertEquals(failure, "Error: Read a channel: closed with 1006");
  (await serving).close();
  listener.close();
});
