import { cpuUsage } from "node:process";
import type { Fetch } from "../dispatch_peers.ts";
import type { HTTPResult } from "../http_bench.ts";
import { inTurn } from "../in_turn.ts";
import { order, workloadRoutes } from "./api_routes.ts";
import { workloadPeers } from "./peers.ts";

/** One kind of request, and the beginning of the text that answers it. */
interface Line {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  readonly holds: string;
  /** Calls for each measure. */
  readonly count: number;
}

const LINES: readonly Line[] = [
  { what: "static path", path: "/v1/status", status: 200, holds: '{"version":"v1"}', count: 1000 },
  { what: "one parameter", path: "/v1/resource20/42", status: 200, holds: '"id":"42"', count: 1000 },
  { what: "deep path", path: "/v1/resource20/42/parts/7/files/a", status: 200, holds: '"part":"7"', count: 1000 },
  { what: "last route", path: "/v1/zone/42", status: 200, holds: '"id":"42"', count: 1000 },
  { what: "unknown path", path: "/v1/nothing/here", status: 404, holds: "", count: 1000 },
  {
    what: "POST with validation",
    path: "/v1/orders",
    body: JSON.stringify(order),
    status: 200,
    holds: '"version":"v1"',
    count: 600,
  },
  { what: "list of 1,000 objects", path: "/v1/items", status: 200, holds: '"id":999', count: 12 },
];

/** How often each line is called before any counts: compilers work beside the calls, and their time counts as processor time too. */
const WARM_PASSES = 4;

/**
 * Calls per second of processor time over an API of 172 routes, in process: each with a `Request` of its own, whose answer is read. Bodies and results are
 * validated by every peer.
 *
 * @param names The peers to measure; all of them unless told
 */
export async function* workloadLines(rounds: number, names?: readonly string[]): AsyncGenerator<HTTPResult> {
  const routes = workloadRoutes();
  const all = Object.entries(workloadPeers(routes));
  const peers = Object.fromEntries(names ? all.filter(([name]) => names.includes(name)) : all);
  await checkRefusals(peers);
  // The code of each peer is compiled for all of the lines before any counts: else the first ones would be about compilers.
  for (let pass = 0; pass < WARM_PASSES; pass++) {
    for (const line of LINES) for (const serve of Object.values(peers)) await rateOf(serve, line);
  }
  for (const line of LINES) {
    const rates = await inTurn(peers, 8 * rounds, (serve) => rateOf(serve, line));
    yield { what: `${routes.length} routes, ${line.what}`, rates };
  }
}

async function rateOf(serve: Fetch, { path, body, status, holds, count }: Line): Promise<number> {
  const url = `http://localhost${path}`;
  const headers = { "content-type": "application/json" };
  const from = cpuUsage();
  for (let i = 0; i < count; i++) {
    const response = await serve(body ? new Request(url, { method: "POST", body, headers }) : new Request(url));
    const text = await response.text();
    if (response.status !== status || !text.includes(holds)) throw new Error(`${path}: ${response.status} ${text}`);
  }
  const { user, system } = cpuUsage(from);
  return count / (user + system) * 1e6;
}

/** Throws unless every peer validates bodies. */
async function checkRefusals(peers: Record<string, Fetch>): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (const [name, serve] of Object.entries(peers)) {
    for (const body of [JSON.stringify({ ...order, sku: "" }), "{"]) {
      const { status } = await serve(new Request("http://localhost/v1/orders", { method: "POST", body, headers }));
      // Elysia says 422 to what does not fit its schema.
      if (status !== 400 && status !== 422) throw new Error(`${name} answers ${status} to ${body}`);
    }
  }
}
