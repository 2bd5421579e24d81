import { buildTar, type Entry } from "../../tests/fixtures/images/tar_builder.ts";
import { secondsOf } from "./calls.ts";
import { type Bench, type Line, peersOf } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import { handImage, type Peer } from "./peers.ts";

/** One context on the disk, with its Dockerfile in it. */
interface Context {
  file: string;
  /** Parameters besides the usual ones. */
  query?: string;
  /** The image's name; one of its own by default. */
  name?: string;
}

/**
 * Measures builds, with Podman's builder (buildah) beside ours, and Docker's classic one where its daemon is there. curl is the
 * client of all.
 */
export async function* buildLines(bench: Bench): AsyncGenerator<Line> {
  const { gantry, docker, image } = bench;
  if (docker) await handImage(gantry, docker, image);
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  const line = { unit: "s", higher: false, aim: 2 };
  const measure = (contextOf: (round: number) => Promise<Context>) => {
    let round = 0;
    const build = async (peer: Peer) => {
      const context = await contextOf(round++);
      return await secondsOf(() => buildFrom(peer, context));
    };
    return inTurn(peersOf(bench), ROUNDS, build);
  };
  const write = async (dockerfile: string, entries: readonly Entry[] = []): Promise<string> => {
    const path = `${folder}/context.tar`;
    const content = dockerfile.replaceAll("IMAGE", image);
    await Deno.writeFile(path, buildTar([{ type: "file", path: "Dockerfile", content }, ...entries]));
    return path;
  };
  try {
    const files = Array.from({ length: 5000 }, (_, at): Entry => {
      return { type: "file", path: `files/${at % 50}/${at}`, content: `file ${at}\n`.repeat(20) };
    });
    const steps = Array.from({ length: 20 }, (_, at) => `RUN echo ${at} > /step-${at}\n`).join("");
    const cached = `FROM IMAGE\n${steps}COPY files /files\nCOPY last /last\n`;
    const last = (content: string): Entry => ({ type: "file", path: "last", content });

    let file = await write(cached, [...files, last("same")]);
    yield {
      what: "build: nothing changed, 20 RUN, 5,000 files",
      ...line,
      ...await measure(() => Promise.resolve({ file })),
    };
    yield {
      what: "build: the last file changed",
      ...line,
      ...await measure(async (round) => ({ file: await write(cached, [...files, last(`round ${round}`)]) })),
    };
    file = await write(`FROM IMAGE\n${steps}`);
    yield { what: "build: 20 RUN", ...line, ...await measure(() => Promise.resolve({ file, query: "&nocache=1" })) };
    file = await write("FROM IMAGE\nCOPY files /files\n", files);
    yield {
      what: "build: COPY of 5,000 files",
      ...line,
      ...await measure(() => Promise.resolve({ file, query: "&nocache=1" })),
    };
    for (const peer of Object.values(peersOf(bench))) await buildFrom(peer, { file, name: "bench/files" });
    file = await write("FROM bench/files AS files\nFROM IMAGE\nCOPY --from=files /files/1/1 /one\n");
    yield {
      what: "build: COPY --from, one file of 5,000",
      ...line,
      ...await measure(() => Promise.resolve({ file, query: "&nocache=1" })),
    };
    const loop = "i=0; mkdir /made; while [ $i -lt 5000 ]; do echo $i > /made/$i; i=$((i+1)); done";
    file = await write(`FROM IMAGE\nRUN ${loop}\n`);
    yield {
      what: "build: RUN that makes 5,000 files",
      ...line,
      ...await measure(() => Promise.resolve({ file, query: "&nocache=1" })),
    };
    const large = crypto.getRandomValues(new Uint8Array(1 << 16));
    const parts = Array.from({ length: 200 }, (_, at): Entry => {
      const content = new Uint8Array(1 << 20);
      for (let from = 0; from < content.length; from += large.length) content.set(large, from);
      content[0] = at;
      return { type: "file", path: `large/${at}`, content };
    });
    file = await write("FROM IMAGE\nCOPY large /large\n", parts);
    yield {
      what: "build: COPY of 200 MB",
      ...line,
      ...await measure(() => Promise.resolve({ file, query: "&nocache=1" })),
    };
    const stages = ["a", "b", "c", "d"];
    const text = stages.map((name) => `FROM IMAGE AS ${name}\nRUN sleep 1; echo ${name} > /made\n`).join("") +
      `FROM IMAGE\n${stages.map((name) => `COPY --from=${name} /made /${name}\n`).join("")}`;
    file = await write(text);
    yield {
      what: "build: 4 stages side by side",
      ...line,
      ...await measure(() => Promise.resolve({ file, query: "&nocache=1&jobs=4" })),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function buildFrom(peer: Peer, { file, query = "", name = "bench/built" }: Context): Promise<void> {
  const tree = peer.name === "docker" ? "v1.41/build?rm=1&" : "v4.3.1/libpod/build?layers=1&";
  const path = `/${tree}dockerfile=Dockerfile&t=${encodeURIComponent(name)}${query}`;
  const args = ["-sS", "--fail-with-body", "--unix-socket", peer.socket, "-X", "POST", "-T", file];
  const command = new Deno.Command("curl", {
    args: [...args, "-H", "Content-Type: application/x-tar", `http://d${path}`],
  });
  const { success, stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  if (!success || !/"stream":"(?:[0-9a-f]{64}|Successfully built [0-9a-f]{12})\\n"/.test(text)) {
    throw new Error(`${peer.name}: build: ${text.slice(-500)}${new TextDecoder().decode(stderr)}`);
  }
}
