/** The engine's own figures: counted as things happen, and gathered when somebody asks. */
import type { Containers } from "../containers/containers.ts";
import type { ContainerStats } from "../containers/stats.ts";
import type { Images } from "../images/images.ts";
import type { Networks } from "../networks/networks.ts";
import type { Pods } from "../pods/pods.ts";
import type { Volumes } from "../volumes/volumes.ts";
import { Counter, DurationHistogram } from "./counts.ts";

/** The counts of what happens in an engine. */
export class Metrics {
  /** Answers, by `operation` and `status`. */
  readonly requests = new Counter();
  /** The time until an answer began, by `operation`. */
  readonly requestTimes = new DurationHistogram();
  /** The time of the store's commits, by `outcome`: `done` or `failed`. */
  readonly commits = new DurationHistogram();
  /** Events, by `type` and `action`. */
  readonly events = new Counter();
}

/** The figures of an engine at one moment. */
export interface EngineFigures {
  readonly metrics: Metrics;
  /** The number of containers in each state. */
  readonly states: ReadonlyMap<string, number>;
  readonly images: number;
  readonly networks: number;
  readonly pods: number;
  readonly volumes: number;
  /** A look at each container that runs; none where there is no kernel. */
  readonly stats: readonly ContainerStats[];
}

/** The parts of an engine that {@linkcode gatherFigures} looks at. */
interface Measured {
  readonly metrics: Metrics;
  readonly containers: Containers;
  readonly images: Images;
  readonly networks: Networks;
  readonly pods: Pods;
  readonly volumes: Volumes;
}

/** Gathers what was counted, how much there is, and the resources of each container that runs. */
export async function gatherFigures(parts: Measured, hasHost: boolean): Promise<EngineFigures> {
  const { metrics, containers, images, networks, pods, volumes } = parts;
  const states = new Map<string, number>();
  for (const { state } of containers.list({ all: true })) states.set(state.status, (states.get(state.status) ?? 0) + 1);
  return {
    ...{ metrics, states },
    images: images.list().length,
    networks: networks.list().length,
    pods: pods.list().length,
    volumes: volumes.list().length,
    stats: hasHost ? await readStats(containers) : [],
  };
}

async function readStats(containers: Containers): Promise<ContainerStats[]> {
  for await (const stats of containers.watchStats({ interval: 1 })) return stats;
  return [];
}
