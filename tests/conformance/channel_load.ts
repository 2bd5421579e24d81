/** Long channels of large values, to fast and to slow readers, as scenarios against the sample served at a URL. */
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type OpenChannel, openChannel } from "../../lib/rest/channels/channel.ts";
import { events } from "../../lib/rest/events.ts";
import { client, later } from "../fixtures/platform/raw_client.ts";
import type { ChannelScenario } from "./channels.ts";
import { isLongRun } from "../long_run.ts";

/** Values of 64 KiB. */
const COUNT = isLongRun ? 10_000 : 3_000;
const PAD = 64 * 1024;
/** How far a source may be ahead of its reader: what sockets and windows hold, in values. */
const AHEAD = 640;
/** How much more the server may hold after many values than after few. */
const GROWTH = 160 * 1024 * 1024;

interface Value {
  i: number;
  pad: string;
}

type Way = "lines" | "events" | "websocket";
const WAYS: readonly Way[] = ["lines", "events", "websocket"];

function open(url: string, query: string, way: Way): OpenChannel<Value> {
  const { receive } = way === "events" ? events() : {};
  const request = new Request(`${url}/values${query}`);
  return openChannel<Value>({ request, fetch, decode: JSON.parse, websocket: way === "websocket", receive });
}

async function made(url: string): Promise<{ values: number; memory: number }> {
  return await (await fetch(`${url}/made`)).json();
}

/** The scenarios. */
export const channelLoad: Record<string, ChannelScenario> = {
  async [`${COUNT} values of 64 KiB arrive whole and in order, and the server does not grow`](url) {
    const { memory } = await made(url);
    for (const way of WAYS) {
      let next = 0;
      for await (const { i, pad } of open(url, `?n=${COUNT}&pad=${PAD}`, way)) {
        if (i !== next++ || pad.length !== PAD) throw new Error(`${way}: value ${i} in place of ${next - 1}`);
      }
      assertEquals(next, COUNT, way);
    }
    const grown = (await made(url)).memory - memory;
    assert(grown < GROWTH, `the server holds ${grown} bytes more`);
  },

  async "a slow reader holds the source back, and gets every value in order"(url) {
    const count = isLongRun ? COUNT : AHEAD * 2 + 100;
    for (const way of WAYS) {
      let next = 0;
      let most = 0;
      for await (const { i } of open(url, `?n=${count}&pad=${PAD}`, way)) {
        if (i !== next++) throw new Error(`${way}: value ${i} in place of ${next - 1}`);
        if (next % 100 === 1) await later(100);
        if (next % 100 === 1) most = Math.max(most, (await made(url)).values - next);
      }
      assertEquals(next, count, way);
      assert(most < AHEAD, `${way}: the source was ${most} values ahead`);
    }
  },

  async "a signal ends a channel at both ends, whatever it travels by"(url) {
    for (const way of WAYS) {
      const leave = new AbortController();
      const { receive } = way === "events" ? events() : {};
      const channel = openChannel<Value>({
        request: new Request(`${url}/values?n=1000000&slowly=1`),
        fetch,
        decode: JSON.parse,
        websocket: way === "websocket",
        receive,
        signal: leave.signal,
      });
      const seen: number[] = [];
      await assertRejects(
        async () => {
          for await (const { i } of channel) if (seen.push(i) === 5) leave.abort(new Error("enough"));
        },
        Error,
        "enough",
      );
      assertEquals(seen, [0, 1, 2, 3, 4], way);
      await stopped(url);
    }
  },

  async "a source that fails is told of, after the values before it"(url) {
    for (const way of WAYS) {
      const seen: number[] = [];
      const reading = async () => {
        for await (const { i } of open(url, "?n=50&fail=1", way)) seen.push(i);
      };
      await assertRejects(reading, Error, "out of numbers", way);
      assertEquals(seen.length, 49, way);
    }
  },
};

/** Waits until the last source makes no more values. */
async function stopped(url: string): Promise<void> {
  let before = -1;
  for (let i = 0; i < 600; i++) {
    const { values } = await made(url);
    if (values === before) return;
    before = values;
    await later(50);
  }
  throw new Error(`The source goes on making values: ${before}`);
}

/** Scenarios for servers whose sockets tell how much is unsent. */
export const plainSockets: Record<string, ChannelScenario> = {
  async "a plain WebSocket that stops reading holds the source back, and loses nothing when it goes on"(url) {
    const count = AHEAD * 2;
    await using peer = await client(Number(new URL(url).port));
    peer.write(
      `GET /values?n=${count}&pad=${PAD} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    assertEquals((await peer.head()).status, 101);
    peer.socket.pause();
    await later(300);
    const { values } = await made(url);
    assert(values < AHEAD, `${values} values made for a peer that does not read`);
    peer.socket.resume();
    for (let i = 0; i < count; i++) {
      const { opcode, text } = await frame(peer);
      assertEquals([opcode, text.slice(0, text.indexOf(","))], [1, `{"i":${i}`]);
    }
    assertEquals((await frame(peer)).opcode, 8);
  },
};

/** One frame of a server (RFC 6455, section 5.2). */
async function frame(peer: Awaited<ReturnType<typeof client>>): Promise<{ opcode: number; text: string }> {
  const head = Buffer.from(await peer.take(2), "latin1");
  const short = head[1] & 127;
  const length = short === 126
    ? Buffer.from(await peer.take(2), "latin1").readUInt16BE()
    : short === 127
    ? Number(Buffer.from(await peer.take(8), "latin1").readBigUInt64BE())
    : short;
  return { opcode: head[0] & 15, text: await peer.take(length) };
}
