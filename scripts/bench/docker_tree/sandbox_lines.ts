import Docker from "dockerode";
import { type Bench, type Line, peersOf } from "../engine_bench.ts";
import { inTurn } from "../in_turn.ts";
import { handImage, type Peer } from "../peers.ts";

/** The part of dockerode that is used here; it brings no types. */
interface Client {
  createContainer(
    options: { Image: string; Cmd: readonly string[]; StopTimeout: number; Labels?: Record<string, string> },
  ): Promise<Sandbox>;
}

interface Sandbox {
  attach(options: Record<string, unknown>): Promise<AsyncIterable<Uint8Array>>;
  start(): Promise<unknown>;
  exec(options: Record<string, unknown>): Promise<{ start(options: object): Promise<AsyncIterable<Uint8Array>> }>;
  remove(options: { force: boolean }): Promise<unknown>;
}

/** Sandboxes of each way to begin them. */
const ONE_BY_ONE = 10;
const STAGGERED = 20;
const BURST = 100;
/** Milliseconds between the beginnings of staggered ones. */
const STEP = 200;
/** Milliseconds in which a container is made that waits for the next request, where a server does so. */
const REFILL = 1000;

/**
 * Measures a sandbox as providers of them are compared: the time from the request for one until its first command has answered, by
 * dockerode, for one after the other, for some that begin 200 ms apart, and for 100 at once. The median counts.
 */
export async function* sandboxLines(bench: Bench): AsyncGenerator<Line> {
  const { gantry, docker, image } = bench;
  if (docker) await handImage(gantry, docker, image);
  const line = { unit: "ms", higher: false };
  const all = (rounds: number, work: (begin: () => Promise<number>) => Promise<number[]>, measure = firstCommand) =>
    inTurn(peersOf(bench), rounds, async (peer: Peer) => {
      const client = new Docker({ socketPath: peer.socket }) as unknown as Client;
      const sandboxes: Sandbox[] = [];
      const times = await work(() => measure(client, image, sandboxes));
      for (const sandbox of sandboxes) await sandbox.remove({ force: true });
      return times.toSorted((a, b) => a - b)[times.length >> 1];
    }, 0);
  yield {
    what: "sandbox to its first command, one by one",
    ...line,
    ...await all(3, async (begin) => {
      const times: number[] = [];
      for (let i = 0; i < ONE_BY_ONE; i++) times.push(await begin());
      return times;
    }),
  };
  yield {
    what: `the same, ${STAGGERED} staggered by ${STEP} ms`,
    ...line,
    ...await all(1, (begin) =>
      Promise.all(Array.from({ length: STAGGERED }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * STEP));
        return await begin();
      }))),
  };
  yield {
    what: `the same, a burst of ${BURST}`,
    ...line,
    ...await all(1, (begin) => Promise.all(Array.from({ length: BURST }, begin))),
  };
  yield {
    what: "container to its first output, one that waits (warm)",
    ...line,
    ...await all(3, async (begin) => {
      const times: number[] = [];
      // The first one finds none that waits.
      await begin();
      for (let i = 0; i < ONE_BY_ONE; i++) times.push(await begin());
      return times;
    }, firstOutput),
  };
}

/**
 * Makes and starts a container like those before, of which one waits where a server has warm containers; returns the milliseconds from the
 * request for it until its first output.
 */
async function firstOutput(client: Client, image: string, sandboxes: Sandbox[]): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, REFILL));
  const from = performance.now();
  const Labels = { "io.gantry.warm": "1" };
  const sandbox = await client.createContainer({ Image: image, Cmd: ["echo", "ready"], StopTimeout: 0, Labels });
  sandboxes.push(sandbox);
  const output = await sandbox.attach({ stream: true, stdout: true });
  await sandbox.start();
  for await (const piece of output) if (piece.toString().includes("ready")) return performance.now() - from;
  throw new Error("The container ended and wrote nothing");
}

/** Makes a sandbox and runs its first command; returns the milliseconds until the output has ended. */
async function firstCommand(client: Client, image: string, sandboxes: Sandbox[]): Promise<number> {
  const from = performance.now();
  const sandbox = await client.createContainer({ Image: image, Cmd: ["sleep", "10000"], StopTimeout: 0 });
  sandboxes.push(sandbox);
  await sandbox.start();
  const exec = await sandbox.exec({ Cmd: ["echo", "ready"], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  let output = "";
  for await (const piece of stream) output += piece.toString();
  if (!output.includes("ready")) throw new Error(`The first command wrote "${output}"`);
  return performance.now() - from;
}
