import { type Fetch, serveElysia, serveGantry, serveH3, serveHono, serveItty, serveOrpc } from "./dispatch_peers.ts";
import { inTurn } from "./in_turn.ts";
import { engineRoutes, requestsFor } from "./routes.ts";

/** The rates of dispatching over a table of routes, in requests per second. */
export interface DispatchResult {
  table: string;
  requests: number;
  rates: Record<string, number>;
}

/**
 * Dispatches a request per route and spelling, in process: the engine's whole table through our router and Hono's, and, names
 * cut to one segment and versions left out, through the others too, which cannot say those. All match method and path, decode
 * the path's parameters and answer 204.
 */
export async function* dispatchLines(rounds: number): AsyncGenerator<DispatchResult> {
  const whole = engineRoutes({ remainders: true });
  yield await compare(
    "the engine's whole table",
    whole.flatMap((route) => requestsFor(route, ["", "/v4.3.1"])),
    rounds,
    {
      gantry: serveGantry(whole),
      hono: serveHono(whole, { versions: true }),
    },
  );
  const plain = engineRoutes({ remainders: false });
  yield await compare("a table of plain parameters", plain.flatMap((route) => requestsFor(route, [""])), rounds, {
    gantry: serveGantry(plain),
    hono: serveHono(plain, { versions: false }),
    itty: serveItty(plain),
    h3: serveH3(plain),
    orpc: serveOrpc(plain),
    elysia: serveElysia(plain),
  });
}

async function compare(
  table: string,
  requests: readonly Request[],
  rounds: number,
  peers: Record<string, Fetch>,
): Promise<DispatchResult> {
  for (const [name, serve] of Object.entries(peers)) {
    for (const request of requests) {
      const { status } = await serve(request);
      if (status !== 204) throw new Error(`${name}: ${request.method} ${request.url}: ${status}`);
    }
  }
  return { table, requests: requests.length, rates: await inTurn(peers, 3 * rounds, (serve) => rate(serve, requests)) };
}

async function rate(serve: Fetch, requests: readonly Request[]): Promise<number> {
  const turns = Math.ceil(20_000 / requests.length);
  const from = performance.now();
  for (let turn = 0; turn < turns; turn++) for (const request of requests) await serve(request);
  return turns * requests.length / (performance.now() - from) * 1000;
}
