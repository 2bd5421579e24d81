import { averageTime, secondsOf } from "./calls.ts";
import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";

/** Pods that are made and removed one after the other, of which one is averaged. */
const REPEATS = 4;
/** Pods that are there together. */
const MANY = 100;
/** Requests under way at once, for the pods that are there together. */
const AT_ONCE = 8;

/** Containers of the document that is played. */
const PLAYED = 5;

/** Measures the life of a pod, of a document, and of many pods at once: each has its infra container and one that sleeps. */
export async function* podLines({ gantry, podman, image }: Bench): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  yield {
    what: "pod create+start+remove, one container",
    unit: "ms",
    higher: false,
    ...await both((peer) => averageTime(REPEATS, () => liveOnce(peer, image))),
  };
  yield {
    what: `kube play and down, ${PLAYED} containers`,
    unit: "ms",
    higher: false,
    ...await both((peer) => averageTime(1, () => playOnce(peer, image))),
  };
  yield {
    what: `${MANY} pods at once: made, started and removed`,
    unit: "s",
    higher: false,
    // Once each: it takes minutes.
    gantry: await liveTogether(gantry, image),
    podman: await liveTogether(podman, image),
  };
}

function liveTogether(peer: Peer, image: string): Promise<number> {
  return secondsOf(async () => {
    const ids = await eachOf(Array.from({ length: MANY }), () => startPod(peer, image));
    await eachOf(ids, (id) => peer.call("DELETE", `/pods/${id}?force=true&timeout=0`));
  });
}

async function liveOnce(peer: Peer, image: string): Promise<void> {
  const id = await startPod(peer, image);
  await peer.call("DELETE", `/pods/${id}?force=true&timeout=0`);
}

/** Podman's server forgets no name that its down has not taken: both are asked for the same. */
async function playOnce(peer: Peer, image: string): Promise<void> {
  const containers = Array.from({ length: PLAYED }, (_, index) => ({
    name: `c${index}`,
    image,
    imagePullPolicy: "Never",
    command: ["sleep", "1000"],
  }));
  const spec = { terminationGracePeriodSeconds: 0, containers };
  const document = { apiVersion: "v1", kind: "Pod", metadata: { name: "bench" }, spec };
  await peer.call("POST", "/play/kube", document);
  await peer.call("DELETE", "/play/kube", document);
}

async function startPod(peer: Peer, image: string): Promise<string> {
  const { Id } = JSON.parse(await peer.call("POST", "/pods/create", {}));
  await peer.call("POST", "/containers/create", { image, pod: Id, command: ["sleep", "1000"], stop_timeout: 0 });
  await peer.call("POST", `/pods/${Id}/start`);
  return Id;
}

/** Works on every item, a few at a time, and returns the results. */
async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.values();
  const worker = async () => {
    // All workers take from one iterator.
    for (const item of waiting) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
