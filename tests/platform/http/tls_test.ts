/** TLS on a listener: who gets in, what a request says, and what goes both ways. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { connect as connectPlain } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { listen, type ListenOptions } from "../../../lib/platform/http/listener.ts";
import { checkCertificates, type TLSCertificates } from "../../../lib/platform/http/tls_sockets.ts";
import { connectAddress } from "../../../lib/platform/entries/connect_address.ts";
import type { Handler } from "../../../lib/rest/context.ts";
import { type CertificateName, makeCertificates } from "../../fixtures/platform/certificates.ts";

const folder = await Deno.makeTempDir({ prefix: "gantry-tls-" });
const pathOf = await makeCertificates(folder);
const read = (name: CertificateName, end: "pem" | "key") => Deno.readTextFileSync(pathOf(name, end));
const guarded: TLSCertificates = {
  cert: read("server", "pem"),
  key: read("server", "key"),
  clientCA: read("authority", "pem"),
};
const { clientCA: _, ...unguarded } = guarded;
const texts = {
  client: { cert: read("client", "pem"), key: read("client", "key") },
  stranger: { cert: read("stranger", "pem"), key: read("stranger", "key") },
  expired: { cert: read("expired", "pem"), key: read("expired", "key") },
};

/** A client by its certificate. */
type ClientName = keyof typeof texts;

await Deno.remove(folder, { recursive: true });

const tellURL: Handler = (request) => Promise.resolve(new Response(request.url));

function portOf(address: string): number {
  return Number(address.split(":").at(-1));
}

/** Opens a connection as one of them; without a name with no certificate. */
function open(address: string, name?: ClientName): Promise<TLSSocket> {
  const own = name === undefined ? {} : { cert: texts[name].cert, key: texts[name].key };
  const socket = connect({ host: "127.0.0.1", port: portOf(address), ca: guarded.clientCA, ...own });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.once("secureConnect", () => resolve(socket));
  });
}

/** All that a connection says until it ends; what breaks it is the error. */
function restOf(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (piece) => text += piece);
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

async function ask(address: string, host = "localhost", name?: ClientName): Promise<string> {
  const socket = await open(address, name);
  socket.write(`GET /a?b=c HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return await restOf(socket);
}

Deno.test("listen() with TLS answers as over TCP, by https, under the names of its certificate and no other", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", tellURL, { tls: unguarded });
  for (const host of ["localhost", "engine.example:2376", `127.0.0.1:${portOf(listener.address)}`]) {
    const answer = await ask(listener.address, host);
    assert(answer.startsWith("HTTP/1.1 200 "), answer);
    assert(answer.includes(`https://${host}/a?b=c`), answer);
  }
  assert((await ask(listener.address, "evil.example")).startsWith("HTTP/1.1 403 "));
});

Deno.test("listen() with an authority for clients lets in who has a certificate of it, and nobody else", async () => {
  let served = 0;
  const count: Handler = () => Promise.resolve(new Response(`${++served}`));
  await using listener = await listen("tcp://127.0.0.1:0", count, { tls: guarded });
  assert((await ask(listener.address, "localhost", "client")).endsWith("\r\n\r\n1"));
  // With TLS 1.3 a client learns with its first read that it was refused.
  for (const name of [undefined, "stranger", "expired"] as const) {
    const answer = await ask(listener.address, "localhost", name).catch(() => "");
    assertEquals(answer, "", name ?? "no certificate");
  }
  const plain = connectPlain({ host: "127.0.0.1", port: portOf(listener.address) });
  plain.on("error", () => {});
  plain.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  let said = "";
  plain.on("data", (piece) => said += piece.toString("latin1"));
  await new Promise((resolve) => plain.on("close", resolve));
  assert(!said.includes("HTTP/1.1"), said);
  assert((await ask(listener.address, "localhost", "client")).endsWith("\r\n\r\n2"));
});

Deno.test("listen() with TLS speaks TLS 1.2 and 1.3, and nothing older", async () => {
  await using listener = await listen("tcp://127.0.0.1:0", tellURL, { tls: unguarded });
  const attempt = (version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3") => {
    const choice = { minVersion: "TLSv1", maxVersion: version, ca: guarded.clientCA } as const;
    const socket = connect({ host: "127.0.0.1", port: portOf(listener.address), ...choice });
    return new Promise<string>((resolve) => {
      socket.on("error", () => resolve("refused"));
      socket.once("secureConnect", () => {
        resolve(socket.getProtocol() ?? "");
        socket.destroy();
      });
    });
  };
  assertEquals(await attempt("TLSv1.2"), "TLSv1.2");
  assertEquals(await attempt("TLSv1.3"), "TLSv1.3");
  assertEquals(await attempt("TLSv1.1").catch(() => "refused"), "refused");
});

Deno.test("listen() off loopback wants an authority for clients, where no handler asks who calls", async () => {
  const everywhere = (tls?: TLSCertificates) => listen("tcp://0.0.0.0:0", tellURL, { tls });
  await assertRejects(() => everywhere(), Error, "off loopback");
  await assertRejects(() => everywhere(unguarded), Error, "off loopback");
  await using listener = await everywhere(guarded);
  assert((await ask(listener.address, "localhost", "client")).includes("https://localhost/"));
});

Deno.test("a request takes its connection over TLS over, and each side ends for itself", async () => {
  const takeOver: Handler = async (_request, platform) => {
    const { readable, writable, response } = await platform!.upgrade!({ headers: { upgrade: "tcp" } });
    (async () => {
      let text = "";
      for await (const piece of readable) text += new TextDecoder().decode(piece);
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode(text.toUpperCase()));
      await writer.close();
    })();
    return response;
  };
  await using listener = await listen("tcp://127.0.0.1:0", takeOver, { tls: guarded });
  const socket = await open(listener.address, "client");
  socket.write("POST /take HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nfirst ");
  const rest = restOf(socket);
  socket.write("second");
  socket.end();
  const answer = await rest;
  assert(answer.startsWith("HTTP/1.1 101 "), answer);
  assert(answer.endsWith("FIRST SECOND"), answer);
});

Deno.test("listen() ends handshakes that never begin, or never end", async () => {
  const options: ListenOptions = { tls: guarded, patience: 100 };
  await using listener = await listen("tcp://127.0.0.1:0", tellURL, options);
  const closed = ["", "\x16\x03\x01\x02\x00"].map((begun) => {
    const socket = connectPlain({ host: "127.0.0.1", port: portOf(listener.address) });
    socket.on("error", () => {});
    socket.resume();
    socket.write(Uint8Array.from(begun, (letter) => letter.charCodeAt(0)));
    return new Promise((resolve) => socket.on("close", resolve));
  });
  await Promise.all(closed);
  assert((await ask(listener.address, "localhost", "client")).includes("https://localhost/"));
});

Deno.test("checkCertificates() reads names and the end, and says which text is wrong", () => {
  const { names, expires } = checkCertificates(guarded);
  assertEquals(names, ["127.0.0.1", "localhost", "engine.example"]);
  assert(expires.getTime() > Date.now());
  assert(checkCertificates(texts.expired).expires.getTime() < Date.now());
  const wrong: [TLSCertificates, string][] = [
    [{ ...guarded, cert: "x" }, "certificate: it does not parse as PEM"],
    [{ ...guarded, key: guarded.cert }, "key: it does not parse as PEM"],
    [{ ...guarded, key: texts.stranger.key }, "key: it belongs to another certificate"],
    [{ ...guarded, clientCA: "x" }, "client CA: it has no certificate in PEM"],
    [
      { ...guarded, clientCA: guarded.cert.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA") },
      "client CA: it does not parse as PEM",
    ],
  ];
  for (const [certificates, message] of wrong) assertThrows(() => checkCertificates(certificates), Error, message);
});

Deno.test("defect: connectAddress() asks again on a connection over which it has sent a body of a known length", async () => {
  const serve: Handler = async (request) => new Response(await request.text());
  await using server = await listen("tcp://127.0.0.1:0", serve, { tls: guarded });
  const connection = connectAddress(`https://127.0.0.1:${portOf(server.address)}`, {
    tls: { ca: guarded.clientCA, ...texts.client },
  });
  const send = async (body: string | undefined, pieces = 1) => {
    const size = Math.ceil((body ?? "").length / pieces);
    const parts = Array.from({ length: pieces }, (_, index) => body?.slice(index * size, (index + 1) * size) ?? "");
    const stream = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
    const headers: HeadersInit = body === undefined ? {} : { "content-length": String(body.length) };
    const init = body === undefined ? { method: "POST" } : { method: "POST", body: stream, duplex: "half", headers };
    const signal = AbortSignal.timeout(5000);
    return await (await connection.fetch(new Request("http://localhost/", { ...init, signal }))).text();
  };
  const long = "0123456789".repeat(100_000);
  assertEquals([await send("once"), await send("twice", 3), await send(undefined)], ["once", "twice", ""]);
  assertEquals([await send(long, 50) === long, await send(undefined), await send("end")], [true, "", "end"]);
  await connection.close?.();
});
