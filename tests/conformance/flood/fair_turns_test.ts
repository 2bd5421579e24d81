/** One fast reader of a source that has its values at hand beside other callers, on every runtime. */
import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { type Client, client, later } from "../../fixtures/platform/raw_client.ts";
import { onNode, startDeno } from "../served.ts";
import { diary, type Served } from "../wire.ts";
import { startWorkerd } from "../workerd.ts";

/** How much more a server may hold after many values than after few. */
const GROWTH = 96 * 1024 * 1024;
/** Bytes that a reader has taken before the server is measured again. */
const MANY = 4 * 1024 * 1024;
/** Credit for a million values, as a masked frame. */
const CREDIT = Uint8Array.from([0x81, 0x87, 0, 0, 0, 0, ...new TextEncoder().encode("1000000")]);

const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** The heads by which a reader asks for values. */
const CARRIERS: Record<string, string> = {
  "lines": "",
  "server-sent events": "Accept: text/event-stream\r\n",
  "a plain WebSocket": UPGRADE,
  "a WebSocket with flow control": `${UPGRADE}Sec-WebSocket-Protocol: gantry.flow\r\n`,
};

interface Server extends Served, AsyncDisposable {
  readonly address: string;
  /** The process that serves, where it is known. */
  readonly pid?: number;
}

const servers: Record<string, () => Promise<Server>> = {
  "Deno": () => startDeno("tcp://127.0.0.1:0"),
  "Node 24": () => onNode("tcp://127.0.0.1:0"),
  async "workerd"() {
    const script = await bundled("tests/conformance/sample_workers.ts", "workers");
    const flags = ["enable_request_signal"];
    const workerd = await startWorkerd({ script, objects: { SAMPLE: "Sample" }, flags });
    const port = Number(new URL(workerd.url).port);
    return {
      address: workerd.url,
      tcp: true,
      connect: () => client(port),
      [Symbol.asyncDispose]: () => workerd[Symbol.asyncDispose](),
    };
  },
};

/** Reads as fast as it can, and counts. */
async function read(served: Server, path: string, head: string): Promise<{ peer: Client; taken(): number }> {
  const peer = await served.connect();
  let taken = 0;
  peer.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`);
  peer.socket.on("data", (piece: Uint8Array) => {
    taken += piece.length;
    peer.buffer = Buffer.alloc(0);
  });
  return { peer, taken: () => taken };
}

async function made(served: Server): Promise<{ values: number; memory: number }> {
  await using peer = await served.connect();
  peer.write("GET /made HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return JSON.parse((await peer.response()).body);
}

for (const [name, start] of Object.entries(servers)) {
  for (const [carrier, head] of Object.entries(CARRIERS)) {
    // A socket of workerd tells nobody how much is unsent: only flow control holds a source back there.
    if (name === "workerd" && carrier === "a plain WebSocket") continue;
    Deno.test(`defect: one fast reader of ${carrier} leaves turns to other callers: ${name}`, async () => {
      await using served = await start();
      try {
        const { memory } = await made(served);
        const { peer, taken } = await read(served, "/values?n=1e15", head);
        await using _reader = peer;
        while (taken() < MANY) {
          if (carrier.endsWith("flow control")) peer.write(CREDIT);
          const before = taken();
          await made(served);
          await later(20);
          await peer.until(() => taken() > before, "further values");
        }
        const { memory: after } = await made(served);
        assert(after - memory < GROWTH, `the server holds ${after - memory} bytes more`);
        peer.socket.destroy();
        await diary(served, /values: left/);
        assertEquals((await made(served)).values > 0, true);
      } catch (error) {
        // The end of a server that is killed would hide the reason.
        console.error(error);
        // A server that is starved hears of no end.
        if (served.pid !== undefined) Deno.kill(served.pid, "SIGKILL");
        throw error;
      }
    });
  }
}
