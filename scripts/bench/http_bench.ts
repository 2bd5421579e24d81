import type { Fetch } from "./dispatch_peers.ts";
import { httpPeers, user } from "./http_peers.ts";
import { inTurn } from "./in_turn.ts";

/** Requests per second by peer. */
export interface HTTPResult {
  what: string;
  rates: Record<string, number>;
}

/**
 * GET with a path parameter and POST with validation: in process, and over loopback TCP behind `Deno.serve`; once with results that go out as
 * functions return them, once with results that every peer checks against their schema.
 */
export async function* httpLines(rounds: number): AsyncGenerator<HTTPResult> {
  for (const checked of [false, true]) {
    yield* linesOf(httpPeers({ checked }), rounds, checked ? ", results checked" : "");
  }
}

async function* linesOf(peers: Record<string, Fetch>, rounds: number, suffix: string): AsyncGenerator<HTTPResult> {
  await checkRefusals(peers);
  const body = JSON.stringify(user);
  const headers = { "content-type": "application/json" };
  // As it comes from the wire: a server is told how long a body is.
  const told = { ...headers, "content-length": String(body.length) };
  const inProcess: [what: string, request: () => Request][] = [
    ["GET, in process", () => new Request("http://localhost/users/42")],
    [
      "POST with validation, in process",
      () => new Request("http://localhost/users", { method: "POST", body, headers }),
    ],
    [
      "POST with validation and content-length, in process",
      () => new Request("http://localhost/users", { method: "POST", body, headers: told }),
    ],
  ];
  for (const [what, request] of inProcess) {
    yield { what: what + suffix, rates: await inTurn(peers, 24 * rounds, (serve) => callInProcess(serve, request)) };
  }
  const overTCP: [what: string, request: (base: string) => Request][] = [
    ["GET over TCP", (base) => new Request(`${base}/users/42`)],
    [
      "POST with validation over TCP",
      (base) => new Request(`${base}/users`, { method: "POST", body, headers }),
    ],
  ];
  const servers = Object.entries(peers).map(([name, serve]) => {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => serve(request));
    return { name, server, base: `http://127.0.0.1:${server.addr.port}` };
  });
  const bases = Object.fromEntries(servers.map(({ name, base }) => [name, base]));
  for (const [what, request] of overTCP) {
    yield { what: what + suffix, rates: await inTurn(bases, 16 * rounds, (base) => callOverTCP(() => request(base))) };
  }
  for (const { server } of servers) await server.shutdown();
}

/** Throws unless every peer validates: what it saves by not doing so would be no gain. */
async function checkRefusals(peers: Record<string, Fetch>): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (const [name, serve] of Object.entries(peers)) {
    for (const body of [JSON.stringify({ ...user, name: "" }), "{"]) {
      const { status } = await serve(new Request("http://localhost/users", { method: "POST", body, headers }));
      // Elysia may say 422 to what does not fit its schema.
      if (status !== 400 && status !== 422) throw new Error(`${name} answers ${status} to ${body}`);
    }
  }
}

async function callInProcess(serve: Fetch, request: () => Request): Promise<number> {
  const count = 1000;
  const from = performance.now();
  for (let i = 0; i < count; i++) await read(await serve(request()));
  return count / (performance.now() - from) * 1000;
}

async function callOverTCP(request: () => Request): Promise<number> {
  const count = 480;
  const from = performance.now();
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let i = 0; i < count / 16; i++) await read(await fetch(request()));
  }));
  return count / (performance.now() - from) * 1000;
}

async function read(response: Response): Promise<void> {
  const text = await response.text();
  if (!text.includes('"id"')) throw new Error(`${response.status} ${text}`);
}
