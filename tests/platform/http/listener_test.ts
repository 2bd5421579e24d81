import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createServer } from "node:net";
import { listen } from "../../../lib/platform/http/listener.ts";
import type { Handler } from "../../../lib/rest/context.ts";
import { client, later } from "../../fixtures/platform/raw_client.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const ok: Handler = () => Promise.resolve(new Response("ok"));

async function scratch(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-listener-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function get(to: number | string): Promise<string> {
  await using peer = await client(to);
  peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return (await peer.response()).body;
}

Deno.test("listen() makes a Unix socket for its owner only, and removes it at the end", () =>
  scratch(async (folder) => {
    const path = `${folder}/made/gantry.sock`;
    const before = Deno.umask(0o022);
    try {
      await using listener = await listen(`unix://${path}`, ok);
      assertEquals(listener.address, `unix://${path}`);
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
      assertEquals(((await Deno.stat(`${folder}/made`)).mode ?? 0) & 0o777, 0o700);
      assertEquals(Deno.umask(), 0o022);
      assertEquals(await get(path), "ok");
    } finally {
      Deno.umask(before);
    }
    await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
  }));

Deno.test("listen() replaces a socket that nobody listens on", () =>
  scratch(async (folder) => {
    const path = `${folder}/gantry.sock`;
    // A process that is killed leaves its socket behind.
    const left = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        `Deno.listen({ transport: "unix", path: ${JSON.stringify(path)} }); Deno.kill(Deno.pid, "SIGKILL")`,
      ],
    });
    await left.output();
    assert((await Deno.lstat(path)).isSocket);
    await using _listener = await listen(`unix://${path}`, ok);
    assertEquals(await get(path), "ok");
  }));

Deno.test("listen() leaves a living server's socket alone, and other files", () =>
  scratch(async (folder) => {
    const path = `${folder}/gantry.sock`;
    await using _listener = await listen(`unix://${path}`, ok);
    await assertRejects(() => listen(`unix://${path}`, ok), Error, "another server listens there");
    assertEquals(await get(path), "ok");
    await Deno.writeTextFile(`${folder}/file`, "precious");
    await assertRejects(() => listen(`unix://${folder}/file`, ok), Error, "taken by something else");
    assertEquals(await Deno.readTextFile(`${folder}/file`), "precious");
  }));

Deno.test("listen() refuses TCP off loopback, unless every caller is authenticated", async () => {
  for (const address of ["tcp://0.0.0.0:0", "tcp://[::]:0", ":0", "192.0.2.1:0"]) {
    await assertRejects(() => listen(address, ok), Error, "off loopback");
  }
  await using _listener = await listen("tcp://0.0.0.0:0", ok, { authenticated: true });
});

Deno.test("defect: a listener on no certain host tells the address that it has", async () => {
  await using listener = await listen(":0", ok, { authenticated: true });
  assert(/^tcp:\/\/(\[::\]|0\.0\.0\.0):[1-9]\d*$/.test(listener.address), listener.address);
});

Deno.test("listen() says that a port is taken", async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port))
  );
  try {
    await assertRejects(() => listen(`tcp://127.0.0.1:${port}`, ok), Error, "EADDRINUSE");
  } finally {
    await new Promise((resolve) => taken.close(resolve));
  }
});

Deno.test("Listener.close() lets short requests end, and ends idle connections and long streams", async () => {
  const [arrived, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handler: Handler = async (request) => {
    if (request.url.endsWith("/stream")) return new Response(new ReadableStream());
    if (request.url.endsWith("/busy")) {
      arrived.resolve();
      await closing.promise;
    }
    return new Response("done");
  };
  const listener = await listen("tcp://127.0.0.1:0", handler);
  const port = Number(listener.address.split(":").at(-1));
  await using idle = await client(port);
  idle.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await idle.response();
  await using stream = await client(port);
  stream.write("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await stream.head();
  await using silent = await client(port);
  await using busy = await client(port);
  busy.write("GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await arrived.promise;
  const closed = listener.close(1000);
  closing.resolve();
  assertEquals((await busy.response()).body, "done");
  await closed;
  for (const peer of [idle, stream, silent, busy]) await peer.until(() => peer.ended, "the end").catch(() => {});
  assert(idle.ended && stream.ended && silent.ended && busy.ended);
  await assertRejects(() => client(port));
});

Deno.test("listen() survives peers that vanish at any point, and says nothing of them", async () => {
  const errors: unknown[] = [];
  const handler: Handler = async (request, platform) => {
    if (request.method === "POST" && request.url.endsWith("/attach")) {
      const { readable, writable, response } = await platform!.upgrade!();
      readable.pipeTo(writable).catch(() => {});
      return response;
    }
    await request.text().catch(() => {});
    return new Response("x".repeat(100_000));
  };
  await using listener = await listen("tcp://127.0.0.1:0", handler, { onError: (error) => void errors.push(error) });
  const port = Number(listener.address.split(":").at(-1));
  const requests = [
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000),
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "POST /attach HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 3\r\n\r\nabcraw",
    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ];
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    const text = requests[i % requests.length];
    const peer = await client(port);
    peer.write(text.slice(0, Math.floor(random() * text.length) + 1));
    await later(random() * 30);
    if (i % 2 === 0) peer.socket.resetAndDestroy();
    else peer.socket.destroy();
  }));
  await later(50);
  await using peer = await client(port);
  peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  assertEquals((await peer.response()).status, 200);
  assertEquals(errors, []);
});

Deno.test("listen() spells the names of headers as they are usually written", async () => {
  const headers = { "docker-content-digest": "x", etag: '"e"', "www-authenticate": "Basic", "set-cookie": "a=b" };
  await using listener = await listen("127.0.0.1:0", async (request, platform) => {
    if (request.method === "GET") return Response.json({}, { headers });
    const upgraded = await platform!.upgrade!({ headers: { "content-type": "application/octet-stream" } });
    await upgraded.writable.close();
    return upgraded.response;
  }, { hijacks: (method) => method === "POST" });
  const port = Number(listener.address.split(":").at(-1));
  const head = async (method: string) => {
    await using peer = await client(port);
    peer.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`);
    await peer.until(() => peer.buffer.includes("\r\n\r\n"), "a head");
    const lines = peer.buffer.toString("latin1").split("\r\n");
    return lines.slice(1, lines.indexOf("")).map((line) => line.split(":")[0]);
  };
  const names = await head("GET");
  for (
    const name of ["Docker-Content-Digest", "ETag", "WWW-Authenticate", "Set-Cookie", "Content-Type", "Content-Length"]
  ) {
    assert(names.includes(name), `${name} in ${names}`);
  }
  assertEquals(names.filter((name) => /^[a-z]/.test(name)), []);
  assertEquals(await head("POST"), ["Content-Type"]);
});

Deno.test("listen() closes connections beyond its limit, and serves again when there are fewer", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", ok, { connections: 20 });
  const port = Number(listener.address.split(":").at(-1));
  const peers = await Promise.all(Array.from({ length: 60 }, () => client(port)));
  await untilTrue(() => peers.filter((peer) => !peer.ended).length === 20);
  for (const peer of peers) peer.socket.destroy();
  await untilTrue(async () => {
    await using peer = await client(port);
    peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await peer.until(() => peer.ended || peer.buffer.includes("\r\n\r\nok"), "an answer, or the end");
    return !peer.ended;
  });
});

Deno.test("listen() serves one request of a connection at a time, in order, and cuts off a client that sends too many", async () => {
  let atOnce = 0;
  let most = 0;
  const handler: Handler = async (request) => {
    most = Math.max(most, ++atOnce);
    await later(1);
    atOnce--;
    return new Response(new URL(request.url).pathname);
  };
  await using listener = await listen("tcp://127.0.0.1:0", handler);
  const port = Number(listener.address.split(":").at(-1));
  await using peer = await client(port);
  const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
  peer.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(""));
  for (const path of paths) assertEquals((await peer.response()).body, path);
  assertEquals(most, 1);
  await using flood = await client(port);
  flood.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(5000));
  await flood.until(() => flood.ended, "the end").catch(() => {});
  assert(flood.ended);
});

Deno.test("defect: listen() answers 501 to a method that no Request has, and names a malformed Host", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", () => Promise.resolve(new Response("hello")), {
    open: true,
  });
  const port = Number(listener.address.split(":").at(-1));
  for (
    const [method, host, answer] of [
      ["TRACE", "localhost", /^HTTP\/1\.1 501 [^]*Read the request: the method "TRACE" is not served/],
      ["GET", "localhost:x", /^HTTP\/1\.1 400 [^]*Read the request: the Host "localhost:x" is malformed/],
      ["GET", "localhost", /^HTTP\/1\.1 200 [^]*hello/],
    ] as const
  ) {
    const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
    const head = `${method} / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    assertMatch(await new Response(connection.readable).text(), answer);
  }
});
