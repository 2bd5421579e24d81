import type { Engine } from "../../lib/engine/engine.ts";
import { parseDuration } from "../../lib/engine/text/duration.ts";
import { badParameter } from "../errors.ts";
import { emit } from "../wire/emit.ts";
import { type SystemCheckQuery, SystemCheckReport } from "../wire/system/check.ts";

/** Checks the store, and mends what it may. The report is that of before; what was removed stands beside it. */
export async function checkSystem(
  engine: Engine,
  { quick, repair, repair_lossy: lossy, unreferenced_layer_max_age: age }: SystemCheckQuery,
  signal: AbortSignal,
): Promise<SystemCheckReport> {
  const unreferencedAge = age === undefined ? undefined : readAge(age);
  const report = await engine.system.check({ quick, repair, lossy, unreferencedAge, signal });
  const { layers, images, containers, removedLayers, removedImages, removedContainers } = report;
  return emit(SystemCheckReport, {
    Errors: layers.size + images.size + containers.size > 0,
    Layers: orNull(layers),
    RemovedLayers: removedLayers.length > 0 ? removedLayers : null,
    Images: orNull(images),
    RemovedImages: orNull(removedImages),
    Containers: orNull(containers),
    RemovedContainers: orNull(removedContainers),
  });
}

/** An empty map is `null` on the wire. */
function orNull<T>(map: ReadonlyMap<string, T>): Record<string, T> | null {
  return map.size > 0 ? Object.fromEntries(map) : null;
}

function readAge(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw badParameter("unreferenced_layer_max_age", text, error);
  }
}
