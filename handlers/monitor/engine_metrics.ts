import { VERSION } from "../../lib/engine/info.ts";
import type { ContainerStats } from "../../lib/engine/containers/stats.ts";
import type { Counter, DurationHistogram } from "../../lib/engine/metrics/counts.ts";
import type { EngineFigures } from "../../lib/engine/metrics/metrics.ts";
import type { Metric, Sample } from "../wire/monitor/open_metrics.ts";

/** Names an engine's figures as metrics. */
export function engineMetrics({ metrics, states, images, networks, pods, volumes, stats }: EngineFigures): Metric[] {
  return [
    {
      ...{ name: "gantry_build", type: "info", help: "The version that serves." },
      samples: [{ suffix: "_info", labels: { version: VERSION }, value: 1 }],
    },
    {
      ...{ name: "gantry_containers", type: "gauge", help: "Containers by state." },
      samples: [...states].map(([state, value]) => ({ labels: { state }, value })),
    },
    amountMetric("gantry_images", "Images.", images),
    amountMetric("gantry_networks", "Networks.", networks),
    amountMetric("gantry_pods", "Pods.", pods),
    amountMetric("gantry_volumes", "Volumes.", volumes),
    ...usageMetrics(stats),
    countMetric("gantry_requests", "Answers by operation and status.", metrics.requests),
    durationMetric("gantry_request_seconds", "Time until an answer began, by operation.", metrics.requestTimes),
    durationMetric("gantry_store_commit_seconds", "Time of the store's commits, by outcome.", metrics.commits),
    countMetric("gantry_events", "Events by the type of their subject and the action.", metrics.events),
  ];
}

function amountMetric(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [{ value }] };
}

function countMetric(name: string, help: string, counter: Counter): Metric {
  const samples = counter.read().map(({ labels, count }): Sample => ({ suffix: "_total", labels, value: count }));
  return { name, type: "counter", help, samples };
}

function durationMetric(name: `${string}_seconds`, help: string, histogram: DurationHistogram): Metric {
  const samples = histogram.read().flatMap(({ labels, ranges, sum }): Sample[] => {
    const buckets = ranges.map(({ bound, count }): Sample => {
      const le = bound === Infinity ? "+Inf" : String(bound);
      return { suffix: "_bucket", labels: { ...labels, le }, value: count };
    });
    const all = ranges[ranges.length - 1].count;
    return [...buckets, { suffix: "_count", labels, value: all }, { suffix: "_sum", labels, value: sum }];
  });
  return { name, type: "histogram", unit: "seconds", help, samples };
}

/** A metric of a container's resources, and how it is read from a look at it. */
interface UsageMetric extends Omit<Metric, "samples"> {
  read(usage: NonNullable<ContainerStats["usage"]>): number;
}

const USAGE_METRICS: readonly UsageMetric[] = [
  {
    ...{ name: "gantry_container_cpu_seconds", type: "counter", unit: "seconds" },
    help: "Processor time of a container since its start.",
    read: ({ cpu }) => cpu.total / 1e9,
  },
  {
    ...{ name: "gantry_container_memory_bytes", type: "gauge", unit: "bytes" },
    help: "Memory of a container, with the pages of files.",
    read: ({ memory }) => memory.current,
  },
  {
    ...{ name: "gantry_container_memory_limit_bytes", type: "gauge", unit: "bytes" },
    help: "The most memory that a container may have.",
    read: ({ memory }) => memory.limit,
  },
  {
    ...{ name: "gantry_container_processes", type: "gauge", help: "Processes of a container." },
    read: ({ pids }) => pids.current,
  },
];

function usageMetrics(stats: readonly ContainerStats[]): Metric[] {
  const looks = stats.flatMap(({ record: { id, name }, usage }) => usage ? [{ labels: { id, name }, usage }] : []);
  return USAGE_METRICS.map(({ read, ...about }) => ({
    ...about,
    samples: looks.map(({ labels, usage }): Sample => ({
      ...{ labels, value: read(usage) },
      ...about.type === "counter" && { suffix: "_total" as const },
    })),
  }));
}
