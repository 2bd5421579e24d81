/** Request targets as no well-behaved client writes them, sent raw to every listener: each must route as the in-process router does. */
import { assertEquals } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { client } from "../../fixtures/platform/raw_client.ts";
import { serveOdd } from "./odd_paths.ts";
import { startNode } from "../served.ts";
import { listen } from "../../../lib/platform/http/listener.ts";
import { startWorkerd } from "../workerd.ts";

/** Targets in origin form. */
const PATHS = [
  "/a/../b",
  "/a/b/..",
  "/a/./b",
  "/a/b/.",
  "/./a/b",
  "/../../a/b",
  "/a/%2e%2e/b",
  "/a/%2E./b",
  "/a/.%2e/b/c",
  "/a/%2e/b",
  "/%2e%2e%2fa",
  "/a/..%2fb",
  "/a/...",
  "/a/..b",
  "/a\\b",
  "/a\\..\\b",
  "/\\a/b",
  "/a/%5C..",
  "//a/b",
  "//",
  "///a",
  "/a//b",
  "/a/b//",
  "/a/b/",
  "/files//x//y/",
  "/files/../a/b",
  "/files/x/%2e%2e/y",
  "/files/x%2Fy/z",
  "/a/%2F",
  "/a/%zz",
  "/a/%",
  "/a/%00",
  "/a/%FF",
  "/a/b;x=1",
  "/a/b,c",
  "/a/b?x=/../y",
  "/a/b?",
  "/?a/../b",
  "/a/b#c",
  "/a/b?x#y",
  '/a/"b"',
  "/a/<b>",
  "/a/`b`",
  "/a/{b}",
  "/a/|b|",
  "/a/^b",
  "/a/[b]",
  "/a/b'c",
  "/:80/a",
  "/@evil/a",
  "/a@evil/b",
  "/http://evil/a",
  "/a/%C3%A9?%C3%A9",
  "/A/B",
  "/a/b%20c",
  "/a/b+c",
];

/** Targets in absolute form, and the path each stands for. */
const WHOLE: Record<string, string> = {
  "http://evil.example/a/b": "/a/b",
  "http://evil.example": "/",
  "http://evil.example?x": "/?x",
  "HTTP://EVIL.example:81/a/../b": "/a/../b",
  "http://u:p@evil.example/a/b": "/a/b",
  "https://evil.example/a/%2e%2e/b/c": "/a/%2e%2e/b/c",
};

/** Bytes that no target may have (RFC 9112, section 3.2): guessing their encoding is not ours. */
const NO_TARGETS = ["/a/\xc3\xa9", "/a/\xe9", "/a/b?\xc3\xa9"];

/** What the router makes of a target in this process. */
async function expected(path: string): Promise<unknown> {
  const response = await serveOdd()(new Request(`http://localhost${path}`));
  return [response.status, response.status === 200 ? await response.json() : null];
}

function utf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}

const servers: Record<string, () => Promise<{ address: string } & AsyncDisposable>> = {
  "Deno": () => listen("tcp://127.0.0.1:0", serveOdd()),
  "Node 24": async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-odd-" });
    await Deno.writeTextFile(
      `${folder}/odd.mjs`,
      await bundled("tests/conformance/odd_paths/odd_paths_node.ts", "node"),
    );
    return await startNode(folder, ["odd.mjs"]);
  },
  "Deno.serve": () => {
    const serve = serveOdd();
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => serve(request));
    return Promise.resolve({
      address: `tcp://127.0.0.1:${server.addr.port}`,
      [Symbol.asyncDispose]: () => server.shutdown(),
    });
  },
  "workerd": async () => {
    const workerd = await startWorkerd({
      script: await bundled("tests/conformance/odd_paths/odd_paths_workers.ts", "workers"),
    });
    return { address: workerd.url, [Symbol.asyncDispose]: () => workerd[Symbol.asyncDispose]() };
  },
};

for (const [runtime, start] of Object.entries(servers)) {
  Deno.test(`odd paths reach the same function on ${runtime} as in process`, async () => {
    await using server = await start();
    const port = Number(server.address.split(":").at(-1));
    const own = runtime === "Deno" || runtime === "Node 24";
    const targets = Object.entries({ ...Object.fromEntries(PATHS.map((path) => [path, path])), ...own ? WHOLE : {} });
    for (const [target, path] of targets) {
      await using peer = await client(port);
      peer.write(Uint8Array.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, (char) => char.charCodeAt(0)));
      const { status, body } = await peer.response();
      const wanted = await expected(path);
      const got = [status, status === 200 ? JSON.parse(utf8(body)) : null];
      // Other people's listeners may refuse what they cannot read.
      if (!own && status === 400) continue;
      assertEquals([target, got], [target, wanted]);
    }
    for (const target of own ? NO_TARGETS : []) {
      for (const upgrade of ["", "Connection: Upgrade\r\nUpgrade: tcp\r\n"]) {
        await using peer = await client(port);
        const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`;
        peer.write(Uint8Array.from(head, (char) => char.charCodeAt(0)));
        assertEquals((await peer.head()).status, 400, target + upgrade);
      }
    }
  });
}

Deno.test("the odd paths reach what their normal forms reach", async () => {
  assertEquals(await expected("/a/../b"), await expected("/b"));
  assertEquals(await expected("/x/../a/%2e%2E/a/./b"), [200, ["Fixed"]]);
  assertEquals(await expected("/files/x//y"), [200, ["File", "x//y"]]);
});
