/** Bodies that are there whole: those of requests that came with their heads, and those of responses made of a text. */
import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "../../../lib/platform/http/listener.ts";
import { arrivedBody } from "../../../lib/platform/http/exchange/node_request.ts";
import { api, handler, implement, rest } from "../../../lib/rest/mod.ts";
import { notedBody } from "../../../lib/rest/quick/whole_body.ts";
import { z } from "../../fixtures/zod.ts";
import { client } from "../../fixtures/platform/raw_client.ts";

const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${
    new TextEncoder().encode(body).length
  }\r\n\r\n${body}`;

/** Answers with what `arrivedBody()` gives, and what is to be read behind it. */
async function answer(message: IncomingMessage): Promise<string> {
  await undefined;
  const body = arrivedBody(message);
  let rest = "";
  message.setEncoding("utf8");
  for await (const piece of message) rest += piece;
  return `${body && new TextDecoder().decode(body)}|${rest}`;
}

Deno.test("arrivedBody() takes a body that came with its head, and leaves one alone that is still on its way or is long", async () => {
  const server = createServer((message, out) => void answer(message).then((text) => out.end(text)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server of TCP has one.
  const { port } = server.address() as AddressInfo;
  await using peer = await client(port);
  // With the first bytes of a connection a runtime may take a turn of its own.
  peer.write(post("/", "first"));
  await peer.response();
  peer.write(post("/", "grüße"));
  assertEquals((await peer.response()).body, utf8("grüße|"));
  const [head, body] = [post("/", "later").slice(0, -3), "ter"];
  await peer.packets([head, body]);
  assertEquals((await peer.response()).body, "undefined|later");
  const long = "x".repeat(65 * 1024);
  peer.write(post("/", long));
  assertEquals((await peer.response()).body, `undefined|${long}`);
  server.close();
});

/** UTF-8 as the client of these tests reads it, a letter for each byte. */
const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

const words = api("x", {
  Echo: rest("POST(text/plain) /echo", [z.string()], [z.string()]),
  Refuse: rest("POST(text/plain) /refuse", [z.string().regex(/^a/)], [z.string()]),
});

Deno.test("listen() answers requests of one packet in their order, each with its own body", async () => {
  const serve = handler(null, implement(words, { Echo: (text) => `${text}!`, Refuse: (text) => text }));
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  await using peer = await client(Number(listener.address.split(":").at(-1)));
  for (let turn = 0; turn < 2; turn++) {
    peer.write(post("/echo", "one") + post("/refuse", "two") + post("/nowhere", "three") + post("/echo", "vier € ü"));
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await peer.response());
    assertEquals(answers.map(({ status }) => status), [200, 400, 404, 200]);
    assertEquals([answers[0].body, answers[3].body], ["one!", utf8("vier € ü!")]);
    assertEquals(answers[3].headers.get("content-length"), "12");
  }
});

Deno.test("notedBody() is the text of a response that nobody has read yet", async () => {
  const serve = handler(null, implement(words, { Echo: (text) => text, Refuse: (text) => text }));
  const ask = () =>
    serve(new Request("http://x/echo", { method: "POST", body: "a", headers: { "content-type": "text/plain" } }));
  const response = await ask();
  assertEquals(notedBody(response), "a");
  await response.text();
  assertEquals(notedBody(response), undefined);
  assertEquals(notedBody(new Response("a")), undefined);
  assertEquals(notedBody(new Response((await ask()).body)), undefined);
});
