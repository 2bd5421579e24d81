import type { Engine } from "../../../lib/engine/engine.ts";
import { readUntil } from "../../../lib/engine/text/list_filters.ts";
import { RequestError } from "../../request_error.ts";
import type { CachePruneReport, PruneBuildQuery } from "../../wire/system/prune.ts";

const FILTERS = ["id", "until", "unused-for"];
/** Filters of a prune of everything, which the CLI sends on to each part. */
const LABELS = ["label", "label!"];

/** Forgets steps of builds and removes the folders of their cache mounts, and says what that has freed. Without `all` those go that no image needs. */
export async function pruneBuild(engine: Engine, query: PruneBuildQuery): Promise<CachePruneReport> {
  const { all, filters = {} } = query;
  const unknown = Object.keys(filters).find((name) => ![...FILTERS, ...LABELS].includes(name));
  if (unknown !== undefined) {
    throw new RequestError("invalid", `${unknown} is an invalid filter: the build cache has ${FILTERS.join(", ")}`);
  }
  if (query["min-free-space"]) {
    throw new RequestError("unsupported", "min-free-space is not supported: use reserved-space or max-used-space");
  }
  // Nothing of the cache has a label.
  if (filters.label?.length) return { CachesDeleted: [], SpaceReclaimed: 0 };
  const until = filters.until ?? filters["unused-for"];
  const { items, bytes } = await engine.builds.prune({
    all,
    ...filters.id && { ids: filters.id },
    ...until && { unusedSince: readUntil(until, Date.now()) },
    keep: Math.max(query["reserved-space"] ?? query["keep-storage"] ?? 0, query["max-used-space"] ?? 0),
  });
  return { CachesDeleted: items.map(({ id }) => id), SpaceReclaimed: bytes };
}
