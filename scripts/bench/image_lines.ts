import { archiveLines } from "./archive_lines.ts";
import { secondsOf } from "./calls.ts";
import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import { type Peer, pullImage } from "./peers.ts";

/** Measures pull and push of an image of ~100 MB, and its way into archives and back. */
export async function* imageLines({ gantry, podman, registry, emptyRegistry }: Bench): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  const big = `${registry}/bench/big:latest`;

  yield {
    what: "pull of a ~100 MB image",
    unit: "s",
    higher: false,
    aim: 1.5,
    ...await both(async (peer) => {
      await peer.call("DELETE", `/images/${encodeURIComponent(big)}?force=true`).catch(() => {});
      return await secondsOf(() => pullImage(peer, big));
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
        return await secondsOf(() => pushCopy(peer, big, `${empty.host}/big:1`));
      } finally {
        await empty.close();
      }
    }),
  };
  yield* archiveLines(gantry, podman, big);
}

async function pushCopy(peer: Peer, name: string, destination: string): Promise<void> {
  const query = `destination=${encodeURIComponent(destination)}&tlsVerify=false`;
  await peer.call("POST", `/images/${encodeURIComponent(name)}/push?${query}`);
}
