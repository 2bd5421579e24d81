/** Peers that lie, stall, flood or vanish, as scenarios against the sample (`sample.ts`), whatever runtime serves it. */
import { assert, assertEquals, assertNotMatch } from "@std/assert";
import { type Client, later } from "../fixtures/platform/raw_client.ts";
import { hostileHeads } from "./hostile_heads.ts";
import type { Running } from "./served.ts";
import { diary } from "./wire.ts";
import { isLongRun } from "../long_run.ts";

/** Files that a server may have open besides a crowd's connections. */
const OTHER_FILES = 1_000;
const HEAD = "Host: localhost\r\n";

/** A scenario that may look at the process that serves. */
export type HostileScenario = (served: Running) => Promise<void>;

/**
 * How many silent connections a server has to keep: TCP may have three quarters of its files, after which the oldest make room. Where client and
 * server are one process, both ends count.
 */
async function crowdOf({ pid }: Running): Promise<number> {
  const limits = await Deno.readTextFile(`/proc/${pid}/limits`);
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]) * 3 / 4 - OTHER_FILES;
  return Math.min(isLongRun ? 10_000 : 2_000, Math.floor(pid === Deno.pid ? files / 2 : files));
}

async function openFiles(pid: number): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
}

/** Runs, and sees to it that the server has as many files open afterwards as before, and still serves. */
async function leavingNothing(served: Running, run: () => Promise<void>): Promise<void> {
  await alive(served);
  const before = await openFiles(served.pid);
  await run();
  await alive(served);
  let after = 0;
  for (let i = 0; i < 1500; i++) {
    after = await openFiles(served.pid);
    if (after <= before + 3) return;
    await later(20);
  }
  throw new Error(`The server had ${before} files open, and has ${after}`);
}

async function alive(served: Running): Promise<void> {
  await using peer = await served.connect();
  peer.write(`GET /status?code=200&body=alive HTTP/1.1\r\n${HEAD}\r\n`);
  assertEquals((await peer.response()).body, "alive");
}

/** Waits until the server has answered and fallen silent, or has ended. */
async function settled(peer: Client): Promise<string> {
  let before = -1;
  for (let i = 0; i < 100 && !peer.ended; i++) {
    await later(15);
    if (peer.buffer.length > 0 && peer.buffer.length === before) break;
    before = peer.buffer.length;
  }
  return peer.buffer.toString("latin1");
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** The scenarios. */
export const hostile: Record<string, HostileScenario> = {
  "refuses requests that two readers would read in two ways": (served) =>
    leavingNothing(served, async () => {
      for (const [name, { text, status }] of Object.entries(hostileHeads)) {
        for (const used of [false, true]) {
          await using peer = await served.connect();
          if (used) {
            peer.write(`GET /status?code=200&body=first HTTP/1.1\r\n${HEAD}\r\n`);
            await peer.response();
          }
          peer.write(bytes(text));
          const got = await settled(peer);
          const seen = /^HTTP\/1\.1 (\d+)/.exec(got)?.[1];
          // An answer to who goes on writing may be lost with the connection.
          const lost = seen === undefined && peer.ended && status.includes(431);
          assert(lost || status.includes(Number(seen)), `${name}: ${seen ?? "nothing"}, used ${used}`);
          assertNotMatch(got, /\r\nsmuggled/, name);
        }
      }
    }),

  "takes no part of a path for a host when there is none": async (served) => {
    for (const host of ["Host:\r\n", "Host: \r\n"]) {
      await using peer = await served.connect();
      peer.write(`GET /echo?x HTTP/1.1\r\n${host}\r\n`);
      assertEquals(JSON.parse((await peer.response()).body).url, "http://localhost/echo?x");
    }
  },

  "lets uploads go that stop halfway or vanish": (served) =>
    leavingNothing(served, async () => {
      const starts = [
        `POST /length HTTP/1.1\r\n${HEAD}Content-Length: 1000000\r\n\r\nhalf`,
        `POST /length HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nfff\r\nhalf`,
        `POST /echo HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
        `POST /echo HTTP/1.1\r\n${HEAD}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
        `POST /start HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 99\r\n\r\nhalf`,
        `POST /refuse HTTP/1.1\r\n${HEAD}Content-Length: 1000000\r\n\r\nhalf`,
        `GET /bytes?n=100000000 HTTP/1.1\r\n${HEAD}\r\n`,
        `GET /values?n=1000000&slowly=1 HTTP/1.1\r\n${HEAD}Accept: text/event-stream\r\n\r\n`,
        `GET /quiet HTTP/1.1\r\n${HEAD}\r\n`,
        `GET /wait HTTP/1.1\r\n${HEAD}\r\n`,
      ];
      for (const end of ["end", "destroy", "resetAndDestroy"] as const) {
        const peers = await Promise.all(starts.flatMap((start) =>
          Array.from({ length: 10 }, async () => {
            const peer = await served.connect();
            peer.write(start);
            return peer;
          })
        ));
        await later(50);
        for (const peer of peers) peer.socket[end]();
        await later(50);
        for (const peer of peers) peer.socket.destroy();
      }
    }),

  "ends floods of header fields, targets, trailers and chunk extensions without holding them": (served) =>
    leavingNothing(served, async () => {
      const start = `POST /length HTTP/1.1\r\n${HEAD}`;
      const floods = [
        [start, "X-A: 1234567\r\n"],
        [start + "X-A: ", "aaaaaaaaaaaa"],
        [start + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: 1234567\r\n"],
        ["GET /echo?", "aaaaaaaaaaaa"],
      ];
      for (const [head, more] of floods) {
        await using peer = await served.connect();
        peer.write(head);
        const piece = more.repeat(5000);
        for (let sent = 0; sent < 8_000_000 && !peer.ended; sent += piece.length) {
          if (!peer.socket.destroyed && !peer.socket.write(piece)) {
            await Promise.race([new Promise((resolve) => peer.socket.once("drain", resolve)), later(300)]);
          }
          await later(0);
        }
        assert(peer.ended, `${JSON.stringify(head.slice(-20))} goes on and on`);
      }
    }),

  "survives what is no WebSocket": (served) =>
    leavingNothing(served, async () => {
      const upgrade = `${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n`;
      const version = "Sec-WebSocket-Version: 13\r\n";
      const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
      for (
        const head of [
          `GET /values HTTP/1.1\r\n${upgrade}\r\n`,
          `GET /values HTTP/1.1\r\n${upgrade}${version}\r\n`,
          `GET /values HTTP/1.1\r\n${upgrade}Sec-WebSocket-Version: 12\r\n${key}\r\n`,
          `GET /values HTTP/1.1\r\n${upgrade}${version}Sec-WebSocket-Key: short\r\n\r\n`,
          `GET /values HTTP/1.1\r\n${upgrade}${version}${key}${key}\r\n`,
          `POST /values HTTP/1.1\r\n${upgrade}${version}${key}Content-Length: 5\r\n\r\nhello`,
          `GET /values HTTP/1.1\r\n${upgrade}${version}${key}Sec-WebSocket-Protocol: ,,\r\n\r\n`,
          `GET /values HTTP/1.0\r\n${upgrade}\r\n`,
        ]
      ) {
        await using peer = await served.connect();
        peer.write(head);
        assert(/^HTTP\/1\.1 4\d\d/.test(await settled(peer)), head);
      }
      const open = `GET /values?n=1000000&slowly=1 HTTP/1.1\r\n${upgrade}${version}${key}`;
      const flow = "Sec-WebSocket-Protocol: gantry.flow\r\n\r\n";
      const masked = (
        opcode: number,
        payload: number[],
        length = payload.length,
      ) => [opcode, 128 | length, 0, 0, 0, 0, ...payload];
      for (
        const [name, frame] of Object.entries({
          "unmasked": [0x81, 1, 49],
          "reserved bits": masked(0xf1, [49]),
          "reserved opcode": masked(0x83, [49]),
          "no UTF-8": masked(0x81, [0xff, 0xfe]),
          "a control frame in pieces": masked(0x09, [49]),
          "a continuation of nothing": masked(0x80, [49]),
          "a long control frame": [0x89, 128 | 126, 1, 0, 0, 0, 0, 0],
          "2 GiB": [0x81, 255, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0],
          "a length past 2^53": [0x81, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0],
          "a close with half a code": masked(0x88, [3]),
          "a close with no such code": masked(0x88, [3, 237]),
          "no credit": masked(0x81, [45, 49]),
          "half a frame, then nothing": [0x81],
        })
      ) {
        await using peer = await served.connect();
        peer.write(open + flow);
        assertEquals((await peer.head()).status, 101);
        peer.write(Uint8Array.from(frame));
        if (name.startsWith("half")) peer.socket.end();
        // A close that is not answered is waited for, but the source is not kept that long.
        const over = () => peer.ended || peer.buffer.includes("Not a credit");
        await peer.until(over, name).catch((error) => assert(peer.ended, error));
        await diary(served, /values: left/);
      }
    }),

  "takes floods of pings, credits and requests from who never reads": (served) =>
    leavingNothing(served, async () => {
      await using socket = await served.connect();
      socket.write(
        `GET /values?n=1000000&slowly=1 HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
          "Sec-WebSocket-Protocol: gantry.flow\r\n\r\n",
      );
      await socket.head();
      socket.socket.pause();
      const ping = [0x89, 128 | 4, 0, 0, 0, 0, 1, 2, 3, 4];
      const credit = [0x81, 128 | 1, 0, 0, 0, 0, 49];
      socket.write(Uint8Array.from(Array.from({ length: 20_000 }, () => [...ping, ...credit]).flat()));
      await using pipeline = await served.connect();
      pipeline.socket.pause();
      pipeline.write(`GET /bytes?n=1000000 HTTP/1.1\r\n${HEAD}\r\n`.repeat(2000));
      await later(300);
      await alive(served);
    }),

  "serves beside thousands of sockets that say nothing, or half of something": (served) =>
    leavingNothing(served, async () => {
      const words = [
        "",
        "GET /ec",
        `GET /echo HTTP/1.1\r\n${HEAD}`,
        `POST /length HTTP/1.1\r\n${HEAD}Content-Length: 9\r\n\r\n`,
      ];
      const peers: Client[] = [];
      try {
        for (let left = await crowdOf(served); left > 0; left--) {
          const peer = await served.connect();
          if (words[left % 4] !== "") peer.write(words[left % 4]);
          peers.push(peer);
        }
        for (let i = 0; i < 5; i++) await alive(served);
        assertEquals(peers.filter(({ ended }) => ended).length, 0, "they are all there still");
      } finally {
        for (const peer of peers) peer.socket.destroy();
      }
    }),
};

/** Milliseconds for which an impatient server waits for a head. */
export const IMPATIENCE = 2000;

/** The scenarios against a server that waits {@linkcode IMPATIENCE} ms for a head: a crowd of others would not be there for long. */
export const impatient: Record<string, HostileScenario> = {
  "ends heads that never end, on new connections and on used ones": (served) =>
    leavingNothing(served, async () => {
      const drip = async (used: boolean) => {
        await using peer = await served.connect();
        if (used) {
          peer.write(`GET /status?code=200&body=first HTTP/1.1\r\n${HEAD}\r\n`);
          await peer.response();
        }
        peer.write(`GET /echo HTTP/1.1\r\n${HEAD}X-A: `);
        const limit = Date.now() + 15_000;
        while (!peer.ended && Date.now() < limit) {
          if (!peer.socket.destroyed) peer.write("a");
          await later(100);
        }
        assert(peer.ended, `a head that drips, on a ${used ? "used" : "new"} connection`);
      };
      await Promise.all([drip(false), drip(true)]);
    }),
};
