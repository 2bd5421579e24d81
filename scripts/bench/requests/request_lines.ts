import type { Bench, Line } from "../engine_bench.ts";
import { inTurn, ROUNDS } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";

/** Connections that send at once. */
const CONNECTIONS = [1, 64];
/** Requests of one measurement, over all connections, and the milliseconds after which no more are sent. */
const REQUESTS = 1_000;
const LONGEST = 1_000;
/** Lines of the container's log, of which ten are read. */
const LOG_LINES = 20_000;

/** A container that a peer has. */
interface Subject {
  peer: Peer;
  id: string;
}

/** Measures small requests of Docker's tree, which all peers have, one after the other and over 64 connections. */
export async function* requestLines({ gantry, podman, docker, image }: Bench): AsyncGenerator<Line> {
  if (docker) await handImage(gantry, docker, image);
  const subjects = {
    gantry: await prepare(gantry, image),
    podman: await prepare(podman, image),
    ...docker && { docker: await prepare(docker, image) },
  };
  const paths: Record<string, (id: string) => string> = {
    "_ping": () => "/_ping",
    "inspect of a container": (id) => `/containers/${id}/json`,
    "list of containers": () => "/containers/json?all=true",
    "list of images": () => "/images/json",
    "logs, the last 10 lines": (id) => `/containers/${id}/logs?stdout=true&stderr=true&tail=10`,
  };
  for (const [what, pathOf] of Object.entries(paths)) {
    for (const connections of CONNECTIONS) {
      const rates = await inTurn<Subject, "gantry" | "podman" | "docker">(
        // Docker's may be missing; the line says so by having none.
        subjects as Record<"gantry" | "podman" | "docker", Subject>,
        ROUNDS,
        ({ peer, id }) => requestRate(peer, pathOf(id), connections),
      );
      yield { what: `${what}, ${connections} at once`, unit: "requests/s", higher: true, ...rates };
    }
  }
}

/** Makes a container that has written a log and ended. */
async function prepare(peer: Peer, image: string): Promise<Subject> {
  const Cmd = ["sh", "-c", `yes ${"x".repeat(60)} | head -n ${LOG_LINES}`];
  const body = { Image: image, Cmd, HostConfig: { NetworkMode: "none" } };
  const { Id: id } = JSON.parse(await peer.callPath("POST", "/containers/create", body));
  await peer.callPath("POST", `/containers/${id}/start`);
  await peer.callPath("POST", `/containers/${id}/wait`);
  return { peer, id };
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
