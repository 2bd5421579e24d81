import { averageTime, callByCurl, secondsOf } from "./calls.ts";
import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";
import { buildTar } from "../../tests/fixtures/images/tar_builder.ts";

/** Volumes that are made and removed, of which one is averaged: with fewer, the row measures how fast a server becomes warm. */
const REPEATS = 200;
/** The archive that goes in and out: files of 1 MB that do not compress. */
const FILES = 50;

/** Measures the life of a volume, and an archive's way in and out of one. */
export async function* volumeLines({ gantry, podman }: Bench): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  const line = { unit: "ms", higher: false };
  yield {
    what: "volume create and remove",
    ...line,
    ...await both((peer) => averageTime(REPEATS, () => liveOnce(peer))),
  };
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  try {
    const content = crypto.getRandomValues(new Uint8Array(65_536));
    const file = new Uint8Array(1 << 20).map((_, at) => content[at & 65_535]);
    const entries = Array.from({ length: FILES }, (_, i) => ({ type: "file" as const, path: `f${i}`, content: file }));
    await Deno.writeFile(`${folder}/in.tar`, buildTar(entries));
    for (const peer of [gantry, podman]) await peer.call("POST", "/volumes/create", { Name: "whole" });
    // Podman's remote API has no archive of a volume before 5.6: its local client does the same there.
    const imports = async (peer: Peer) => {
      if (peer === podman) return await secondsOf(() => peer.command("volume", "import", "whole", `${folder}/in.tar`));
      const options = ["-X", "POST", "-T", `${folder}/in.tar`, "-H", "Content-Type: application/x-tar"];
      return await secondsOf(() => callByCurl(peer, options, "/volumes/whole/import"));
    };
    const exports = async (peer: Peer) => {
      const out = `${folder}/out.tar`;
      if (peer === podman) return await secondsOf(() => peer.command("volume", "export", "-o", out, "whole"));
      return await secondsOf(() => callByCurl(peer, ["-o", out], "/volumes/whole/export"));
    };
    yield { what: `import of ${FILES} MB into a volume`, unit: "s", higher: false, ...await both(imports) };
    yield { what: "export of it", unit: "s", higher: false, ...await both(exports) };
    for (const peer of [gantry, podman]) await peer.call("DELETE", "/volumes/whole");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function liveOnce(peer: Peer): Promise<void> {
  const { Name } = JSON.parse(await peer.call("POST", "/volumes/create", {}));
  await peer.call("DELETE", `/volumes/${Name}`);
}
