import { averageTime, secondsOf } from "../calls.ts";
import { type Bench, type Line, peersOf } from "../engine_bench.ts";
import { inTurn, ROUNDS } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";

/** Containers that live at the same time. */
const AT_ONCE = 8;
/**
 * Calls that take a few milliseconds: as many are averaged, or as fit into the milliseconds. With fewer, the row measures how fast
 * a server becomes warm.
 */
const BRIEF_CALLS = 200;
const BRIEF_TIME = 1_000;
/** Runs of `exec`, and networks that a container enters, which are averaged. */
const REPEATS = 10;
/** The first of the host's ports that are published: below those that the kernel gives out by itself. */
const FIRST_PORT = 22_000;

/** Measures lives of containers, runs of `exec`, volumes and networks over Docker's tree, which all peers have. */
export async function* lifeLines(bench: Bench): AsyncGenerator<Line> {
  const { gantry, docker, image, counts } = bench;
  if (docker) await handImage(gantry, docker, image);
  const all = (work: (peer: Peer) => Promise<number>) => inTurn(peersOf(bench), ROUNDS, work);
  for (const network of ["none", "bridge"]) {
    yield {
      what: `life of a container, network ${network}`,
      unit: "ms",
      higher: false,
      ...await all((peer) => averageTime(counts.cycles, () => liveOnce(peer, image, network))),
    };
    yield {
      what: `lives of containers, ${AT_ONCE} at a time, network ${network}`,
      unit: "containers/s",
      higher: true,
      ...await all(async (peer) => {
        const each = Math.ceil(counts.cycles / 2);
        const lives = async () => {
          for (let i = 0; i < each; i++) await liveOnce(peer, image, network);
        };
        return AT_ONCE * each / await secondsOf(() => Promise.all(Array.from({ length: AT_ONCE }, lives)));
      }),
    };
  }
  const line = { unit: "ms", higher: false };
  const brief = (work: (peer: Peer) => Promise<unknown>) =>
    all((peer) => averageTime(BRIEF_CALLS, () => work(peer), BRIEF_TIME));
  for (const ports of [0, 1, 32]) {
    yield {
      what: `start of a container alone, ${ports} port${ports === 1 ? "" : "s"}`,
      ...line,
      ...await all((peer) => startTime(peer, image, ports)),
    };
  }
  yield { what: "exec true, Docker's tree", ...line, ...await all((peer) => execTime(peer, image)) };
  yield {
    what: "volume create and remove, Docker's tree",
    ...line,
    ...await brief(async (peer) => {
      const { Name } = JSON.parse(await peer.callPath("POST", "/volumes/create", {}));
      await peer.callPath("DELETE", `/volumes/${Name}`);
    }),
  };
  yield {
    what: "network connect and disconnect, Docker's tree",
    ...line,
    ...await all((peer) => connectTime(peer, image)),
  };
  yield {
    what: "df, Docker's tree",
    ...line,
    ...await brief((peer) => peer.callPath("GET", "/system/df")),
  };
  yield {
    what: "network create and remove, Docker's tree",
    ...line,
    ...await brief(async (peer) => {
      const { Id } = JSON.parse(await peer.callPath("POST", "/networks/create", { Name: "bench-brief" }));
      await peer.callPath("DELETE", `/networks/${Id}`);
    }),
  };
}

/** Makes a container that ends by itself, or waits, and returns its ID. */
export async function createContainer(
  peer: Peer,
  image: string,
  { Cmd = ["sleep", "10000"], ...HostConfig }: { Cmd?: readonly string[] } & Record<string, unknown> = {},
): Promise<string> {
  // A removal by force waits for the end of a process elsewhere than in Docker, and the first process of a container hears no SIGTERM.
  const body = { Image: image, Cmd, StopTimeout: 0, HostConfig };
  return JSON.parse(await peer.callPath("POST", "/containers/create", body)).Id;
}

/** Removes a container at once. */
export async function removeContainer(peer: Peer, id: string): Promise<void> {
  await peer.callPath("DELETE", `/containers/${id}?force=true`);
}

async function liveOnce(peer: Peer, image: string, NetworkMode: string): Promise<void> {
  const id = await createContainer(peer, image, { Cmd: ["/bin/true"], NetworkMode });
  await peer.callPath("POST", `/containers/${id}/start`);
  const { StatusCode } = JSON.parse(await peer.callPath("POST", `/containers/${id}/wait`));
  if (StatusCode !== 0) throw new Error(`${peer.name}: container ended with ${StatusCode}`);
  await removeContainer(peer, id);
}

/** Milliseconds of the start alone, on the default bridge. */
async function startTime(peer: Peer, image: string, ports: number): Promise<number> {
  const numbers = Array.from({ length: ports }, (_, i) => FIRST_PORT + i);
  const PortBindings = Object.fromEntries(numbers.map((port) => [`${port}/tcp`, [{ HostPort: String(port) }]]));
  const times: number[] = [];
  for (let i = 0; i < REPEATS / 2; i++) {
    const id = await createContainer(peer, image, { NetworkMode: "bridge", PortBindings });
    times.push(await secondsOf(() => peer.callPath("POST", `/containers/${id}/start`)));
    await removeContainer(peer, id);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] * 1000;
}

/** Milliseconds of an `exec`, from its making to the end of its output. */
async function execTime(peer: Peer, image: string): Promise<number> {
  const id = await createContainer(peer, image, { NetworkMode: "none" });
  await peer.callPath("POST", `/containers/${id}/start`);
  const time = await averageTime(REPEATS, async () => {
    const body = { Cmd: ["true"], AttachStdout: true, AttachStderr: true };
    const { Id } = JSON.parse(await peer.callPath("POST", `/containers/${id}/exec`, body));
    await peer.callPath("POST", `/exec/${Id}/start`, {});
  });
  await removeContainer(peer, id);
  return time;
}

/** Milliseconds of a connection of a running container to another network, and its end. */
async function connectTime(peer: Peer, image: string): Promise<number> {
  const { Id } = JSON.parse(await peer.callPath("POST", "/networks/create", { Name: "bench-joined" }));
  const Container = await createContainer(peer, image, { NetworkMode: "bridge" });
  await peer.callPath("POST", `/containers/${Container}/start`);
  const time = await averageTime(REPEATS / 2, async () => {
    await peer.callPath("POST", `/networks/${Id}/connect`, { Container });
    await peer.callPath("POST", `/networks/${Id}/disconnect`, { Container });
  });
  await removeContainer(peer, Container);
  await peer.callPath("DELETE", `/networks/${Id}`);
  return time;
}
