import { type Bench, type Line, peersOf } from "../engine_bench.ts";
import { inTurn, ROUNDS } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";
import { createContainer } from "./life_lines.ts";

/** Connections that send at once. */
const CONNECTIONS = [1, 64];
/** Requests of one measurement, over all connections, and the milliseconds after which no more are sent. */
const REQUESTS = 3_000;
const LONGEST = 1_000;
/** Times that so many are sent before the first row, which would measure how fast the servers, and the client, become warm. */
const WARM_TURNS = 12;
/** The row that the floor stands beside. */
const PING = "_ping";
/** Lines of the container's log, of which ten are read. */
const LOG_LINES = 20_000;

/** Measures small requests of Docker's tree, which all peers have, one after the other and over 64 connections. */
export async function* requestLines(bench: Bench): AsyncGenerator<Line> {
  const { gantry, docker, image } = bench;
  if (docker) await handImage(gantry, docker, image);
  const ids = new Map<Peer, string>();
  for (const peer of Object.values(peersOf(bench))) ids.set(peer, await prepare(peer, image));
  for (const peer of [...ids.keys(), bench.bare]) {
    for (let turn = 0; turn < WARM_TURNS; turn++) await requestRate(peer, "/_ping", CONNECTIONS[1]);
  }
  const paths: Record<string, (id: string) => string> = {
    [PING]: () => "/_ping",
    "inspect of a container": (id) => `/containers/${id}/json`,
    "list of containers": () => "/containers/json?all=true",
    "list of images": () => "/images/json",
    "logs, the last 10 lines": (id) => `/containers/${id}/logs?stdout=true&stderr=true&tail=10`,
  };
  for (const [what, pathOf] of Object.entries(paths)) {
    for (const connections of CONNECTIONS) {
      const peers = what === PING ? { ...peersOf(bench), floor: bench.bare } : peersOf(bench);
      const rates = await inTurn(peers, ROUNDS, (peer: Peer) => {
        return requestRate(peer, pathOf(ids.get(peer) ?? ""), connections);
      });
      yield { what: `${what}, ${connections} at once`, unit: "requests/s", higher: true, ...rates };
    }
  }
}

/** Makes a container that has written a log and ended, and returns its ID. */
async function prepare(peer: Peer, image: string): Promise<string> {
  const Cmd = ["sh", "-c", `yes ${"x".repeat(60)} | head -n ${LOG_LINES}`];
  const id = await createContainer(peer, image, { Cmd, NetworkMode: "none" });
  await peer.callPath("POST", `/containers/${id}/start`);
  await peer.callPath("POST", `/containers/${id}/wait`);
  return id;
}

/** Requests per second. */
async function requestRate(peer: Peer, path: string, connections: number): Promise<number> {
  let sent = 0;
  const from = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    while (sent < REQUESTS && performance.now() - from < LONGEST) {
      sent++;
      await peer.callPath("GET", path);
    }
  }));
  return sent / ((performance.now() - from) / 1000);
}
