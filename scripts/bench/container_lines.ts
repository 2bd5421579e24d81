import { averageTime, secondsOf } from "./calls.ts";
import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS, WARM_ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";

/** Calls of df that are averaged. */
const DF_CALLS = 3;

/** Measures lives of containers, alone and several at a time, and what a server with many of them answers. */
export async function* containerLines({ gantry, podman, image, counts }: Bench): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  for (const [network, aim] of [["none", 2], ["bridge", 4]] as const) {
    yield {
      what: `create+start+wait+remove, network ${network}`,
      unit: "ms",
      higher: false,
      aim,
      ...await both(async (peer) => {
        const total = await secondsOf(async () => {
          for (let i = 0; i < counts.cycles; i++) await liveOnce(peer, image, network);
        });
        return total / counts.cycles * 1000;
      }),
    };
    yield {
      what: `the same, 8 at a time, network ${network}`,
      unit: "containers/s",
      higher: true,
      aim: 5,
      ...await both(async (peer) => {
        const total = await secondsOf(() =>
          Promise.all(Array.from({ length: 8 }, async () => {
            for (let i = 0; i < counts.cycles / 2; i++) await liveOnce(peer, image, network);
          }))
        );
        return 8 * Math.ceil(counts.cycles / 2) / total;
      }),
    };
  }
  for (const network of ["none", "bridge"]) {
    yield {
      what: `create to the first byte of output, network ${network}`,
      unit: "ms",
      higher: false,
      ...await both(async (peer) => {
        const times: number[] = [];
        for (let i = 0; i < counts.cycles; i++) times.push(await firstByte(peer, image, network));
        return times.toSorted((a, b) => a - b)[times.length >> 1];
      }),
    };
  }
  yield {
    what: `create, ${counts.containers} containers`,
    unit: "ms each",
    higher: false,
    aim: 3,
    ...await both(async (peer) => {
      const total = await secondsOf(async () => {
        for (let i = 0; i < counts.containers / (ROUNDS + WARM_ROUNDS); i++) {
          await createOne(peer, image, "none");
        }
      });
      return total / Math.ceil(counts.containers / (ROUNDS + WARM_ROUNDS)) * 1000;
    }),
  };
  yield {
    what: `list of ${counts.containers} containers`,
    unit: "ms",
    higher: false,
    aim: 40,
    ...await both((peer) => averageTime(counts.repeats / 2, () => peer.call("GET", "/containers/json?all=true"))),
  };
  yield {
    what: "inspect",
    unit: "ms",
    higher: false,
    aim: 2,
    ...await both(async (peer) => {
      const id = JSON.parse(await peer.call("GET", "/containers/json?all=true&limit=1"))[0].Id;
      return await averageTime(counts.repeats * 10, () => peer.call("GET", `/containers/${id}/json`));
    }),
  };
  for (const [tree, path] of [["native", "/libpod/system/df"], ["Docker's", "/system/df"]]) {
    yield {
      what: `df with ${counts.containers} containers, ${tree} tree`,
      unit: "ms",
      higher: false,
      ...await both((peer) => averageTime(DF_CALLS, () => peer.callPath("GET", path))),
    };
  }
}

async function createOne(peer: Peer, name: string, network: string): Promise<string> {
  const body = { image: name, command: ["/bin/true"], netns: { nsmode: network } };
  return JSON.parse(await peer.call("POST", "/containers/create", body)).Id;
}

/** The milliseconds from the request for a container to the first byte that it has written. */
async function firstByte(peer: Peer, image: string, network: string): Promise<number> {
  const body = {
    image,
    // It goes on: an end would be told of by the log's.
    command: ["sh", "-c", "echo up; exec sleep 1000"],
    netns: { nsmode: network },
    log_configuration: { driver: "k8s-file" },
  };
  const from = performance.now();
  const { Id } = JSON.parse(await peer.call("POST", "/containers/create", body));
  await peer.call("POST", `/containers/${Id}/start`);
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path: peer.socket } });
  const url = `http://d/v4.3.1/libpod/containers/${Id}/logs?stdout=true&follow=true`;
  const reader = (await fetch(url, { client })).body!.getReader();
  const { done } = await reader.read();
  const time = performance.now() - from;
  await reader.cancel();
  await peer.call("DELETE", `/containers/${Id}?force=true&timeout=0`);
  if (done) throw new Error(`${peer.name}: the log of ${Id} ended before its container`);
  return time;
}

async function liveOnce(peer: Peer, name: string, network: string): Promise<void> {
  const id = await createOne(peer, name, network);
  await peer.call("POST", `/containers/${id}/start`);
  const code = (await peer.call("POST", `/containers/${id}/wait?condition=exited&condition=stopped`)).trim();
  if (code !== "0") throw new Error(`${peer.name}: container ended with ${code}`);
  await peer.call("DELETE", `/containers/${id}?force=true`);
}
