import type { ContainerStats } from "../../lib/engine/containers/stats.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError, reworded } from "../../lib/engine/errors.ts";
import type { PodStats } from "../../lib/engine/pods/pod_report.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { humanSize } from "../human_size.ts";
import { pauseBetween } from "../pause_between.ts";
import { RequestError } from "../request_error.ts";
import { usageFigures } from "../usage_figures.ts";
import { emit } from "../wire/emit.ts";
import { type PodStatsQuery, PodStatsReport } from "../wire/pods/pod.ts";

const SECOND = 1000;

/** The figures of a container without a control group, as `stats` of containers tells them. */
const NOTHING_COUNTS = { used: 0, limit: 0, percent: 0, received: 0, sent: 0, read: 0, written: 0, pids: 0 };

/** Podman's text for figures that are not known. */
const NONE = "--";

/** Reports what the containers of pods use: once, or over and over for a stream. An error at once is a status. */
export async function streamPodStats(
  engine: Engine,
  { namesOrIDs: names = [], all = false, stream = false, delay = 5 }: PodStatsQuery,
  { signal }: Context,
): Promise<AsyncIterable<PodStatsReport[]>> {
  if (all && names.length > 0) {
    throw new RequestError("refused", "--all, --latest and arguments cannot be used together");
  }
  if (delay < 1) throw new RequestError("malformed", `"delay" parameter of value ${delay} < 1`);
  let last = new Map<string, ContainerStats>();
  const look = async () => {
    const pods = await readStats(engine, names, last);
    const looks = pods.flatMap(({ containers }) => containers);
    last = new Map(looks.map((one) => [one.record.id, one]));
    return pods.flatMap(viewPodStats);
  };
  const first = await look();
  return (async function* () {
    yield first;
    while (stream && await pauseBetween(delay * SECOND, signal)) {
      try {
        yield await look();
      } catch {
        // A pod has gone: the answer has begun, and can only end.
        return;
      }
    }
  })();
}

async function readStats(
  { pods }: Engine,
  names: readonly string[],
  last: ReadonlyMap<string, ContainerStats>,
): Promise<PodStats[]> {
  try {
    return await pods.stats(names, last);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_pod") throw error;
    throw reworded(error, `unable to get list of pods: ${error.message}`);
  }
}

function viewPodStats({ pod, containers }: PodStats): PodStatsReport[] {
  return containers.map((look) => {
    const { used, limit, percent, received, sent, read, written, pids } = look.usage === undefined
      ? NOTHING_COUNTS
      : usageFigures(look.usage);
    return emit(PodStatsReport, {
      CPU: percentText(look.cpuPercent),
      MemUsage: pairText(used, limit, humanSize),
      MemUsageBytes: pairText(used, limit, binarySize),
      Mem: percentText(percent),
      NetIO: pairText(received, sent, humanSize),
      BlockIO: pairText(read, written, humanSize),
      PIDS: pids === 0 ? NONE : String(pids),
      Pod: pod.id.slice(0, 12),
      CID: look.record.id.slice(0, 12),
      Name: look.record.name,
    });
  });
}

function percentText(value: number): string {
  return `${value.toFixed(2)}%`;
}

function pairText(first: number, second: number, text: (bytes: number) => string): string {
  return first === 0 && second === 0 ? `${NONE} / ${NONE}` : `${text(first)} / ${text(second)}`;
}

/** Four digits and a unit of 1024: `2.139MiB`. */
function binarySize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${Number(size.toPrecision(4))}${units[unit]}`;
}
