/** WebSocket frames on the wire (RFC 6455, section 5.2), read and written by hand. */
import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { z } from "../../fixtures/zod.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import { api, chan, handler, implement, rest } from "../../../lib/rest/mod.ts";
import { type Client, client, later } from "../../fixtures/platform/raw_client.ts";

const definition = api("x", {
  Sizes: rest("GET /sizes?of=%v", [z.array(z.int())], [chan(z.string())]),
  Count: rest("GET /count", [], [chan(z.int())]),
});
const serve = handler(
  null,
  implement(definition, {
    async *Sizes(of) {
      for (const size of of) yield "x".repeat(size);
    },
    async *Count() {
      for (let i = 0;; i++) yield i;
    },
  }),
);

/** Opens a WebSocket by hand. */
async function open(address: string, path: string, protocol?: string): Promise<Client> {
  const peer = await client(Number(address.split(":").at(-1)));
  const offered = protocol === undefined ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  peer.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${offered}` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  assertEquals((await peer.head()).status, 101);
  return peer;
}

/** Takes one frame of a server: how its length is written, and what is in it. */
async function frame(peer: Client): Promise<{ opcode: number; masked: boolean; form: number; text: string }> {
  const [first, second] = Buffer.from(await peer.take(2), "latin1");
  const form = second & 127;
  const wide = form < 126
    ? form
    : Number(`0x${Buffer.from(await peer.take(form === 126 ? 2 : 8), "latin1").toString("hex")}`);
  return { opcode: first & 15, masked: second > 127, form, text: await peer.take(wide) };
}

/** A frame of a client, which must be masked. */
function masked(opcode: number, payload: string): Uint8Array {
  const mask = [1, 2, 3, 4];
  const bytes = new TextEncoder().encode(payload).map((byte, i) => byte ^ mask[i % 4]);
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 255];
  return Uint8Array.from([128 | opcode, 128 | length[0], ...length.slice(1), ...mask, ...bytes]);
}

Deno.test("defect: frames of more than 125 bytes say their length in two or eight bytes, and a server masks none", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  // Two quotes around each.
  const sizes = [0, 123, 124, 1000, 65_533, 65_534, 200_000];
  await using peer = await open(listener.address, `/sizes?${sizes.map((size) => `of=${size}`).join("&")}`);
  for (const size of sizes) {
    const { opcode, masked, form, text } = await frame(peer);
    const length = size + 2;
    assertEquals([opcode, masked, form], [1, false, length < 126 ? length : length < 65_536 ? 126 : 127], `${size}`);
    assertEquals(text.length, length);
    assert(/^"x*"$/.test(text));
  }
  const { opcode, text } = await frame(peer);
  assertEquals([opcode, Buffer.from(text, "latin1").readUInt16BE()], [8, 1000]);
});

Deno.test("gantry.flow: no more values come than a peer has granted, by masked frames", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  await using peer = await open(listener.address, "/count", "gantry.flow");
  await later(50);
  assertEquals(peer.buffer.length, 0);
  let next = 0;
  for (const grant of [3, 1, 40]) {
    peer.write(masked(1, String(grant)));
    for (let i = 0; i < grant; i++) assertEquals(await frame(peer).then(({ text }) => text), String(next++));
    await later(50);
    assertEquals(peer.buffer.length, 0);
  }
  // A message that is none of these ends it; its length takes two bytes, and it is masked.
  peer.write(masked(1, "x".repeat(300)));
  const { opcode, text } = await frame(peer);
  assertEquals([opcode, Buffer.from(text, "latin1").readUInt16BE()], [8, 1002]);
});

Deno.test("a frame of a client that is not masked ends the connection", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  await using peer = await open(listener.address, "/count", "gantry.flow");
  peer.write(Uint8Array.from([0x81, 1, 0x31]));
  await peer.until(() => peer.ended || peer.buffer.length > 0, "a refusal");
  if (peer.buffer.length > 0) assertEquals((await frame(peer)).opcode, 8);
});
