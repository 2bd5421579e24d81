/** Peers that break the rules of a WebSocket that carries values both ways, spoken by hand. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { listen } from "../../../lib/platform/http/listener.ts";
import { api, chan, handler, implement, type Platform, rest } from "../../../lib/rest/mod.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const wire = api("wire.example.com", {
  Echo: rest("POST /echo", [chan(z.string())], [chan(z.string())]),
  Hold: rest("POST /hold", [chan(z.string())], [chan(z.string())]),
  Burst: rest("POST /burst", [chan(z.string())], [chan(z.number())]),
  Sum: rest("POST /sum", [chan(z.number())], [z.number()]),
  Delete: rest("DELETE /all", [], [z.string()]),
});

async function served(platform: Platform = {}) {
  const state = { left: 0, taken: 0, yielded: 0, deleted: 0, failures: [] as string[] };
  const functions = implement(wire, {
    async *Echo(values) {
      try {
        for await (const value of values) {
          state.taken++;
          yield value;
        }
      } catch (error) {
        state.failures.push(String(error));
        throw error;
      } finally {
        state.left++;
      }
    },
    async *Hold(values, { signal }) {
      try {
        // One is taken, and no more: the rest waits.
        for await (const _ of values) {
          yield "held";
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        }
      } finally {
        state.left++;
      }
    },
    async *Burst() {
      try {
        for (;;) yield state.yielded++;
      } finally {
        state.left++;
      }
    },
    async Sum(values) {
      let sum = 0;
      for await (const value of values) sum += value;
      return sum;
    },
    Delete() {
      state.deleted++;
      return "gone";
    },
  });
  const serve = handler(null, functions, { onError() {} });
  const listener = await listen("tcp://127.0.0.1:0", (request, lent) => serve(request, { ...lent, ...platform }));
  const url = listener.address.replace("tcp:", "http:");
  return { url, state, [Symbol.asyncDispose]: () => listener.close(0) };
}

/** A peer that says what it is told. */
async function speak(url: string, protocol = "gantry.duplex") {
  const socket = new WebSocket(url.replace("http", "ws"), [protocol]);
  const heard: string[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  socket.onmessage = ({ data }) => heard.push(data);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  });
  return {
    socket,
    heard,
    closed,
    isOpen,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await closed;
    },
  };
}

Deno.test("the messages of a duplex WebSocket are what the documents say", async () => {
  await using server = await served();
  await using peer = await speak(`${server.url}/echo`);
  await untilTrue(() => peer.heard.length === 1);
  for (const text of ["+64", '"a"', '"b"', "."]) peer.socket.send(text);
  assertEquals(await peer.closed, { code: 1000, reason: "" });
  assertEquals(peer.heard, ["+64", '"a"', '"b"', "."]);
  await using sum = await speak(`${server.url}/sum`);
  for (const text of ["40", "2", "."]) sum.socket.send(text);
  await sum.closed;
  assertEquals(sum.heard.length, 2);
  const answer = JSON.parse(sum.heard[1].slice(1));
  assertEquals([sum.heard[1][0], answer.status, answer.text], ["=", 200, "42"]);
});

const BREACHES: readonly [why: string, code: number, messages: readonly (string | Uint8Array<ArrayBuffer>)[]][] = [
  ["a binary message", 1003, [new Uint8Array(4)]],
  ["a credit that is none", 1002, ["+x"]],
  ["a credit without an end", 1002, ["+" + "9".repeat(400)]],
  ["a negative credit", 1002, ["+-1"]],
  ["an answer of the client", 1002, ['={"status":200}']],
  ["a failure without words", 1002, ["!"]],
  ["an end that says more", 1002, [".."]],
  ["a value behind the end", 1002, [".", '"a"']],
  ["an end behind the end", 1002, [".", "."]],
  ["an end behind a failure", 1002, ['!"x"', "."]],
];

Deno.test("handler() closes a duplex WebSocket whose client breaks the rules, and ends its function", async () => {
  await using server = await served();
  for (const [index, [why, code, messages]] of BREACHES.entries()) {
    await using peer = await speak(`${server.url}/hold`);
    // The function is within its loop, so that it does not end by itself.
    peer.socket.send("+9");
    peer.socket.send('"first"');
    await untilTrue(() => peer.heard.includes('"held"'));
    for (const message of messages) peer.socket.send(message);
    const closed = await peer.closed;
    assertEquals(closed.code, code, `${why}: ${closed.code} ${closed.reason}`);
    await untilTrue(() => server.state.left === index + 1);
  }
});

Deno.test("handler() takes no more values than it asked for: a flood closes the duplex WebSocket", async () => {
  await using server = await served();
  await using peer = await speak(`${server.url}/hold`);
  for (let i = 0; i < 2000 && peer.socket.readyState === 1; i++) peer.socket.send(`"${i}"`);
  assertEquals((await peer.closed).code, 1002);
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() holds few characters of a duplex client that floods it with large values", async () => {
  await using server = await served();
  await using peer = await speak(`${server.url}/hold`);
  const large = `"${"x".repeat(600_000)}"`;
  for (let i = 0; i < 8; i++) peer.socket.send(large);
  assertEquals((await peer.closed).code, 1008);
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() takes no value of more than a mebibyte over a WebSocket", async () => {
  await using server = await served();
  await using peer = await speak(`${server.url}/echo`);
  peer.socket.send(`"${"x".repeat(1_048_576)}"`);
  assertEquals((await peer.closed).code, 1009);
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() throws to the function what is no JSON, or none of its schema's, and says so to the client", async () => {
  await using server = await served();
  for (const [index, [text, words]] of [["7", "expected string"], ["{", "value 2"], ["", "value 2"]].entries()) {
    await using peer = await speak(`${server.url}/echo`);
    for (const sent of ["+64", '"a"']) peer.socket.send(sent);
    // Of a function that has given nothing yet, a failure may still be the answer of the call.
    await untilTrue(() => peer.heard.includes('"a"'));
    peer.socket.send(text);
    const { code, reason } = await peer.closed;
    assertEquals(code, 1011);
    assertMatch(reason, /^Read value 2: /);
    assert(peer.heard.at(-1)?.startsWith("!") && peer.heard.at(-1)?.includes(words), peer.heard.at(-1));
    await untilTrue(() => server.state.left === index + 1);
  }
});

Deno.test("handler() tells of a first value that is wrong, whether the function had given its channel by then or not", async () => {
  await using server = await served();
  for (const text of ["7", "{", ""]) {
    await using peer = await speak(`${server.url}/echo`);
    for (const sent of ["+64", text]) peer.socket.send(sent);
    const { code } = await peer.closed;
    const last = peer.heard.at(-1) ?? "";
    assert(code === 1011 && last[0] === "!" || code === 1000 && /^=\{"status":400/.test(last), `${code} ${last}`);
    assertMatch(last, /Read value 1: /);
  }
});

Deno.test("handler() lets go of a function whose duplex client vanishes without an end", async () => {
  await using server = await served();
  const peer = await speak(`${server.url}/echo`);
  peer.socket.send("+64");
  peer.socket.send('"a"');
  await untilTrue(() => peer.heard.includes('"a"'));
  peer.socket.close();
  await peer.closed;
  await untilTrue(() => server.state.left === 1);
  assertMatch(server.state.failures[0], /the client has left/);
});

Deno.test("handler() makes no value for a duplex client that gives no credit, and one for each that it gives", async () => {
  await using server = await served();
  await using peer = await speak(`${server.url}/burst`);
  await untilTrue(() => server.state.yielded > 0);
  assert(server.state.yielded <= 2);
  peer.socket.send("+5");
  await untilTrue(() => peer.heard.length === 6);
  assertEquals(peer.heard, ["+64", "0", "1", "2", "3", "4"]);
  assert(server.state.yielded <= 7);
  peer.socket.close();
  await untilTrue(() => server.state.left === 1);
});

Deno.test("handler() opens no duplex WebSocket to an operation that takes no channel", async () => {
  await using server = await served();
  for (const protocol of ["gantry.duplex.delete", "gantry.duplex"]) {
    assertEquals((await speak(`${server.url}/all`, protocol)).isOpen, false);
  }
  // Without its own protocol the path takes POST only.
  assertEquals((await speak(`${server.url}/echo`, "gantry.flow")).isOpen, false);
  assertEquals(server.state.deleted, 0);
});

Deno.test("handler() gives others their turn while duplex clients send as fast as they can", async () => {
  await using server = await served();
  const peers = await Promise.all([1, 2, 3, 4].map(() => speak(`${server.url}/echo`)));
  let echoed = 0;
  for (const { socket } of peers) {
    socket.addEventListener("message", ({ data }) => {
      if (String(data).startsWith("+")) {
        for (let i = 0; i < Number(data) && socket.readyState === 1; i++) socket.send('"x"');
      } else {
        echoed++;
        if (socket.readyState === 1) socket.send("+1");
      }
    });
    socket.send("+64");
    for (let i = 0; i < 64; i++) socket.send('"x"');
  }
  await untilTrue(() => echoed > 1000);
  const response = await fetch(`${server.url}/all`, { method: "DELETE" });
  assertEquals(await response.text(), "gone");
  for (const { socket, closed } of peers) {
    socket.close();
    await closed;
  }
  await untilTrue(() => server.state.left === 4);
});

Deno.test("handler() ends a duplex channel whose client has beaten once and then says nothing", async () => {
  await using server = await served({ socketPatience: 100 });
  await using silent = await speak(`${server.url}/echo`);
  silent.socket.send("+0");
  assertEquals((await silent.closed).code, 1001);
  await untilTrue(() => server.state.left === 1);
  // One that never beats is another's client, and may be silent.
  await using other = await speak(`${server.url}/echo`);
  other.socket.send("+64");
  await new Promise((resolve) => setTimeout(resolve, 300));
  other.socket.send('"still here"');
  await untilTrue(() => other.heard.includes('"still here"'));
});
