import { parseBoolean } from "../../lib/engine/text/list_filters.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { RemoveImageReport } from "../../lib/engine/images/types.ts";
import { badParameter } from "../errors.ts";
import { parseFilters } from "../parse_filters.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import type { PruneImagesQuery } from "../wire/images/image_query.ts";
import type { Filters } from "../wire/query.ts";
import { selectImages } from "./list.ts";

/**
 * Removes images no container uses: those without a name, or all of them; and the folders of builds' cache mounts, where asked. Containers of
 * other programs, which `external` is about, there are none in this store.
 */
export async function pruneImages(
  engine: Engine,
  { all, buildcache, filters }: PruneImagesQuery,
): Promise<PruneReport[]> {
  const { all: inFilters, dangling: _dangling, ...others } = parseFilters(filters) ?? {};
  const whole = inFilters === undefined ? all : parseFlag(inFilters[0]);
  const pruned = await prune(engine, whole ? others : { ...others, dangling: ["true"] });
  if (buildcache) {
    const mounts = (await engine.builds.cacheItems()).filter(({ kind }) => kind === "mount");
    // Podman tells its clients of images alone.
    await engine.builds.prune({ ids: mounts.map(({ id }) => id) });
  }
  return pruned.map(({ id, size }) => emit(PruneReport, { Id: id, Size: size }));
}

/** Removes the images that fit and that no container uses. */
export async function prune(engine: Engine, filters: Filters): Promise<RemoveImageReport["removed"]> {
  const fits = selectImages(engine, filters);
  // Filters that make no sense are told of before anything goes.
  fits(engine.images.list());
  return await engine.images.prune(fits);
}

function parseFlag(value = ""): boolean {
  const isSet = parseBoolean(value);
  if (isSet === undefined) throw badParameter("filters", value, "the value of all is not a boolean");
  return isSet;
}
