/** The client over every way to a server, before an engine that pretends: what it does is the same. */
import net from "node:net";
import tls from "node:tls";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { bearer } from "../../lib/rest/mod.ts";
import { ClientError, connectHandler, connectWeb, type EngineClient, openEngine } from "../../lib/client/mod.ts";
import { connectAddress } from "../../lib/platform/entries/connect_address.ts";
import { openClient } from "../../lib/platform/entries/client.ts";
import { openPretendEngine, type PretendProcess } from "../../lib/platform/entries/pretend_engine.ts";
import { engineHandler } from "../../handlers/engine_handler.ts";
import { listen } from "../../lib/platform/http/serve.ts";
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { runOk } from "../fixtures/run.ts";

/** A program that does what its first argument says. */
async function tool({ args, stdin, write, signal }: PretendProcess): Promise<number | void> {
  switch (args[0]) {
    case "echo":
      return write(`${args.slice(1).join(" ")}\n`);
    case "fail":
      write("out\n");
      write("why\n", "stderr");
      return 4;
    case "upper":
      for await (const piece of stdin) write(new TextDecoder().decode(piece).toUpperCase());
      return;
    case "large":
      for (let i = 0; i < 64; i++) {
        write(new Uint8Array(32 * 1024).fill(i), i % 2 ? "stderr" : "stdout");
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return;
    default:
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
}

/** The ways to reach a server, by name. */
const WAYS: Record<string, (server: Served) => Promise<EngineClient>> = {
  "in process": ({ handler }) => openEngine(connectHandler(handler)),
  "over a Unix socket": ({ unix }) => openClient(unix),
  "over TCP": ({ tcp }) => openClient(tcp),
  "over HTTP with a token": ({ secured }) => openClient(secured.replace("tcp:", "http:"), { token: "secret-token" }),
  "in Docker's tree": ({ unix }) => openClient(unix, { tree: "docker" }),
  "from a page": ({ tcp }) => openEngine(connectWeb(tcp.replace("tcp:", "http:"))),
};

interface Served {
  readonly handler: ReturnType<typeof engineHandler>;
  readonly unix: string;
  readonly tcp: string;
  readonly secured: string;
}

/** Serves an engine that pretends at every kind of address. */
async function serveAll() {
  const pretence = await openPretendEngine({ images: { tool } });
  const folder = await Deno.makeTempDir({ prefix: "gantry-client-" });
  const handler = engineHandler(pretence);
  const options = { hijacks: (method: string, path: string) => method === "POST" && /\/(attach|start)$/.test(path) };
  const listeners = [
    await listen(`unix://${folder}/sock`, handler, options),
    await listen("tcp://127.0.0.1:0", handler, { ...options, authenticated: true }),
    await listen("tcp://127.0.0.1:0", engineHandler(pretence, { auth: bearer("secret-token") }), {
      ...options,
      authenticated: true,
    }),
  ];
  const hangUp = async () => {
    for (const listener of listeners) await listener.close();
  };
  const [unix, tcp, secured] = listeners.map(({ address }) => address);
  return {
    handler,
    unix,
    tcp,
    secured,
    hangUp,
    async [Symbol.asyncDispose]() {
      await hangUp();
      await pretence.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

for (const [way, openWay] of Object.entries(WAYS)) {
  Deno.test(`a client ${way} runs, attaches, executes and gives up`, async () => {
    await using server = await serveAll();
    await using engine = await openWay(server);
    assertEquals((await engine.run("tool", ["echo", "hi"])).stdout, "hi\n");
    const failed = await engine.run("tool", ["fail"], { check: false });
    assertEquals([failed.exitCode, failed.stdout, failed.stderr], [4, "out\n", "why\n"]);
    assertEquals((await engine.run("tool", ["upper"], { stdin: "abc" })).stdout, "ABC");

    await using box = await engine.start({ image: "tool", command: ["wait"], name: "box" });
    const large = await box.exec(["large"]);
    assertEquals([large.stdoutBytes.length, large.stderr.length], [1 << 20, 1 << 20]);
    await using session = await box.interact(["upper"]);
    const reader = session.output.getReader();
    await session.write("one ");
    assertEquals(new TextDecoder().decode((await reader.read()).value?.data), "ONE ");
    await session.write("two");
    await session.end();
    assertEquals(new TextDecoder().decode((await reader.read()).value?.data), "TWO");
    reader.releaseLock();
    assertEquals(await session.wait(), 0);

    // More input than the program takes, none that ever comes, and a source that fails.
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    assertEquals((await box.exec(["echo", "enough"], { stdin: endless })).stdout, "enough\n");
    assertEquals((await box.exec(["echo", "none"], { stdin: new ReadableStream() })).stdout, "none\n");
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("half"));
        setTimeout(() => controller.error(new Error("the source broke")));
      },
    });
    await assertRejects(() => box.exec(["upper"], { stdin: broken }), Error, "the source broke");

    const leave = new AbortController();
    const left = box.exec(["wait"], { signal: leave.signal });
    leave.abort(new Error("enough"));
    await assertRejects(() => left, Error, "enough");
    const error = await assertRejects(() => engine.container("nobody"), ClientError);
    assertEquals([error.code, error.status], ["not_found", 404]);
    assert((await engine.container("box")).id === box.id);
    // Podman's tree answers 500 for these.
    const codes = [
      () => engine.create({ image: "tool", name: "box" }),
      () => engine.volumes.create({ name: "a b" }),
      () => box.unpause(),
    ];
    const found = await Promise.all(codes.map((call) => assertRejects(call, ClientError)));
    assertEquals(found.map(({ code }) => code), ["conflict", "invalid", "conflict"]);
    const sick = () => engine.start({ image: "tool", command: ["wait"], ready: { healthy: true } });
    assertEquals((await assertRejects(sick, ClientError, "has no health check")).code, "invalid");
    const unknown = await assertRejects(() => engine.run("nobody/knows"), ClientError, "asks no registry");
    assertEquals(unknown.code, "unsupported");
  });
}

Deno.test("connectWeb() attaches by WebSocket, and executes with standard input and without", async () => {
  await using server = await serveAll();
  for (const [address, token] of [[server.tcp, undefined], [server.secured, "secret-token"]] as const) {
    await using engine = await openEngine(connectWeb(address.replace("tcp:", "http:"), { token }));
    assertEquals((await engine.run("tool", ["upper"], { stdin: "abc" })).stdout, "ABC");
    await using box = await engine.start({ image: "tool", command: ["wait"] });
    assertEquals((await box.exec(["echo", "hi"])).stdout, "hi\n");
    assertEquals((await box.exec(["upper"], { stdin: "loud" })).stdout, "LOUD");
  }
});

Deno.test("openClient() tells strangers and empty addresses apart", async () => {
  await using server = await serveAll();
  const stranger = await assertRejects(() => openClient(server.secured), ClientError);
  assertEquals([stranger.code, stranger.status], ["unauthorized", 401]);
  const nobody = await assertRejects(() => openClient("unix:///nowhere/at/all.sock"), ClientError);
  assertEquals(nobody.code, "unreachable");
  await assertRejects(() => openClient("ftp://example.com"), SyntaxError);
});

Deno.test("openClient() speaks https with a token and its own authority, streams of attach and exec included", async () => {
  await using server = await serveAll();
  const folder = await Deno.makeTempDir({ prefix: "gantry-client-tls-" });
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-nodes"];
  await runOk(["openssl", "req", "-x509", "-newkey", "rsa:2048", ...names, ...files], { cwd: folder });
  const [key, cert] = await Promise.all(["key.pem", "cert.pem"].map((file) => Deno.readTextFile(`${folder}/${file}`)));
  const port = Number(new URL(server.secured.replace("tcp:", "http:")).port);
  const front = tls.createServer({ key, cert, allowHalfOpen: true }, (socket) => {
    const back = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    for (const [from, to] of [[socket, back], [back, socket]]) from.on("error", () => to.destroy()).pipe(to);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port: open } = front.address() as net.AddressInfo;
  try {
    await using engine = await openClient(`https://127.0.0.1:${open}`, { token: "secret-token", tls: { ca: cert } });
    assertEquals((await engine.run("tool", ["upper"], { stdin: "abc" })).stdout, "ABC");
    await using box = await engine.start({ image: "tool", command: ["wait"] });
    assertEquals((await box.exec(["upper"], { stdin: "def" })).stdout, "DEF");
    const distrust = await assertRejects(() => openClient(`https://127.0.0.1:${open}`), ClientError);
    assertEquals(distrust.code, "unreachable");
  } finally {
    await new Promise((resolve) => front.close(resolve));
    await Deno.remove(folder, { recursive: true });
  }
});

/** A program of Node: it runs, attaches, and executes, over the address in its arguments. */
const ON_NODE = `
import { open } from "./client.mjs";
await using engine = await open(process.argv[2]);
const seen = [(await engine.run("tool", ["upper"], { stdin: "abc" })).stdout];
await using box = await engine.start({ image: "tool", command: ["wait"] });
await using session = await box.interact(["upper"]);
await session.write("both ways");
await session.end();
seen.push((await session.collect()).stdout);
await box.files.write("/tmp/x", "file");
seen.push(await box.files.text("/tmp/x"), await box.exec(["fail"]).catch(({ code, exit }) => code + exit.exitCode));
console.log(seen.join());
`;

Deno.test("openClient() runs on Node 24, over a Unix socket and over TCP", async () => {
  await using server = await serveAll();
  const folder = await Deno.makeTempDir({ prefix: "gantry-client-node-" });
  try {
    await Deno.writeTextFile(`${folder}/client.mjs`, await bundled("lib/platform/entries/client.ts", "node"));
    await Deno.writeTextFile(`${folder}/main.mjs`, ON_NODE);
    for (const address of [server.unix, server.tcp]) {
      const said = await runOk([await nodeProgram(), "main.mjs", address], { cwd: folder });
      assertEquals(said, "ABC,BOTH WAYS,file,exited4\n");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a lost connection is unreachable, and a mistake of the program stays a TypeError", async () => {
  await using server = await serveAll();
  const engine = await openClient(server.tcp);
  const box = await engine.start({ image: "tool", command: ["wait"] });
  await assertRejects(() => engine.create({ image: "tool", ports: { 80: "nowhere" } }), TypeError, "Publish port");
  await assertRejects(() => box.files.write("relative", ""), TypeError, "absolute path");
  const followed = Array.fromAsync(box.logs({ follow: true }));
  const gone = assertRejects(() => followed, ClientError, "connection failed");
  await box.inspect();
  await server.hangUp();
  assertEquals((await gone).code, "unreachable");
  const after = await assertRejects(() => engine.list(), ClientError, "List containers: The connection failed");
  assertEquals(after.code, "unreachable");
  await engine.close();
});

Deno.test("connectAddress() names every kind of address where it knows none", () => {
  for (const address of ["/run/engine.sock", "ssh://root@host", "unix://relative"]) {
    const known = `Parse address "${address}": expected unix:///PATH, tcp://HOST:PORT, http://… or https://…`;
    assertThrows(() => connectAddress(address), SyntaxError, known);
  }
  assertThrows(() => connectAddress("tcp://host:70000"), SyntaxError, "a port is at most 65535");
});
