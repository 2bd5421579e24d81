import type { Engine } from "../../lib/engine/engine.ts";
import { errorText } from "../images/pull_progress.ts";
import { emit } from "../wire/emit.ts";
import { PodPruneReport } from "../wire/pods/pod.ts";

/** Removes the pods that ran and run no more: for the prune of pods and for that of the system (`PodPruneHelper`). */
export async function podPruneHelper(engine: Engine): Promise<PodPruneReport[]> {
  const reports = await engine.pods.prune();
  return reports.map(({ id, error }) => emit(PodPruneReport, { Id: id, Err: error && errorText(error) }));
}
