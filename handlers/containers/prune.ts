import type { ContainerRecord } from "../../lib/engine/records/container_record.ts";
import { inParallel } from "../../lib/engine/concurrency.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { errorText } from "../images/pull_progress.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import type { Filters } from "../wire/query.ts";
import { RequestError } from "../request_error.ts";

/** The outcome of a prune for one container. */
export interface Pruned {
  id: string;
  size: number;
  error?: Error;
}

/** Removals at once. */
const AT_ONCE = 8;

/** Others would be too easy to get wrong for what cannot be undone. */
const FILTERS = ["label", "label!", "until"];

/** Removes the containers that fit and do not run. One that cannot go does not keep the others. */
export async function pruneContainers(engine: Engine, filters: Filters = {}): Promise<Pruned[]> {
  const unknown = Object.keys(filters).find((key) => !FILTERS.includes(key));
  if (unknown !== undefined) throw new RequestError("invalid", `${unknown} is an invalid filter`);
  const ended = engine.containers.list({ all: true, filters }).filter((record) =>
    isIdle(record) && !engine.containers.awaitsRestart(record)
  );
  const sizes = await engine.system.writableSizes(ended.map(({ id }) => id));
  return await inParallel(ended, AT_ONCE, async ({ id }, index) => {
    const size = sizes[index];
    try {
      await engine.containers.remove(id, { restartingRuns: true });
      return { id, size };
    } catch (error) {
      return { id, size: 0, error: error instanceof Error ? error : new Error(String(error)) };
    }
  });
}

/** The containers of a pod go with it. */
function isIdle({ spec, state: { status } }: ContainerRecord): boolean {
  if (spec.pod !== undefined) return false;
  return status === "created" || status === "initialized" || status === "exited";
}

/** The outcome of a prune for one container, as both the prune of containers and that of the system tell it. */
export function pruneReport({ id, size, error }: Pruned): PruneReport {
  return emit(PruneReport, { Id: id, Size: size, Err: error && errorText(error) });
}
