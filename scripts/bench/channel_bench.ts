import process from "node:process";
import { channelPeers } from "./channel_peers.ts";
import type { Fetch } from "./dispatch_peers.ts";
import type { HTTPResult } from "./http_bench.ts";
import { inTurn } from "./in_turn.ts";

const SMALL = 16;
const LARGE = 64 * 1024;

/**
 * Values per second through channels as server-sent events: small and large ones in process, and many clients at once over loopback TCP. Large ones
 * also by the processor time of the whole process, which a busy machine changes less.
 */
export async function* channelLines(rounds: number): AsyncGenerator<HTTPResult> {
  const peers = channelPeers();
  const inProcess: [what: string, count: number, size: number][] = [
    ["channel of 1,000 small values, in process", 1000, SMALL],
    ["channel of 64 values of 64 KiB, in process", 64, LARGE],
  ];
  for (const [what, count, size] of inProcess) {
    const measure = (serve: Fetch) => rateOf(count, () => readValues(serve, "http://localhost", count, size));
    yield { what, rates: await inTurn(peers, 4 * rounds, measure) };
    if (size === LARGE) {
      const measure = (serve: Fetch) =>
        rateOf(count, () => readValues(serve, "http://localhost", count, size), processorTime);
      yield { what: `${what}, by processor time`, rates: await inTurn(peers, 4 * rounds, measure) };
    }
  }
  const servers = Object.entries(peers).map(([name, serve]) => {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => serve(request));
    return { name, server, base: `http://127.0.0.1:${server.addr.port}` };
  });
  const bases = Object.fromEntries(servers.map(({ name, base }) => [name, base]));
  const overTCP: [what: string, clients: number, count: number, size: number][] = [
    ["channel of 1,000 small values over TCP", 1, 1000, SMALL],
    ["channel of 64 values of 64 KiB over TCP", 1, 64, LARGE],
    ["100 clients with channels of 100 small values over TCP", 100, 100, SMALL],
  ];
  try {
    for (const [what, clients, count, size] of overTCP) {
      const one = (base: string) => readValues(fetch, base, count, size);
      const run = (base: string) => () => Promise.all(Array.from({ length: clients }, () => one(base)));
      yield { what, rates: await inTurn(bases, 2 * rounds, (base) => rateOf(clients * count, run(base))) };
      if (size === LARGE) {
        const measure = (base: string) => rateOf(clients * count, run(base), processorTime);
        yield { what: `${what}, by processor time`, rates: await inTurn(bases, 4 * rounds, measure) };
      }
    }
  } finally {
    for (const { server } of servers) await server.shutdown();
  }
}

async function rateOf(count: number, run: () => Promise<unknown>, now = () => performance.now()): Promise<number> {
  const from = now();
  await run();
  return count / (now() - from) * 1000;
}

/** Milliseconds for which the process has had a processor. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Reads a channel to its end, and throws unless every value came. */
async function readValues(serve: Fetch, base: string, count: number, size: number): Promise<void> {
  const headers = { accept: "text/event-stream" };
  const response = await serve(new Request(`${base}/values/${count}/${size}`, { headers }));
  const text = await response.text();
  const came = text.split('data: {"n":').length - 1;
  if (came !== count || text.length < count * size) {
    throw new Error(`${response.status}: ${came} of ${count} values came`);
  }
}
