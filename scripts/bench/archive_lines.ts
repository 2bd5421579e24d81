import { callByCurl, secondsOf } from "./calls.ts";
import type { Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";

/**
 * Measures saving an image and loading it again, in the two formats clients use. curl is the client of both peers.
 */
export async function* archiveLines(gantry: Peer, podman: Peer, image: string): AsyncGenerator<Line> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  try {
    for (const format of ["oci-archive", "docker-archive"]) {
      const file = (peer: Peer) => `${folder}/${peer.name}-${format}`;
      const save = async (peer: Peer) => {
        const query = `references=${encodeURIComponent(image)}&format=${format}`;
        await callByCurl(peer, ["-o", file(peer)], `/images/export?${query}`);
      };
      const load = async (peer: Peer) => {
        await peer.call("DELETE", `/images/${encodeURIComponent(image)}?force=true`);
        return await secondsOf(() =>
          callByCurl(peer, ["-o", "/dev/null", "-X", "POST", "-T", file(peer)], "/images/load")
        );
      };
      const line = { unit: "s", higher: false, aim: 2 };
      const saved = await inTurn({ gantry, podman }, ROUNDS, (peer) => secondsOf(() => save(peer)));
      yield { what: `save of a ~100 MB image as ${format}`, ...line, ...saved };
      yield { what: "load of it", ...line, ...await inTurn({ gantry, podman }, ROUNDS, load) };
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
