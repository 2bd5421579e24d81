import type { TestRegistry } from "../../tests/fixtures/images/registry.ts";
import { buildLines } from "./build_lines.ts";
import { containerLines } from "./container_lines.ts";
import { buildkitLines } from "./docker_tree/buildkit_lines.ts";
import { fileLines } from "./docker_tree/file_lines.ts";
import { lifeLines } from "./docker_tree/life_lines.ts";
import { memoryLines } from "./docker_tree/memory_lines.ts";
import { requestLines } from "./docker_tree/request_lines.ts";
import { sandboxLines } from "./docker_tree/sandbox_lines.ts";
import { growthLines } from "./growth/growth_lines.ts";
import { imageLines } from "./image_lines.ts";
import { networkLines } from "./network_lines.ts";
import { type Peer, pullImage } from "./peers.ts";
import { podLines } from "./pod_lines.ts";
import { streamLines } from "./stream_lines.ts";
import { volumeLines } from "./volume_lines.ts";

/** One measured line: the same work on both peers, in the unit given; `higher` says which way is better. */
export interface Line {
  what: string;
  unit: string;
  higher: boolean;
  gantry: number;
  podman?: number;
  /** Where Docker's daemon does the same work. */
  docker?: number;
  /** A bare server of `node:http`, where no more than that is measured: what every server on it costs. */
  floor?: number;
  /** Gantry's own figure with 100 things, where the line has its figure with more of them. */
  before?: number;
  /** The ratio DESIGN.md section 6 aims at. */
  aim?: number;
}

/** The servers and images that every group of lines works with. */
export interface Bench {
  gantry: Peer;
  podman: Peer;
  /** Docker's daemon, where there is one: the groups over Docker's tree measure it too. */
  docker?: Peer;
  /** A server of `node:http` that does nothing. */
  bare: Peer;
  /** The host of the registry that has the images. */
  registry: string;
  /** Starts another registry, with nothing in it: where images are pushed to. */
  emptyRegistry: () => Promise<TestRegistry>;
  /** A small image that both servers have. */
  image: string;
  counts: { cycles: number; containers: number; repeats: number; running: number };
}

/** The servers that are there, by their names. */
export function peersOf({ gantry, podman, docker }: Bench): Record<"gantry" | "podman" | "docker", Peer> {
  // Docker's may be missing; a line says so by having none.
  return { gantry, podman, ...docker && { docker } } as Record<"gantry" | "podman" | "docker", Peer>;
}

const GROUPS: Record<string, (bench: Bench) => AsyncGenerator<Line>> = {
  memory: memoryLines,
  images: imageLines,
  containers: containerLines,
  streams: streamLines,
  requests: requestLines,
  lives: lifeLines,
  files: fileLines,
  sandboxes: sandboxLines,
  volumes: volumeLines,
  networks: networkLines,
  pods: podLines,
  builds: buildLines,
  buildkit: buildkitLines,
  growth: growthLines,
};

/** The names of the groups of lines, each of which can run alone. */
export const ENGINE_GROUPS: readonly string[] = Object.keys(GROUPS);

/** The groups that run only where they are named: they take many minutes, and have no peers. */
export const NAMED_GROUPS: readonly string[] = ["growth"];

/** The groups that measure Docker's daemon too. */
export const DOCKER_GROUPS: readonly string[] = [
  ...["memory", "requests", "lives", "files", "sandboxes", "builds", "buildkit"],
];

/** Measures what `DESIGN.md` section 6 names, on both peers in turn: all groups of lines, or those that are named. */
export async function* engineLines(
  options: Omit<Bench, "image">,
  groups: readonly string[] = ENGINE_GROUPS,
): AsyncGenerator<Line> {
  const bench = { ...options, image: `${options.registry}/bench/busybox:latest` };
  const peers = [bench.gantry, bench.podman];
  try {
    for (const peer of peers) await pullImage(peer, bench.image);
    for (const group of groups) yield* GROUPS[group](bench);
  } finally {
    // A failure here would hide the one that led here.
    for (const peer of peers) await clearPeer(peer).catch((error) => console.error(`Clear ${peer.name}: ${error}`));
  }
}

/** Removes every container and network: their interfaces would outlive the servers, and be in the way of the next run. */
async function clearPeer(peer: Peer): Promise<void> {
  const containers: { Id: string }[] = JSON.parse(await peer.call("GET", "/containers/json?all=true"));
  for (const { Id } of containers) await peer.call("DELETE", `/containers/${Id}?force=true&timeout=0`);
  await peer.call("POST", "/networks/prune");
}
