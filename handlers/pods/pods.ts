import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError, reworded } from "../../lib/engine/errors.ts";
import { podRemovalError, type PodReport } from "../../lib/engine/pods/pod_report.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { splitArguments, streamTables } from "../containers/top.ts";
import { errorText } from "../images/pull_progress.ts";
import { implementFamily } from "../implement_family.ts";
import { parseFilters } from "../parse_filters.ts";
import { PartialFailure } from "../partial_failure.ts";
import { emit } from "../wire/emit.ts";
import { PodChangeReport, PodRmReport, PodRunReport, type PodStopQuery } from "../wire/pods/pod.ts";
import { podsAPI } from "./api.ts";
import { createPod } from "./create.ts";
import { podPruneHelper } from "./prune.ts";
import { streamPodStats } from "./stats.ts";
import { inspectPod, listPod } from "./view.ts";

/** The native pod operations over an engine. */
export function implementPods(engine: Engine): Implementation {
  const { pods } = engine;
  return implementFamily(podsAPI, {
    PodCreate: (generator, { signal }) => createPod(engine, generator, signal),
    Pods: ({ filters }) => pods.list(parseFilters(filters, "malformed")).map((pod) => listPod(engine, pod)),
    PodPrune: () => podPruneHelper(engine),
    PodStats: (query, context) => streamPodStats(engine, query, context),
    PodInspect: (name) => inspectPod(engine, pods.resolve(name)),
    PodExists: (name) => void pods.resolve(name),
    PodStart: async (name) => runReport(await pods.start(name), "starting"),
    PodStop: async (name, query) => runReport(await pods.stop(name, { timeout: stopTime(query) }), "stopping"),
    PodRestart: async (name) => changeReport(await pods.restart(name), "restarting"),
    PodKill: async (name, { signal }) => changeReport(await killPod(engine, name, signal)),
    PodPause: async (name) => changeReport(await pods.pause(name), "pausing"),
    PodUnpause: async (name) => changeReport(await pods.unpause(name), "unpausing"),
    PodTop: (name, { ps_args: args = "", ...query }, { signal }) =>
      streamTables(() => pods.top(name, topWords(args)), { ...query, signal }),
    PodDelete: async (name, { force, timeout }) => {
      const { pod, failures, removed } = await pods.remove(name, { force, timeout });
      if (failures.size > 0) throw podRemovalError(pod, failures);
      return emit(PodRmReport, { Id: pod.id, RemovedCtrs: Object.fromEntries(removed.map((id) => [id, null])) });
    },
  });
}

/** Seconds that each container gets to stop; `undefined`: its own. */
function stopTime({ t = 0, timeout = -1 }: PodStopQuery): number | undefined {
  if (t > 0) return t;
  return timeout >= 0 ? timeout : undefined;
}

/** The report of a start or a stop; 409 where containers failed. */
function runReport(report: PodReport, verb: string): PodRunReport {
  const { id: Id, name: RawInput } = report.pod;
  return unlessFailed(report, emit(PodRunReport, { Id, RawInput, Errs: failureTexts(report, verb) }));
}

/** The report of another change; 409 where containers failed. */
function changeReport(report: PodReport, verb?: string): PodChangeReport {
  return unlessFailed(report, emit(PodChangeReport, { Id: report.pod.id, Errs: failureTexts(report, verb) }));
}

function unlessFailed<R extends Record<string, unknown>>({ failures }: PodReport, report: R): R {
  if (failures.size > 0) throw new PartialFailure(report);
  return report;
}

function failureTexts({ failures }: PodReport, verb?: string): string[] | null {
  if (failures.size === 0) return null;
  return [...failures].map(([id, error]) => {
    return verb === undefined ? errorText(error) : `${verb} container ${id}: ${errorText(error)}`;
  });
}

async function killPod({ pods }: Engine, name: string, signal: string | undefined): Promise<PodReport> {
  try {
    return await pods.kill(name, { signal });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "invalid") throw error;
    throw reworded(error, `unable to parse signal value: ${error.message}`);
  }
}

/** Podman's descriptors with commas between them, or arguments of ps(1). */
function topWords(text: string): string[] {
  if (text.startsWith("-")) return splitArguments(text);
  return text.split(",").filter((word) => word !== "");
}
