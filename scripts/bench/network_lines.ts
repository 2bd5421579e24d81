import { createSocket } from "node:dgram";
import { once } from "node:events";
import { averageTime, inBatches, secondsOf } from "./calls.ts";
import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";

/** Lives of networks that are averaged: with fewer, the row measures how fast a server becomes warm. */
const LIVES = 200;
const REPEATS = 5;
/** Names that are looked up in a row. */
const LOOKUPS = 500;
/** Milliseconds after which a question of DNS has no answer. */
const LOST = 5000;
/** Containers that are started at once to make a crowd. */
const AT_ONCE = 4;

/** Ports of the containers whose start is measured. */
const PORTS: readonly number[] = [1, 32];

/** The networks of the lines, by the last number of their subnets. */
const LANS = { "bench-lan": 0, "bench-other": 1, "bench-short": 2 };

/**
 * Measures the life of a network, connections of a running container, look-ups of its name, and starts with 1 and 32 ports alone and beside
 * `running` others that publish one each.
 */
export async function* networkLines({ gantry, podman, image, counts: { running } }: Bench): AsyncGenerator<Line> {
  const peers = [gantry, podman];
  const block = freeBlock();
  /** The first three numbers of a network's subnet; each peer has its own. */
  const subnetOf = (peer: Peer, name: keyof typeof LANS) => `${block}.${peers.indexOf(peer) * 16 + LANS[name]}`;
  const createNetwork = async (peer: Peer, name: keyof typeof LANS) => {
    const subnets = [{ subnet: `${subnetOf(peer, name)}.0/24` }];
    await peer.call("POST", "/networks/create", { name, driver: "bridge", dns_enabled: true, subnets });
  };
  const liveOnce = async (peer: Peer) => {
    await createNetwork(peer, "bench-short");
    await peer.call("DELETE", "/networks/bench-short");
  };
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  const line = { unit: "ms", higher: false };
  yield {
    what: "network create and remove",
    ...line,
    ...await both((peer) => averageTime(LIVES, () => liveOnce(peer))),
  };

  const target = new Map<Peer, string>();
  for (const peer of peers) {
    for (const name of ["bench-lan", "bench-other"] as const) await createNetwork(peer, name);
    target.set(peer, await startContainer(peer, image, { networks: { "bench-lan": { aliases: ["target"] } } }));
  }
  const connect = async (peer: Peer) => {
    const container = target.get(peer);
    await peer.call("POST", "/networks/bench-other/connect", { container });
    await peer.call("POST", "/networks/bench-other/disconnect", { Container: container });
  };
  yield { what: "connect and disconnect", ...line, ...await both((peer) => averageTime(REPEATS, () => connect(peer))) };
  const names = { unit: "names/s", higher: true };
  yield {
    what: "look-up of a container's name",
    ...names,
    ...await both((peer) => lookUps(`${subnetOf(peer, "bench-lan")}.1`)),
  };

  const startLine = (ports: number, crowd: number) => ({
    what: `start with ${ports} port${ports > 1 ? "s" : ""}, ${crowd} others running`,
    ...line,
  });
  for (const ports of PORTS) {
    yield { ...startLine(ports, 0), ...await both((peer) => startWith(peer, image, ports)) };
  }
  if (running > 0) {
    const ofGantry = await startsInCrowd(gantry, image, running);
    const ofPodman = await startsInCrowd(podman, image, running);
    for (const ports of PORTS) {
      yield { ...startLine(ports, running), gantry: ofGantry[ports], podman: ofPodman[ports] };
    }
  }
  for (const peer of peers) {
    await removeContainer(peer, target.get(peer)!);
    for (const name of ["bench-lan", "bench-other"]) await peer.call("DELETE", `/networks/${name}`);
  }
}

/** A block of subnets, by its first two numbers, that no interface of this machine has an address in. */
function freeBlock(): string {
  const taken = new Set(Deno.networkInterfaces().map(({ address }) => address.split(".", 2).join(".")));
  const blocks = Array.from({ length: 100 }, (_, i) => `10.${100 + i}`).filter((block) => !taken.has(block));
  if (blocks.length === 0) throw new Error("Choose subnets: every block of 10.100.0.0 to 10.199.255.255 is in use");
  return blocks[Math.floor(Math.random() * blocks.length)];
}

/** Starts a container that waits, on a bridge; returns its ID. */
async function startContainer(peer: Peer, image: string, fields: Record<string, unknown>): Promise<string> {
  const body = { image, command: ["sleep", "10000"], netns: { nsmode: "bridge" }, ...fields };
  const { Id } = JSON.parse(await peer.call("POST", "/containers/create", body));
  await peer.call("POST", `/containers/${Id}/start`);
  return Id;
}

async function removeContainer(peer: Peer, id: string): Promise<void> {
  await peer.call("DELETE", `/containers/${id}?force=true&timeout=0`);
}

/** The first port of published ranges: below the ports that the kernel gives out by itself. */
const RANGE = 21_000;

/** Publishes TCP ports: from `host` on, or one at a port of the server's choice. */
const published = (range = 1, host = 0) => [{ container_port: 8000, host_port: host, range, protocol: "tcp" }];

/** Milliseconds of the start alone. */
async function startWith(peer: Peer, image: string, ports: number): Promise<number> {
  const body = {
    image,
    command: ["sleep", "10000"],
    netns: { nsmode: "bridge" },
    portmappings: published(ports, RANGE),
  };
  const { Id } = JSON.parse(await peer.call("POST", "/containers/create", body));
  const time = await secondsOf(() => peer.call("POST", `/containers/${Id}/start`));
  await removeContainer(peer, Id);
  return time * 1000;
}

/**
 * Milliseconds of starts by their ports, beside containers that run. Each peer has its crowd for itself, one after the other: the kernel
 * copies the mounts of all containers of the machine at each start, whosever they are.
 */
async function startsInCrowd(peer: Peer, image: string, count: number): Promise<Record<number, number>> {
  const others = await makeCrowd(peer, image, count);
  const times: Record<number, number> = {};
  for (const ports of PORTS) {
    times[ports] = (await inTurn({ peer }, ROUNDS, () => startWith(peer, image, ports))).peer;
  }
  await inBatches(others, AT_ONCE, (id) => removeContainer(peer, id));
  return times;
}

async function makeCrowd(peer: Peer, image: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  await inBatches(Array.from({ length: count }), AT_ONCE, async () => {
    ids.push(await startContainer(peer, image, { portmappings: published() }));
  });
  return ids;
}

/** Names a second that a server of DNS answers, one after the other. */
async function lookUps(host: string): Promise<number> {
  // Deno's own datagrams need a flag.
  const socket = createSocket("udp4");
  const labels = ["target", "dns", "podman"].map((label) => [label.length, ...new TextEncoder().encode(label)]);
  const query = (id: number) =>
    // Recursion wanted, one question, type A, class IN (RFC 1035, section 4.1).
    Uint8Array.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels.flat(), 0, 0, 1, 0, 1]);
  const ask = async (id: number) => {
    const answered = once(socket, "message", { signal: AbortSignal.timeout(LOST) });
    socket.send(query(id), 53, host);
    const [answer] = await answered.catch((error) => {
      throw new Error(`${host} has not answered within ${LOST} ms`, { cause: error });
    });
    if (answer[7] === 0) throw new Error(`${host} knows no "target": code ${answer[3] & 15}`);
  };
  try {
    const time = await secondsOf(async () => {
      for (let id = 1; id <= LOOKUPS; id++) await ask(id);
    });
    return LOOKUPS / time;
  } finally {
    socket.close();
  }
}
