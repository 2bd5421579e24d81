import { BUILDX_PLUGIN } from "../../later_debian/client_programs.ts";
import { secondsOf } from "../calls.ts";
import type { Bench, Line } from "../engine_bench.ts";
import { inTurn, ROUNDS } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";

/** Files of the folder of many, and megabytes of the large one. */
const [FILES, LARGE] = [5000, 200];

/**
 * Measures `docker build` of folders by buildx, which speaks BuildKit's protocol and is asked for what the server wants of a folder. Nothing is
 * measured without Docker's daemon, the only peer that speaks it.
 */
export async function* buildkitLines({ gantry, docker, image }: Bench): AsyncGenerator<Line> {
  if (!docker) return;
  await handImage(gantry, docker, image);
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  const line = { unit: "s", higher: false, aim: 1 };
  const peers = { gantry, docker };
  try {
    await Deno.mkdir(`${folder}/config/cli-plugins`, { recursive: true });
    await Deno.symlink(BUILDX_PLUGIN, `${folder}/config/cli-plugins/docker-buildx`);
    const build = (peer: Peer, context: string, ...options: string[]) => {
      return secondsOf(() => buildFolder(peer, `${folder}/config`, [...options, `${folder}/${context}`]));
    };
    const same = (context: string, ...options: string[]) => {
      return inTurn(peers, ROUNDS, (peer) => build(peer, context, ...options));
    };

    await writeFolder(`${folder}/few`, `FROM ${image}\nRUN true\nCOPY files /files\n`, 20);
    yield { what: "docker build: nothing changed, 20 files", ...line, ...await same("few") };

    const many = `FROM ${image}\nRUN true\nCOPY files /files\nCOPY last /last\n`;
    await writeFolder(`${folder}/many`, many, FILES);
    yield { what: "docker build: nothing changed, 5,000 files", ...line, ...await same("many") };
    let count = 0;
    const changed = async (peer: Peer) => {
      await Deno.writeTextFile(`${folder}/many/last`, `change ${count++}`);
      return await build(peer, "many");
    };
    yield { what: "docker build: one file of 5,000 changed", ...line, ...await inTurn(peers, ROUNDS, changed) };
    const anew = async (peer: Peer) => {
      const name = `new-${count++}`;
      await writeFolder(`${folder}/${name}`, many, FILES);
      const seconds = await build(peer, name);
      await Deno.remove(`${folder}/${name}`, { recursive: true });
      return seconds;
    };
    yield { what: "docker build: another folder of 5,000 files", ...line, ...await inTurn(peers, ROUNDS, anew) };

    await writeFolder(`${folder}/large`, `FROM ${image}\nCOPY large /large\n`, 0);
    await writeLargeFiles(`${folder}/large/large`);
    const moved = async (peer: Peer) => {
      const name = `large-${count++}`;
      await Deno.mkdir(`${folder}/${name}`);
      await Deno.rename(`${folder}/large/large`, `${folder}/${name}/large`);
      await Deno.copyFile(`${folder}/large/Dockerfile`, `${folder}/${name}/Dockerfile`);
      const seconds = await build(peer, name, "--no-cache");
      await Deno.rename(`${folder}/${name}/large`, `${folder}/large/large`);
      return seconds;
    };
    yield { what: "docker build: another folder of 200 MB", ...line, ...await inTurn(peers, ROUNDS, moved) };
    yield { what: "docker build: nothing changed, 200 MB", ...line, ...await same("large") };
    yield { what: "docker build: COPY of 200 MB", ...line, ...await same("large", "--no-cache") };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes a folder with a Dockerfile, small files of texts that no other folder has, and a last file. */
async function writeFolder(path: string, dockerfile: string, files: number): Promise<void> {
  const own = crypto.randomUUID();
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/Dockerfile`, dockerfile);
  await Deno.writeTextFile(`${path}/last`, "the first");
  for (let at = 0; at < files; at++) {
    if (at < 50) await Deno.mkdir(`${path}/files/${at}`, { recursive: true });
    await Deno.writeTextFile(`${path}/files/${at % 50}/${at}`, `${own} ${at}\n`.repeat(10));
  }
}

/** Writes files of 1 MB that do not compress. */
async function writeLargeFiles(path: string): Promise<void> {
  await Deno.mkdir(path);
  const content = new Uint8Array(1 << 20);
  for (let at = 0; at < LARGE; at++) {
    for (let from = 0; from < content.length; from += 1 << 16) {
      crypto.getRandomValues(content.subarray(from, from + (1 << 16)));
    }
    await Deno.writeFile(`${path}/${at}`, content);
  }
}

async function buildFolder(peer: Peer, config: string, args: readonly string[]): Promise<void> {
  const words = ["--config", config, "--host", `unix://${peer.socket}`, "buildx", "build", "--quiet"];
  const { success, stderr } = await new Deno.Command("docker", {
    args: [...words, "--tag=bench/folder", ...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${peer.name}: docker build: ${new TextDecoder().decode(stderr).slice(-500)}`);
}
