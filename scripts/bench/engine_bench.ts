import { archiveLines } from "./archive_lines.ts";
import { averageTime, secondsOf } from "./calls.ts";
import { inTurn, WARM_ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";
import type { TestRegistry } from "../../tests/fixtures/images/registry.ts";
import { networkLines } from "./network_lines.ts";
import { podLines } from "./pod_lines.ts";
import { streamLines } from "./stream_lines.ts";
import { volumeLines } from "./volume_lines.ts";

/** One measured line: the same work on both peers, in the unit given; `higher` says which way is better. */
export interface Line {
  what: string;
  unit: string;
  higher: boolean;
  gantry: number;
  podman: number;
  /** The ratio DESIGN.md section 6 aims at. */
  aim?: number;
}

/** How often each line is measured; its median is what counts. */
export const ROUNDS = 3;

const image = (registry: string) => `${registry}/bench/busybox:latest`;

/** Measures what `DESIGN.md` section 6 names, on both peers in turn. */
export async function* engineLines(
  gantry: Peer,
  podman: Peer,
  registry: string,
  /** Starts another registry, with nothing in it: where images are pushed to. */
  emptyRegistry: () => Promise<TestRegistry>,
  counts: { cycles: number; containers: number; repeats: number; running: number },
): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  for (const peer of [gantry, podman]) await pull(peer, image(registry));
  const big = `${registry}/bench/big:latest`;

  yield {
    what: "pull of a ~100 MB image",
    unit: "s",
    higher: false,
    aim: 1.5,
    ...await both(async (peer) => {
      await peer.call("DELETE", `/images/${encodeURIComponent(big)}?force=true`).catch(() => {});
      return await secondsOf(() => pull(peer, big));
    }),
  };
  yield {
    what: "push of a ~100 MB image",
    unit: "s",
    higher: false,
    aim: 1.2,
    // Each to a registry of its own: what is known to be there is not sent.
    ...await both(async (peer) => {
      const empty = await emptyRegistry();
      try {
        return await secondsOf(() => push(peer, big, `${empty.host}/big:1`));
      } finally {
        await empty.close();
      }
    }),
  };
  yield* archiveLines(gantry, podman, big);
  for (const [network, aim] of [["none", 2], ["bridge", 4]] as const) {
    yield {
      what: `create+start+wait+remove, network ${network}`,
      unit: "ms",
      higher: false,
      aim,
      ...await both(async (peer) => {
        const total = await secondsOf(async () => {
          for (let i = 0; i < counts.cycles; i++) await cycle(peer, image(registry), network);
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
            for (let i = 0; i < counts.cycles / 2; i++) await cycle(peer, image(registry), network);
          }))
        );
        return 8 * Math.ceil(counts.cycles / 2) / total;
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
          await create(peer, image(registry), "none");
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
  yield* streamLines(gantry, podman, image(registry));
  yield* volumeLines(gantry, podman);
  yield* networkLines(gantry, podman, image(registry), counts.running);
  yield* podLines(gantry, podman, image(registry));
  for (const peer of [gantry, podman]) {
    for (const { Id } of JSON.parse(await peer.call("GET", "/containers/json?all=true"))) {
      await peer.call("DELETE", `/containers/${Id}?force=true&timeout=0`);
    }
  }
}

async function pull(peer: Peer, name: string): Promise<void> {
  const report = await peer.call(
    "POST",
    `/images/pull?reference=${encodeURIComponent(name)}&tlsVerify=false&quiet=true`,
  );
  const failed = report.split("\n").find((line) => line.includes('"error"'));
  if (failed) throw new Error(`${peer.name}: pull of ${name}: ${failed}`);
}

async function push(peer: Peer, name: string, destination: string): Promise<void> {
  const query = `destination=${encodeURIComponent(destination)}&tlsVerify=false`;
  await peer.call("POST", `/images/${encodeURIComponent(name)}/push?${query}`);
}

async function create(peer: Peer, name: string, network: string): Promise<string> {
  const body = { image: name, command: ["/bin/true"], netns: { nsmode: network } };
  return JSON.parse(await peer.call("POST", "/containers/create", body)).Id;
}

async function cycle(peer: Peer, name: string, network: string): Promise<void> {
  const id = await create(peer, name, network);
  await peer.call("POST", `/containers/${id}/start`);
  const code = (await peer.call("POST", `/containers/${id}/wait?condition=exited&condition=stopped`)).trim();
  if (code !== "0") throw new Error(`${peer.name}: container ended with ${code}`);
  await peer.call("DELETE", `/containers/${id}?force=true`);
}
