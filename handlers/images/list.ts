import type { Engine } from "../../lib/engine/engine.ts";
import type { ImageRecord } from "../../lib/engine/image_record.ts";
import type { Filters } from "../wire/query.ts";
import { imageFilter } from "./filters.ts";

/** The images that fit, each with how many containers are made of it. */
export function listImages(engine: Engine, filters: Filters = {}): { image: ImageRecord; containers: number }[] {
  const counts = new Map<string, number>();
  for (const { imageID } of engine.containers.list({ all: true })) counts.set(imageID, (counts.get(imageID) ?? 0) + 1);
  const containers = (id: string) => counts.get(id) ?? 0;
  const fits = imageFilter(filters, { now: Date.now(), resolve: (name) => engine.images.resolve(name), containers });
  return engine.images.list().filter(fits).map((image) => ({ image, containers: containers(image.id) }));
}
