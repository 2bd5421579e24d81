/** A client that uploads faster than a function takes: how much it can push, on Deno and on the oldest and the newest Node. */
import { assert } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import type { Client } from "../../fixtures/platform/raw_client.ts";
import { type Running, startDeno, startNode } from "../served.ts";

/** Bytes after which the client stops: the kernel holds some MB for either side. */
const MOST = 64 * 1024 * 1024;
/** Answers to other requests without a byte pushed between them, after which the client counts as held. */
const STILL = 100;

const PROGRAM = "tests/conformance/flood/held_upload_node.ts";
const LINES = "1\n".repeat(8000);
const CHUNK = `${LINES.length.toString(16)}\r\n${LINES}\r\n`;

async function onNode(version: string): Promise<Running> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-upload-" });
  await Deno.writeTextFile(`${folder}/upload.mjs`, await bundled(PROGRAM, "node"));
  return await startNode(folder, ["upload.mjs"], undefined, version);
}

const servers: Record<string, () => Promise<Running>> = {
  "Deno": () => startDeno("", new URL("held_upload_node.ts", import.meta.url).pathname),
  "Node 20": () => onNode("20"),
  "Node 24": () => onNode("24"),
};

/** Pushes chunks as long as the connection takes them. */
function pushChunks(peer: Client): void {
  const { socket } = peer;
  while (socket.bytesWritten < MOST && socket.write(CHUNK));
  if (socket.bytesWritten < MOST) socket.once("drain", () => pushChunks(peer));
}

/** Asks how many pieces the functions have taken. */
async function askTaken(peer: Client): Promise<number> {
  peer.write("GET /taken HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return Number((await peer.response()).body);
}

for (const [name, start] of Object.entries(servers)) {
  for (const path of ["/pieces", "/values"]) {
    Deno.test(`defect: an upload to ${path} that begins in one packet with its head is held back: ${name}`, async () => {
      await using served = await start();
      await using other = await served.connect();
      await using peer = await served.connect();
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n` +
        "Content-Type: application/x-ndjson\r\n\r\n";
      // More than node:http holds of a body before it pauses the socket, less than a socket reads at once.
      peer.write(head + CHUNK.repeat(3));
      await other.until(() => peer.socket.writableLength === 0, "the first packet");
      while (await askTaken(other) === 0);
      pushChunks(peer);
      let pushed = 0;
      for (let still = 0; still < STILL && pushed < MOST; still++) {
        await askTaken(other);
        const now = peer.socket.bytesWritten - peer.socket.writableLength;
        if (now !== pushed) still = 0;
        pushed = now;
      }
      assert(pushed < MOST, `the client could push ${pushed} bytes`);
    });
  }
}
