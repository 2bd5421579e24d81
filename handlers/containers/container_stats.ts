import type { ContainerStats } from "../../lib/engine/containers/stats.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { BlockEntry, ContainerUsage } from "../../lib/engine/ports/resource_port.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { type CPUStats, StatsJSON } from "../wire/compat/stats.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { wireTime } from "../wire/time.ts";
import { RequestError } from "../request_error.ts";

/** Seconds from sample to sample. */
const INTERVAL = 1;

/** How the trees differ. */
export interface StatsForm {
  /** How the ID is spelt. */
  idKey: "Id" | "id";
  /** The prefix of the name: Docker's clients take the first character off. */
  prefix: "" | "/";
  /** Take two samples where one is asked for, so that there is a time before: what Docker's clients count with. */
  primed: boolean;
  /** Tell the operating system, as Docker does from version 1.52 on. */
  tellsOS?: boolean;
}

/** The form of the native tree. */
export const NATIVE_STATS: StatsForm = { idKey: "Id", prefix: "", primed: false };

/** The form of Docker's tree. */
export const COMPAT_STATS: StatsForm = { idKey: "id", prefix: "/", primed: true };

/**
 * Samples one container: once, or every second until it ends. A container that does not run has one sample, of zeros. Each
 * sample holds
 * the processor's figures of the one before; the first of a stream has none.
 */
export async function containerStats(
  engine: Engine,
  name: string,
  { stream = true, "one-shot": oneShot = false }: { stream?: boolean; "one-shot"?: boolean },
  { signal }: Context,
  form: StatsForm,
): Promise<AsyncIterable<StatsJSON>> {
  if (stream && oneShot) throw new RequestError("malformed", "invalid argument");
  const { id } = engine.containers.resolve(name);
  const first = await engine.containers.stats(id);
  if (first.usage === undefined || (!stream && (oneShot || !form.primed))) {
    return yieldOnce(viewSample(first, undefined, form));
  }
  const looks = engine.containers.watchStats({ names: [id], stream: true, interval: INTERVAL, signal });
  return (async function* () {
    let previous: ContainerStats | undefined;
    try {
      for await (const [next] of looks) {
        // The container exited while we sampled it: end the stream.
        if (next?.usage === undefined) return;
        if (stream || previous) yield viewSample(next, previous, form);
        if (!stream && previous) return;
        previous = next;
      }
    } catch {
      // It was removed.
    }
  })();
}

async function* yieldOnce<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function viewSample(
  stats: ContainerStats,
  previous: ContainerStats | undefined,
  { idKey, prefix, tellsOS }: StatsForm,
): StatsJSON {
  const { record, usage } = stats;
  const own = { name: `${prefix}${record.name}`, [idKey]: record.id, ...tellsOS && { os_type: "linux" } };
  if (usage === undefined) return emit(StatsJSON, own);
  const { memory, pids } = usage;
  return emit(StatsJSON, {
    ...own,
    read: wireTime(usage.time),
    preread: wireTime(previous?.usage?.time),
    pids_stats: { current: pids.current, limit: pids.limit },
    blkio_stats: {
      io_service_bytes_recursive: viewBlocks(usage.blockBytes),
      io_serviced_recursive: viewBlocks(usage.blockOperations),
    },
    cpu_stats: cpuStats(stats, usage),
    precpu_stats: previous?.usage && cpuStats(previous, previous.usage),
    memory_stats: {
      usage: memory.current,
      max_usage: memory.max,
      stats: memory.details,
      failcnt: memory.failures,
      limit: memory.limit,
    },
    networks: viewNetworks(usage),
  });
}

function cpuStats({ cpuPercent }: ContainerStats, { cpu, systemCPU, onlineCPUs }: ContainerUsage): Sparse<CPUStats> {
  return {
    cpu_usage: {
      total_usage: cpu.total,
      percpu_usage: cpu.perCPU,
      usage_in_kernelmode: cpu.kernel,
      usage_in_usermode: cpu.user,
    },
    system_cpu_usage: systemCPU,
    online_cpus: onlineCPUs,
    cpu: cpuPercent,
    throttling_data: {
      periods: cpu.periods,
      throttled_periods: cpu.throttledPeriods,
      throttled_time: cpu.throttledTime,
    },
  };
}

/** The kernel of v1 adds a total per device, which Docker passes on. */
function viewBlocks(entries: readonly BlockEntry[]): BlockEntry[] {
  return entries.map((entry) => ({ ...entry, op: entry.op.toLowerCase() }));
}

function viewNetworks({ networks }: ContainerUsage): Sparse<StatsJSON["networks"]> {
  return networks && Object.fromEntries(
    Object.entries(networks).map(([name, one]) => [name, {
      rx_bytes: one.rxBytes,
      rx_packets: one.rxPackets,
      rx_errors: one.rxErrors,
      rx_dropped: one.rxDropped,
      tx_bytes: one.txBytes,
      tx_packets: one.txPackets,
      tx_errors: one.txErrors,
      tx_dropped: one.txDropped,
    }]),
  );
}
