import type { Peer } from "./peers.ts";

/** Sends a request by curl, which costs next to nothing, whatever the size of what it sends or gets. Throws when the status is 400 or more. */
export async function callByCurl(peer: Peer, options: readonly string[], path: string): Promise<void> {
  await curlPath(peer, options, `/v4.3.1/libpod${path}`);
}

/** The same over Docker's tree, which all peers have. */
export async function curlPath(peer: Peer, options: readonly string[], path: string): Promise<void> {
  const url = `http://d${path}`;
  const { code, stderr } = await new Deno.Command("curl", {
    args: ["-sS", "--fail-with-body", "-H", "Expect:", "--unix-socket", peer.socket, ...options, url],
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`${peer.name}: ${path}: ${new TextDecoder().decode(stderr)}`);
}

/** The seconds that work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

/** The milliseconds of one call, of `times` in a row, or as many as end within `longest` milliseconds: one at least. */
export async function averageTime(times: number, work: () => Promise<unknown>, longest = Infinity): Promise<number> {
  const from = performance.now();
  let done = 0;
  do {
    await work();
    done++;
  } while (done < times && performance.now() - from < longest);
  return (performance.now() - from) / done;
}

/** Does the work for each of them, `atOnce` at a time. */
export async function inBatches<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const left = all.values();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const one of left) await work(one);
  }));
}
