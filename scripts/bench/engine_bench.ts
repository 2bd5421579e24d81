import { archiveLines } from "./archive_lines.ts";
import type { Peer } from "./peers.ts";
import { streamLines } from "./stream_lines.ts";

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

const image = (registry: string) => `${registry}/bench/busybox:latest`;

/** Measures what `DESIGN.md` section 6 names, on both peers in turn. */
export async function* engineLines(
  gantry: Peer,
  podman: Peer,
  registry: string,
  /** Another registry, with nothing in it: where images are pushed to. */
  empty: string,
  counts: { cycles: number; containers: number; repeats: number },
): AsyncGenerator<Line> {
  const both = async (work: (peer: Peer) => Promise<number>) => ({
    gantry: await work(gantry),
    podman: await work(podman),
  });
  for (const peer of [gantry, podman]) await pull(peer, image(registry));

  yield {
    what: "pull of a ~100 MB image",
    unit: "s",
    higher: false,
    aim: 1.5,
    ...await both((peer) => seconds(() => pull(peer, `${registry}/bench/big:latest`))),
  };
  yield {
    what: "push of a ~100 MB image",
    unit: "s",
    higher: false,
    aim: 1.2,
    ...await both((peer) =>
      seconds(() => push(peer, `${registry}/bench/big:latest`, `${empty}/from-${peer.name}/big:1`))
    ),
  };
  yield* archiveLines(gantry, podman, `${registry}/bench/big:latest`);
  for (const [network, aim] of [["none", 2], ["bridge", 4]] as const) {
    yield {
      what: `create+start+wait+remove, network ${network}`,
      unit: "ms",
      higher: false,
      aim,
      ...await both(async (peer) => {
        await cycle(peer, image(registry), network);
        const total = await seconds(async () => {
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
        const total = await seconds(() =>
          Promise.all(Array.from({ length: 8 }, async () => {
            for (let i = 0; i < counts.cycles / 4; i++) await cycle(peer, image(registry), network);
          }))
        );
        return 8 * Math.floor(counts.cycles / 4) / total;
      }),
    };
  }
  yield {
    what: `create, ${counts.containers} containers`,
    unit: "ms each",
    higher: false,
    aim: 3,
    ...await both(async (peer) => {
      const total = await seconds(async () => {
        for (let i = 0; i < counts.containers; i++) await create(peer, image(registry), "none");
      });
      return total / counts.containers * 1000;
    }),
  };
  yield {
    what: `list of ${counts.containers} containers`,
    unit: "ms",
    higher: false,
    aim: 40,
    ...await both((peer) => average(counts.repeats, () => peer.call("GET", "/containers/json?all=true"))),
  };
  yield {
    what: "inspect",
    unit: "ms",
    higher: false,
    aim: 2,
    ...await both(async (peer) => {
      const id = JSON.parse(await peer.call("GET", "/containers/json?all=true&limit=1"))[0].Id;
      return await average(counts.repeats * 10, () => peer.call("GET", `/containers/${id}/json`));
    }),
  };
  yield* streamLines(gantry, podman, image(registry));
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

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

/** Milliseconds of one call, of a server that is warm. */
async function average(times: number, work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < times / 2; i++) await work();
  const total = await seconds(async () => {
    for (let i = 0; i < times; i++) await work();
  });
  return total / times * 1000;
}
