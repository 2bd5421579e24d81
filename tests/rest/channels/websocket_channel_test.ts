import { assert, assertEquals } from "@std/assert";
import { openChannel } from "../../../lib/rest/channels/channel.ts";
import { ChannelSource } from "../../../lib/rest/channels/channel_source.ts";
import { sendValues } from "../../../lib/rest/channels/websocket_channel.ts";
import { silent } from "../../fixtures/rest/silent.ts";

Deno.test("sendValues() holds no more than a bound for a plain WebSocket that does not read, then closes it with 1013", async () => {
  const closes: unknown[][] = [];
  let made = 0;
  // A socket whose peer takes nothing: only what is sent adds up.
  const socket = Object.assign(new EventTarget(), {
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string) => void (socket.bufferedAmount += text.length),
    close: (...given: unknown[]) => void closes.push(given),
  });
  let released = false;
  async function* endless() {
    try {
      for (;; made++) yield "x".repeat(65_536);
    } finally {
      released = true;
    }
  }
  const source = new ChannelSource(endless(), String);
  // What of a WebSocket is used is there.
  let left = 0;
  const options = { flow: false, describe: String, stall: 40, left: () => void left++ };
  await sendValues(source, socket as unknown as WebSocket, options);
  assertEquals(closes, [[1013, "The peer reads too slowly"]]);
  socket.dispatchEvent(new Event("close"));
  assertEquals(left, 1, "the function is told once");
  assert(made < 24, `${made} values of 64 KiB made`);
  await new Promise((resolve) => setTimeout(resolve));
  assert(released);
});

/** A socket whose peer grants what a test says, when it says so. */
function grantingSocket() {
  const closes: unknown[][] = [];
  const socket = Object.assign(new EventTarget(), {
    readyState: 1,
    bufferedAmount: 0,
    send() {},
    close: (...given: unknown[]) => void closes.push(given),
  });
  const say = (data: string) => void socket.dispatchEvent(new MessageEvent("message", { data }));
  // What of a WebSocket is used is there.
  return { socket: socket as unknown as WebSocket, say, closes };
}

Deno.test("sendValues() takes a peer for gone that has sent a beat and says nothing more", async () => {
  const { socket, say, closes } = grantingSocket();
  const { source, returned } = silent();
  const sent = sendValues(new ChannelSource(source, String), socket, { flow: true, describe: String, patience: 100 });
  say("64");
  say("0");
  await Promise.all([sent, returned]);
  assertEquals(closes[0], [1001, "The peer is silent"]);
});

Deno.test("sendValues() waits for a peer that goes on beating, and for one that never did", async () => {
  for (const beats of [true, false]) {
    const { socket, say, closes } = grantingSocket();
    const { source, returned } = silent();
    const options = { flow: true, describe: String, patience: 10_000 };
    const sent = sendValues(new ChannelSource(source, String), socket, beats ? options : { ...options, patience: 1 });
    say("64");
    for (let i = 0; i < 10; i++) {
      if (beats) say("0");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assertEquals(closes, []);
    socket.dispatchEvent(new CloseEvent("close"));
    await Promise.all([sent, returned]);
  }
});

Deno.test("openChannel() over a WebSocket with flow control grants credit, and beats", async () => {
  const said: unknown[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "gantry.flow" });
    socket.onmessage = ({ data }) => {
      said.push(data);
      if (data === "0") socket.close(1000);
    };
    return response;
  });
  try {
    const request = new Request(`http://127.0.0.1:${server.addr.port}/`);
    const channel = openChannel({ request, fetch, decode: JSON.parse, websocket: true });
    assertEquals(await Array.fromAsync(channel), []);
    assertEquals(said, ["64", "0"]);
  } finally {
    await server.shutdown();
  }
});

for (const [end, beat] of [["ends", "before"], ["ends", "after"], ["fails", "before"], ["fails", "after"]]) {
  Deno.test(`defect: sendValues() whose source ${end} early leaves no timer, with the first beat ${beat} the end`, async () => {
    const { socket, say, closes } = grantingSocket();
    async function* short() {
      yield 1;
      if (end === "fails") throw new Error("out of numbers");
    }
    const started = new Set<unknown>();
    const { setInterval, clearInterval } = globalThis;
    // Every interval that begins is noted, and struck off when it is cleared.
    globalThis.setInterval = ((...given: Parameters<typeof setInterval>) => {
      const timer = setInterval(...given);
      started.add(timer);
      return timer;
    }) as typeof setInterval;
    globalThis.clearInterval = (timer) => {
      started.delete(timer);
      clearInterval(timer);
    };
    try {
      const sent = sendValues(new ChannelSource(short(), String), socket, { flow: true, describe: String });
      say("64");
      if (beat === "before") say("0");
      assertEquals(started.size, beat === "before" ? 1 : 0);
      await sent;
      say("0");
      assertEquals(closes[0][0], end === "fails" ? 1011 : 1000);
      assertEquals(started.size, 0);
    } finally {
      for (const timer of started) clearInterval(timer as number);
      Object.assign(globalThis, { setInterval, clearInterval });
    }
  });
}
