import type { Line } from "./engine_bench.ts";
import type { Peer } from "./peers.ts";

/**
 * Measures saving an image and loading it again, in the two formats clients use. curl is the client of both peers: it costs
 * next to nothing, whatever the size.
 */
export async function* archiveLines(gantry: Peer, podman: Peer, image: string): AsyncGenerator<Line> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  try {
    for (const format of ["oci-archive", "docker-archive"]) {
      const file = (peer: Peer) => `${folder}/${peer.name}-${format}`;
      const save = async (peer: Peer) => {
        const query = `references=${encodeURIComponent(image)}&format=${format}`;
        await curl(peer, ["-o", file(peer)], `/images/export?${query}`);
      };
      const load = async (peer: Peer) => {
        await peer.call("DELETE", `/images/${encodeURIComponent(image)}?force=true`);
        return await seconds(() => curl(peer, ["-o", "/dev/null", "-X", "POST", "-T", file(peer)], "/images/load"));
      };
      yield await inTurn(`save of a ~100 MB image as ${format}`, gantry, podman, (peer) => seconds(() => save(peer)));
      yield await inTurn(`load of it`, gantry, podman, load);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The better of two times of each, one after the other. */
async function inTurn(what: string, gantry: Peer, podman: Peer, work: (peer: Peer) => Promise<number>): Promise<Line> {
  const best = { gantry: Infinity, podman: Infinity };
  for (let i = 0; i < 2; i++) {
    best.gantry = Math.min(best.gantry, await work(gantry));
    best.podman = Math.min(best.podman, await work(podman));
  }
  return { what, unit: "s", higher: false, aim: 2, ...best };
}

async function curl(peer: Peer, options: readonly string[], path: string): Promise<void> {
  const url = `http://d/v4.3.1/libpod${path}`;
  const { code, stderr } = await new Deno.Command("curl", {
    args: ["-sS", "--fail-with-body", "-H", "Expect:", "--unix-socket", peer.socket, ...options, url],
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`${peer.name}: ${path}: ${new TextDecoder().decode(stderr)}`);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
