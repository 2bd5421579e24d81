import { assert, assertEquals } from "@std/assert";
import { parseHead } from "../../../lib/platform/http/request_head.ts";

Deno.test("parseHead() reads method, target, version and headers as they stand", () => {
  const head = parseHead("POST /a%20b?x=1 HTTP/1.1\r\nHost:d\r\nX-Empty:\r\nX-Space: \t a  b \t\r\nX-L: \xe9\r\n\r\n");
  assertEquals(head, {
    method: "POST",
    target: "/a%20b?x=1",
    minor: 1,
    rawHeaders: ["Host", "d", "X-Empty", "", "X-Space", "a  b", "X-L", "\xe9"],
  });
  assertEquals(parseHead("GET / HTTP/1.0\r\n\r\n")?.minor, 0);
});

Deno.test("parseHead() refuses what proxies and servers read differently", () => {
  for (
    const text of [
      "GET / HTTP/1.1\n\n",
      "GET / HTTP/1.1\r\nHost: d\nX: y\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : d\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: d\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\n: empty\r\n\r\n",
      "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n",
      "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
      "GET  / HTTP/1.1\r\n\r\n",
      "GET /a b HTTP/1.1\r\n\r\n",
      "GET / HTTP/2.0\r\n\r\n",
      "GET / HTTP/1.1",
      "\r\n\r\n",
      "",
    ]
  ) assertEquals(parseHead(text), undefined, JSON.stringify(text));
});

Deno.test("parseHead() takes any text in bounded time and returns a head or nothing", () => {
  const alphabet = ["GET ", "/", " HTTP/1.1", "\r\n", "\r", "\n", ":", " ", "\t", "a", "Host", "\0", "\xff", "%"];
  let seed = 42;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  for (let i = 0; i < 20_000; i++) {
    const length = Math.floor(random() * 30);
    const text = Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
    const head = parseHead(text);
    if (head) assert(head.rawHeaders.length % 2 === 0 && !/[\r\n\0]/.test(head.rawHeaders.join("")));
  }
  const started = performance.now();
  parseHead(`GET / HTTP/1.1\r\nX:${" \t".repeat(60_000)}\x01\r\n\r\n`);
  parseHead(`GET / HTTP/1.1\r\nX:${" a".repeat(60_000)}\r\n\r\n`);
  assert(performance.now() - started < 1000);
});
