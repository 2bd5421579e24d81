import type { ContainerRecord } from "../../lib/engine/records/container_record.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { parseFilters } from "../parse_filters.ts";
import { RequestError } from "../request_error.ts";

/** The outcome of a prune for one container. */
export interface Pruned {
  id: string;
  size: number;
  error?: Error;
}

/** Others would be too easy to get wrong for what cannot be undone. */
const FILTERS = ["label", "label!", "until"];

/** Removes the containers that fit and do not run. One that cannot go does not keep the others. */
export async function pruneContainers(engine: Engine, query: { filters?: string }): Promise<Pruned[]> {
  const filters = parseFilters(query.filters) ?? {};
  const unknown = Object.keys(filters).find((key) => !FILTERS.includes(key));
  if (unknown !== undefined) throw new RequestError("invalid", `${unknown} is an invalid filter`);
  const ended = engine.containers.list({ all: true, filters }).filter(isIdle);
  return await Promise.all(ended.map(async ({ id }) => {
    const size = await engine.containers.size(id).catch(() => 0);
    try {
      await engine.containers.remove(id);
      return { id, size };
    } catch (error) {
      return { id, size: 0, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }));
}

function isIdle({ state: { status } }: ContainerRecord): boolean {
  return status === "created" || status === "initialized" || status === "exited";
}
