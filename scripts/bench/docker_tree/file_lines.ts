import { buildTar } from "../../../tests/fixtures/images/tar_builder.ts";
import { averageTime, curlPath } from "../calls.ts";
import { type Bench, type Line, peersOf } from "../engine_bench.ts";
import { inTurn, ROUNDS } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";
import { createContainer, removeContainer } from "./life_lines.ts";

/** The archive of one large file, in MB, and the one of many small ones. */
const [LARGE, SMALL] = [50, 1000];
/** Calls that are averaged: of those that carry much, of those that carry nothing, and of those that take a few milliseconds. */
const [FEW, MANY, BRIEF] = [3, 20, 200];

/** Measures copies of files into a running container and out of it, and what else is done to one that runs. */
export async function* fileLines(bench: Bench): AsyncGenerator<Line> {
  const { gantry, docker, image } = bench;
  if (docker) await handImage(gantry, docker, image);
  const peers = peersOf(bench);
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  const ids = new Map<Peer, string>();
  try {
    const [large, small] = [`${folder}/large.tar`, `${folder}/small.tar`];
    await writeArchives(large, small);
    for (const peer of Object.values(peers)) {
      const id = await createContainer(peer, image, { NetworkMode: "none" });
      await peer.callPath("POST", `/containers/${id}/start`);
      ids.set(peer, id);
    }
    const pathOf = (peer: Peer, rest: string) => `/containers/${ids.get(peer)}${rest}`;
    const put = (archive: string, path: string) => (peer: Peer) => {
      const options = ["-T", archive, "-H", "Content-Type: application/x-tar"];
      return curlPath(peer, options, pathOf(peer, `/archive?path=${path}`));
    };
    const get = (path: string) => (peer: Peer) => {
      return curlPath(peer, ["-o", "/dev/null"], pathOf(peer, `/archive?path=${path}`));
    };
    const works: readonly [what: string, times: number, work: (peer: Peer) => Promise<unknown>][] = [
      [`copy of ${LARGE} MB into a container`, FEW, put(large, "/tmp")],
      [`copy of ${LARGE} MB out of a container`, FEW, get("/tmp")],
      [`copy of ${SMALL} files into a container`, FEW, put(small, "/home")],
      [`copy of ${SMALL} files out of a container`, FEW, get("/home")],
      ["look at a path of a container", BRIEF, (peer) => peer.callPath("HEAD", pathOf(peer, "/archive?path=/tmp"))],
      ["changes of a container's files", FEW, (peer) => peer.callPath("GET", pathOf(peer, "/changes"))],
      ["processes of a container", MANY, (peer) => peer.callPath("GET", pathOf(peer, "/top"))],
      ["pause and unpause", MANY, async (peer) => {
        await peer.callPath("POST", pathOf(peer, "/pause"));
        await peer.callPath("POST", pathOf(peer, "/unpause"));
      }],
    ];
    for (const [what, times, work] of works) {
      const rates = await inTurn(peers, ROUNDS, (peer) => averageTime(times, () => work(peer)));
      yield { what: `${what}, Docker's tree`, unit: "ms", higher: false, ...rates };
    }
  } finally {
    for (const [peer, id] of ids) await removeContainer(peer, id);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes an archive of files of 1 MB that do not compress, and one of small files in folders. */
async function writeArchives(large: string, small: string): Promise<void> {
  const piece = crypto.getRandomValues(new Uint8Array(65_536));
  const content = new Uint8Array(1 << 20).map((_, at) => piece[at & 65_535]);
  const files = Array.from({ length: LARGE }, (_, i) => ({ type: "file" as const, path: `f${i}`, content }));
  await Deno.writeFile(large, buildTar(files));
  const few = content.subarray(0, 2000);
  const many = Array.from({ length: SMALL }, (_, i) => {
    return { type: "file" as const, path: `folder${i % 50}-file${i}`, content: few };
  });
  await Deno.writeFile(small, buildTar(many));
}
