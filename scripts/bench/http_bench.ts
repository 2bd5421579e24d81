import type { Fetch } from "./dispatch_peers.ts";
import { httpPeers, user } from "./http_peers.ts";

/** Requests per second by peer. */
export interface HTTPResult {
  what: string;
  rates: Record<string, number>;
}

/** GET with a path parameter and POST with validation: in process, and over loopback TCP behind `Deno.serve`. */
export async function* httpLines(rounds: number): AsyncGenerator<HTTPResult> {
  const peers = httpPeers();
  const get = () => new Request("http://localhost/users/42");
  const body = JSON.stringify(user);
  const headers = { "content-type": "application/json" };
  const post = () => new Request("http://localhost/users", { method: "POST", body, headers });
  yield { what: "GET, in process", rates: await inTurn(peers, rounds, (serve) => inProcess(serve, get)) };
  yield {
    what: "POST with validation, in process",
    rates: await inTurn(peers, rounds, (serve) => inProcess(serve, post)),
  };
  // As it comes from the wire: a server is told how long a body is.
  const told = { ...headers, "content-length": String(body.length) };
  const sized = () => new Request("http://localhost/users", { method: "POST", body, headers: told });
  yield {
    what: "POST with validation and content-length, in process",
    rates: await inTurn(peers, rounds, (serve) => inProcess(serve, sized)),
  };
  const get_ = (base: string) => new Request(`${base}/users/42`);
  const post_ = (base: string) => new Request(`${base}/users`, { method: "POST", body, headers });
  yield { what: "GET over TCP", rates: await inTurn(peers, rounds, (serve) => overTCP(serve, get_)) };
  yield { what: "POST with validation over TCP", rates: await inTurn(peers, rounds, (serve) => overTCP(serve, post_)) };
}

async function inTurn(
  peers: Record<string, Fetch>,
  rounds: number,
  measure: (serve: Fetch) => Promise<number>,
): Promise<Record<string, number>> {
  const rates: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another, as one meets what the one before left to the garbage collector.
    const all = Object.entries(peers);
    for (const [name, serve] of [...all.slice(round), ...all.slice(0, round)]) {
      rates[name] = Math.max(rates[name] ?? 0, await measure(serve));
    }
  }
  return rates;
}

async function inProcess(serve: Fetch, request: () => Request): Promise<number> {
  const count = 5000;
  const from = performance.now();
  for (let i = 0; i < count; i++) await read(await serve(request()));
  return count / (performance.now() - from) * 1000;
}

async function overTCP(serve: Fetch, request: (base: string) => Request): Promise<number> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => serve(request));
  const base = `http://127.0.0.1:${server.addr.port}`;
  const count = 4000;
  const from = performance.now();
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let i = 0; i < count / 16; i++) await read(await fetch(request(base)));
  }));
  const rate = count / (performance.now() - from) * 1000;
  await server.shutdown();
  return rate;
}

async function read(response: Response): Promise<void> {
  const text = await response.text();
  if (!text.includes('"id"')) throw new Error(`${response.status} ${text}`);
}
