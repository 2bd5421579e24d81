import { assert, assertEquals } from "@std/assert";
import { listen } from "../../../lib/platform/http/listener.ts";
import type { Handler, Platform } from "../../../lib/rest/context.ts";
import { client } from "../../fixtures/platform/raw_client.ts";

/** A server whose answers count the calls, and are promised as the path says. */
async function open(keptAnswers: boolean) {
  const state = { calls: 0, revision: 0, reused: [] as string[] };
  const handler: Handler = (request, platform: Platform = {}) => {
    const { pathname } = new URL(request.url);
    const { revision } = state;
    const text = `${pathname} ${++state.calls} ${request.headers.get("x-form") ?? ""}`;
    if (pathname.startsWith("/kept")) {
      platform.keepWhile?.(() => state.revision === revision, { "x-call": () => `again ${state.revision}` });
    }
    platform.onReuse?.(() => void state.reused.push(pathname));
    if (pathname === "/kept/missing") return Promise.resolve(new Response(text, { status: 404 }));
    if (pathname === "/kept/cookie") return Promise.resolve(new Response(text, { headers: { "set-cookie": "a=b" } }));
    if (pathname === "/kept/large") return Promise.resolve(new Response(text + "x".repeat(3 << 20)));
    if (pathname === "/kept/stream") {
      const later = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          await new Promise((resolve) => setTimeout(resolve, 5));
          controller.close();
        },
      });
      return Promise.resolve(new Response(later));
    }
    const headers = { "x-call": `first ${state.revision}`, "content-type": "text/plain", "x-Odd": "\u00e9" };
    return Promise.resolve(new Response(`${text} \u20ac`, { headers }));
  };
  const listener = await listen("tcp://127.0.0.1:0", handler, { keptAnswers });
  const base = listener.address.replace("tcp:", "http:");
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(base + path, init);
    return { response, text: await response.text() };
  };
  return { state, ask, listener, [Symbol.asyncDispose]: () => listener.close(0) };
}

Deno.test("KeptAnswers sends an answer again, byte by byte, until its promise is over", async () => {
  await using server = await open(true);
  const { state, ask } = server;
  const first = await ask("/kept");
  const again = await ask("/kept");
  assertEquals(again.text, first.text);
  assertEquals(first.text, "/kept 1  \u20ac");
  assertEquals(state, { calls: 1, revision: 0, reused: ["/kept"] });
  // Only what is another one each time is another one.
  assertEquals(first.response.headers.get("x-call"), "first 0");
  assertEquals(again.response.headers.get("x-call"), "again 0");
  for (const name of ["content-type", "content-length", "x-odd"]) {
    assert(first.response.headers.get(name) !== null, name);
    assertEquals(again.response.headers.get(name), first.response.headers.get(name));
  }
  state.revision++;
  assertEquals((await ask("/kept")).text, "/kept 2  \u20ac");
  assertEquals((await ask("/kept")).text, "/kept 2  \u20ac");
  assertEquals(state.calls, 2);
});

Deno.test("KeptAnswers keeps apart what differs in any part of the head, and keeps nothing but whole answers to GET", async () => {
  await using server = await open(true);
  const { state, ask } = server;
  const cases: [string, RequestInit?][] = [
    ["/kept"],
    ["/kept?a=b"],
    ["/kept/"],
    ["/kept", { headers: { "x-form": "other" } }],
    ["/kept", { headers: { accept: "text/html" } }],
    ["/kept", { headers: { authorization: "Bearer one" } }],
    ["/kept", { headers: { authorization: "Bearer two" } }],
  ];
  for (const [path, init] of cases) assertEquals((await ask(path, init)).text, (await ask(path, init)).text);
  assertEquals(state.calls, cases.length);
  state.calls = 0;
  const never: [string, RequestInit?][] = [
    ["/other"],
    ["/kept/missing"],
    ["/kept/cookie"],
    ["/kept/large"],
    ["/kept/stream"],
    ["/kept/posted", { method: "POST", body: "a" }],
    ["/kept/posted", { method: "DELETE" }],
    ["/kept", { method: "HEAD" }],
    ["/kept/long", { headers: { "x-form": "x".repeat(5000) } }],
  ];
  for (const [path, init] of never) {
    const { response: { status } } = await ask(path, init);
    assertEquals((await ask(path, init)).response.status, status);
  }
  assertEquals(state.calls, 2 * never.length);
});

Deno.test("KeptAnswers answers pipelined requests in their order, and ends a connection that is to end", async () => {
  await using server = await open(true);
  const port = Number(new URL(server.listener.address.replace("tcp:", "http:")).port);
  const head = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  {
    await using peer = await client(port);
    peer.write(head("/kept") + head("/other") + head("/kept") + head("/kept", "Connection: close\r\n"));
    const bodies: string[] = [];
    for (let i = 0; i < 4; i++) bodies.push((await peer.response()).body);
    const calls = bodies.map((body) => Number(new TextDecoder().decode(new TextEncoder().encode(body)).split(" ")[1]));
    assertEquals(calls, [1, 2, 1, 3]);
  }
  assertEquals(server.state.reused, ["/kept"]);
});

Deno.test("KeptAnswers holds a bounded number of bytes, and is off unless asked for", async () => {
  await using off = await open(false);
  await off.ask("/kept");
  await off.ask("/kept");
  assertEquals(off.state.calls, 2);
  await using server = await open(true);
  const { state, ask } = server;
  const many = 1100;
  for (let i = 0; i < many; i++) await ask(`/kept/${i}`);
  await ask(`/kept/${many - 1}`);
  assertEquals(state.calls, many);
  // The answers that were used longest ago made room.
  await ask("/kept/0");
  assertEquals(state.calls, many + 1);
});
