import type { Engine } from "../../lib/engine/engine.ts";
import type { ContainerStats as Stats } from "../../lib/engine/containers/stats.ts";
import type { InterfaceUsage } from "../../lib/engine/ports/resource_port.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { usageFigures } from "../usage_figures.ts";
import { isBefore } from "../path_version.ts";
import type { StatsQuery } from "../wire/containers/container_query.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { type ContainerStats, ContainerStatsReport } from "../wire/containers/stats.ts";
import { toNanoseconds } from "../wire/time.ts";

/** Seconds from report to report. */
const INTERVAL = 5;

/** Reports what several containers use. An error at once is a status; a later one ends the stream with a report. */
export async function streamStats(
  engine: Engine,
  { containers: names = [], stream = true, interval = INTERVAL, all = false }: StatsQuery,
  { signal, version }: Context,
): Promise<AsyncIterable<ContainerStatsReport>> {
  const looks = engine.containers.watchStats({ names, all, stream, interval, signal })[Symbol.asyncIterator]();
  const legacy = isBefore(version, 5, 0);
  const report = (stats: Stats[]) => {
    return emit(ContainerStatsReport, { Stats: stats.map((one) => containerStats(one, legacy)) });
  };
  let next = await looks.next();
  return (async function* (): AsyncGenerator<ContainerStatsReport> {
    while (!next.done) {
      yield report(next.value);
      try {
        next = await looks.next();
      } catch {
        // As Go writes an error: the client sees that there is one.
        yield { Error: {}, Stats: null };
        return;
      }
    }
  })();
}

function containerStats({ record, usage, cpuPercent, averageCPU }: Stats, legacy: boolean): Sparse<ContainerStats> {
  const { id: ContainerID, name: Name } = record;
  if (usage === undefined) return { ContainerID, Name, Network: null };
  const { cpu, networks } = usage;
  const figures = usageFigures(usage);
  return {
    ContainerID,
    Name,
    AvgCPU: averageCPU,
    CPU: cpuPercent,
    CPUNano: cpu.total,
    CPUSystemNano: cpu.kernel,
    SystemNano: toNanoseconds(usage.time),
    MemUsage: figures.used,
    MemLimit: figures.limit,
    MemPerc: figures.percent,
    Network: networks && Object.fromEntries(Object.entries(networks).map(([name, one]) => [name, networkStats(one)])),
    BlockInput: figures.read,
    BlockOutput: figures.written,
    PIDs: figures.pids,
    UpTime: cpu.total,
    Duration: cpu.total,
    ...legacy && { PerCPU: cpu.perCPU, NetInput: figures.received, NetOutput: figures.sent },
  };
}

function networkStats(usage: InterfaceUsage): Sparse<ContainerStats["Network"]> {
  const fields = Object.entries(usage).map(([name, value]) => [`${name[0]!.toUpperCase()}${name.slice(1)}`, value]);
  return Object.fromEntries(fields);
}
