import type { Engine } from "../../lib/engine/engine.ts";
import { errorText } from "../images/pull_progress.ts";
import { emit } from "../wire/emit.ts";
import { PodPruneReport } from "../wire/pods/pod.ts";
import type { Filters } from "../wire/query.ts";

/**
 * Removes the pods that ran and run no more: for the prune of pods and for that of the system, whose filters hold for pods, too
 * (`PodPruneHelper`).
 */
export async function podPruneHelper(engine: Engine, filters?: Filters): Promise<PodPruneReport[]> {
  const reports = await engine.pods.prune(filters);
  return reports.map(({ id, error }) => emit(PodPruneReport, { Id: id, Err: error && errorText(error) }));
}
