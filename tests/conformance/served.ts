/** The sample, served by each runtime that has sockets. */
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { listen, type ListenOptions } from "../../lib/platform/http/listener.ts";
import { client } from "../fixtures/platform/raw_client.ts";
import { sample } from "./sample.ts";
import type { Served } from "./wire.ts";

/** The listener's options of the sample. */
export const hijacks = (method: string, path: string): boolean => method === "POST" && /^\/(attach|start)$/.test(path);

/** How long the sample's listener waits, where not as long as it does by default. */
export type Patience = Pick<ListenOptions, "patience" | "socketPatience">;

/** A served sample that can be stopped. */
export interface Running extends Served, AsyncDisposable {
  readonly address: string;
  /** The process that serves. */
  readonly pid: number;
}

function running(address: string, pid: number, stop: () => Promise<void>): Running {
  const tcp = address.startsWith("tcp:");
  const to = tcp ? Number(address.split(":").at(-1)) : address.slice("unix://".length);
  return { address, pid, tcp, connect: () => client(to), [Symbol.asyncDispose]: stop };
}

/** Serves the sample in this process. */
export async function onDeno(address: string, patience: Patience = {}): Promise<Running> {
  const listener = await listen(address, sample(), { ...patience, hijacks, clientHosts: ["d", "docker"] });
  return running(listener.address, Deno.pid, () => listener.close(0));
}

/** Serves the sample by Node, from a bundle in an otherwise empty folder. */
export async function onNode(address: string, patience: Patience = {}, version = "24"): Promise<Running> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-node-" });
  await Deno.writeTextFile(`${folder}/sample.mjs`, await bundled("tests/conformance/sample_node.ts", "node"));
  return await startNode(folder, ["sample.mjs", address, JSON.stringify(patience)], undefined, version);
}

/** Serves the sample, or what another module serves, by Deno in a process of its own, so that a server that does nothing else leaves its test alone. */
export async function startDeno(
  address: string,
  module = new URL("sample_node.ts", import.meta.url).pathname,
): Promise<Running> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-deno-" });
  return await start(Deno.execPath(), ["run", "-A", "--quiet", "--no-check", module, address], folder);
}

/** Starts Node, version 24 unless told otherwise, in a folder, waits for its first line (the address, with its process ID before it), and stops it and removes the folder at the end. */
export async function startNode(
  folder: string,
  args: string[],
  env?: Record<string, string>,
  version = "24",
): Promise<Running> {
  return await start(await nodeProgram(version), args, folder, env);
}

async function start(
  program: string,
  args: string[],
  folder: string,
  env?: Record<string, string>,
): Promise<Running> {
  const child = new Deno.Command(program, {
    args,
    cwd: folder,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const stop = async () => {
    await child.stdin.close().catch(() => {});
    await child.stdout.cancel().catch(() => {});
    const { code } = await child.status;
    await Deno.remove(folder, { recursive: true });
    if (code !== 0) throw new Error(`Run ${program}: it ended with ${code}`);
  };
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  while (!line.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`Run ${program}: it ended with ${(await child.status).code} before it served`);
    line += value;
  }
  const words = line.trim().split(/\s+/);
  return running(words.at(-1) ?? "", Number(words[0]), async () => {
    void drain(reader);
    await stop();
  });
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}
