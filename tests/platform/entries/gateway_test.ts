/** `gantry gateway`: what passes through it to an engine, and what it keeps to itself. */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { connectAddress } from "../../../lib/platform/entries/connect_address.ts";
import { gatewayHandler } from "../../../lib/platform/entries/gateway/gateway_handler.ts";
import { parseGatewayOptions } from "../../../lib/platform/entries/gateway/gateway_options.ts";
import { openDoors, readDoorKeys } from "../../../lib/platform/entries/start/open_doors.ts";
import { listen } from "../../../lib/platform/http/serve.ts";
import { bearer, type Handler, withCORS } from "../../../lib/rest/mod.ts";

/** An engine that tells how it was asked, and gives connections away: raw ones echo, and WebSockets do. */
const engine: Handler = async (request, platform) => {
  const { pathname, search } = new URL(request.url);
  if (pathname.endsWith("/attach")) {
    const { readable, writable, response } = await platform!.upgrade!({ headers: { "content-type": "echo/raw" } });
    readable.pipeTo(writable).catch(() => {});
    return response;
  }
  if (pathname === "/socket") {
    const { socket, response } = platform!.upgradeWebSocket!({ protocol: "gantry.plain" });
    socket.addEventListener("message", ({ data }) => socket.send(`${data}!`));
    return response;
  }
  if (pathname === "/events") {
    let count = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      // The second piece is never sent: a reader of the first must not wait for it.
      if (count++ === 0) controller.enqueue(new TextEncoder().encode("first\n"));
      else return new Promise<void>(() => {});
    };
    return new Response(new ReadableStream({ pull }), { headers: { "api-version": "1.41" } });
  }
  const body = request.body === null ? "" : await request.text();
  const headers = Object.fromEntries(request.headers);
  return Response.json({ method: request.method, target: pathname + search, headers, body }, {
    headers: { "access-control-allow-origin": "*", "x-engine": "yes" },
  });
};

/** A gateway with a token, and an allowed origin, before an engine that asks for another token. */
async function startGateway(serve: Handler = engine) {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/token`, "gateway-token", { mode: 0o600 });
  const behind = await listen(`unix://${folder}/engine.sock`, serve);
  const listening = ["--listen=tcp://127.0.0.1:0", `--to=${behind.address}`];
  const guarded = [`--token-file=${folder}/token`, "--allow-origin=https://app.example.com"];
  const options = parseGatewayOptions([...listening, ...guarded], {});
  const log = () => {};
  const keys = await readDoorKeys(options, log);
  const connection = connectAddress(options.to, { token: "engine-token" });
  const handler = gatewayHandler({ connection, address: options.to, auth: keys.auth });
  const [front] = await openDoors(options, keys, handler, log);
  return {
    behind,
    front: front!,
    url: front!.address.replace("tcp:", "http:"),
    async [Symbol.asyncDispose]() {
      await front!.close();
      await connection.close();
      await behind.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const token = { authorization: "Bearer gateway-token" };

Deno.test("gatewayHandler() passes requests, bodies, streams and taken connections on, with the engine's own token", async (t) => {
  await using gateway = await startGateway();
  const { url, front } = gateway;
  await t.step("a body of unknown length, the query, and headers that are not about a connection", async () => {
    for (const method of ["POST", "DELETE"]) {
      const body = new Blob(["a body"]).stream();
      const sent = { method, body, headers: { ...token, "x-registry-auth": "abc" }, duplex: "half" };
      const response = await fetch(`${url}/v1.41/images/a%2Fb?x=1&x=2`, sent);
      const seen = await response.json();
      assertEquals([seen.method, seen.target, seen.body], [method, "/v1.41/images/a%2Fb?x=1&x=2", "a body"]);
      assertEquals([seen.headers["x-registry-auth"], seen.headers.authorization], ["abc", "Bearer engine-token"]);
      assertMatch(seen.headers.via, /^1\.1 gantry-/);
      assertEquals([response.headers.get("x-engine"), response.headers.get("access-control-allow-origin")], [
        "yes",
        null,
      ]);
    }
  });
  await t.step("a stream whose first piece comes before its end", async () => {
    const response = await fetch(`${url}/events`, { headers: token });
    const reader = response.body!.getReader();
    assertEquals(new TextDecoder().decode((await reader.read()).value), "first\n");
    await reader.cancel();
  });
  await t.step("attach, both ways, until the caller has said all", async () => {
    const client = connectAddress(front.address, { token: "gateway-token" });
    const { response, input } = await client.hijack!(new Request("http://x/containers/c/attach", { method: "POST" }));
    assertEquals(response.headers.get("content-type"), "echo/raw");
    const writer = input!.getWriter();
    await writer.write(new TextEncoder().encode("to and fro"));
    await writer.close();
    assertEquals(await response.text(), "to and fro");
    await client.close();
  });
  await t.step("defect: an exec whose options are a body of unknown length", async () => {
    const { hostname, port } = new URL(url);
    const socket = await Deno.connect({ hostname, port: Number(port) });
    const fields = ["Host: localhost", "Authorization: Bearer gateway-token", "Connection: Upgrade", "Upgrade: tcp"];
    const head = ["POST /exec/e/start HTTP/1.1", ...fields, "Transfer-Encoding: chunked"].join("\r\n");
    await socket.write(new TextEncoder().encode(`${head}\r\n\r\n9\r\n{"Tty":1}\r\n0\r\n\r\n`));
    await socket.closeWrite();
    const text = await new Response(socket.readable).text();
    // The engine of this test gives no connection away here: it tells the body that it got.
    assertMatch(text, /^HTTP\/1\.1 200 OK\r\n[^]*"body":"\{\\"Tty\\":1\}"/);
  });
  await t.step("attach as clients ask that send no Upgrade: bytes behind the head are the connection's", async () => {
    const { hostname, port } = new URL(url);
    const socket = await Deno.connect({ hostname, port: Number(port) });
    const head = "POST /containers/c/attach HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer gateway-token\r\n\r\n";
    await socket.write(new TextEncoder().encode(`${head}raw`));
    await socket.closeWrite();
    const text = await new Response(socket.readable).text();
    assertMatch(text, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nraw$/);
  });
  await t.step("a WebSocket, whose credential stays here", async () => {
    const carrier = `gantry.bearer.${btoa("gateway-token").replaceAll("=", "")}`;
    const socket = new WebSocket(`${url.replace("http", "ws")}/socket`, ["gantry.plain", carrier]);
    const answer = await new Promise<string>((resolve, reject) => {
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error("The WebSocket failed"));
    });
    assertEquals([answer, socket.protocol], ["hello!", "gantry.plain"]);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
});

Deno.test("gatewayHandler() asks for its token, and lets pages of allowed origins call with it", async () => {
  await using gateway = await startGateway();
  const { url } = gateway;
  const origin = "https://app.example.com";
  const wrong: Record<string, string>[] = [{}, { authorization: "Bearer engine-token" }];
  for (const headers of wrong) {
    const response = await fetch(`${url}/info`, { headers });
    assertEquals(response.status, 401);
    assertStringIncludes((await response.json()).message, "Authenticate: ");
  }
  const asked = { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
  const preflight = await fetch(`${url}/info`, { method: "OPTIONS", headers: asked });
  assertEquals([preflight.status, preflight.headers.get("access-control-allow-headers")], [204, "authorization"]);
  const granted = await fetch(`${url}/info`, { headers: { ...token, origin, "sec-fetch-site": "cross-site" } });
  assertEquals(granted.headers.get("access-control-allow-origin"), origin);
  assertMatch(granted.headers.get("vary") ?? "", /origin/i);
  const { headers } = await granted.json();
  assertEquals([headers.origin, headers["sec-fetch-site"]], [undefined, undefined], "the engine has nothing to judge");
  assertEquals((await fetch(`${url}/client.js`, { headers: { origin } })).status, 200, "a face needs no token");
  const other = await fetch(`${url}/info`, { headers: { ...token, origin: "https://other.example.com" } });
  assertEquals(other.status, 403);
  await other.body?.cancel();
  await preflight.body?.cancel();
});

Deno.test("gatewayHandler() refuses what a page of another site would change, on any server, and not what is allowed or reads", async () => {
  const connection = { fetch: () => Promise.resolve(new Response("passed")), close: () => Promise.resolve() };
  const origins = ["https://app.example.com"];
  const open = gatewayHandler({ connection, address: "here", auth: null });
  const guarded = gatewayHandler({ connection, address: "here", auth: withCORS({ origins }, bearer("gateway-token")) });
  const ask = async (serve: Handler, method: string, headers: Record<string, string>) =>
    (await serve(new Request("http://localhost:8080/networks/create", { method, headers }))).status;
  const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  assertEquals(await ask(open, "POST", foreign), 403);
  assertEquals(await ask(open, "POST", { origin: "https://evil.example" }), 403);
  assertEquals(await ask(open, "DELETE", foreign), 403);
  assertEquals(await ask(open, "GET", { ...foreign, upgrade: "websocket" }), 403);
  assertEquals(await ask(open, "GET", foreign), 200);
  assertEquals(await ask(open, "POST", {}), 200);
  assertEquals(await ask(open, "POST", { "sec-fetch-site": "same-origin", origin: "http://localhost:8080" }), 200);
  const authorization = "Bearer gateway-token";
  assertEquals(await ask(guarded, "POST", { ...foreign, authorization }), 403);
  assertEquals(await ask(guarded, "POST", { ...foreign, origin: origins[0]!, authorization }), 200);
});

Deno.test("gatewayHandler() answers 502 without its engine, and 508 where the engine is the gateway", async () => {
  const gateway = await startGateway();
  await gateway.behind.close();
  const gone = await fetch(`${gateway.url}/info`, { headers: token });
  assertEquals(gone.status, 502);
  assertMatch((await gone.json()).message, /^Reach the engine at unix:\/\/\/.*engine\.sock: /);
  await gateway[Symbol.asyncDispose]();

  let address = "";
  const itself: Handler = (request, platform) => handler(request, platform);
  const front = await listen("tcp://127.0.0.1:0", itself);
  address = front.address;
  const connection = connectAddress(address);
  const handler = gatewayHandler({ connection, address, auth: null });
  const round = await fetch(`${address.replace("tcp:", "http:")}/info`);
  assertEquals(round.status, 508);
  assertStringIncludes((await round.json()).message, "the gateway's own");
  await connection.close();
  await front.close();
});

Deno.test("parseGatewayOptions() goes to the own engine by default, and refuses what cannot be", () => {
  const tcp = "--listen=tcp://127.0.0.1:0";
  assertEquals(parseGatewayOptions([tcp], {}, 0).to, "unix:///run/gantry/gantry.sock");
  assertEquals(parseGatewayOptions([tcp], { GANTRY_TO: "https://engine:2376" }, 0).to, "https://engine:2376");
  assert(parseGatewayOptions(["--help"], {}, 0).help);
  const rows: [args: string[], message: string][] = [
    [[], '"--listen" is missing'],
    [[tcp, "--to=ftp://x"], "ftp"],
    [[tcp, "--to=https://x", "--to-tls-cert=/c"], '"--to-tls-key" is missing'],
    [[tcp, "--to-tls-ca=/c"], "is for an engine at https"],
    [[tcp, "--allow-origin=https://app.example.com"], 'needs "--token-file"'],
    [[tcp, "--allow-host=a b"], '"a b" is no name of a host'],
    [[tcp, "--allow-host=engine.example.com:80"], "without a port"],
    [[tcp, "--token-file=/t", "--allow-origin=*"], "is no origin"],
    [[tcp, "--token-file=/t", "--allow-origin=https://app.example.com/"], "is no origin"],
    [[tcp, "--root=/x"], "root"],
  ];
  for (const [args, message] of rows) {
    assertThrows(() => parseGatewayOptions(args, {}, 0), SyntaxError, message, args.join(" "));
  }
});
