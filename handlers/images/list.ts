import type { Engine } from "../../lib/engine/engine.ts";
import type { ImageRecord } from "../../lib/engine/records/image_record.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { keepUntilChange } from "../keep_answer.ts";
import type { ImageSummary } from "../wire/images/image.ts";
import type { Filters } from "../wire/query.ts";
import { parseFilters } from "../parse_filters.ts";
import { imageFilter } from "./filters.ts";
import { imageSummary } from "./view.ts";

/** The query of a list. */
export interface ListQuery {
  /** Show images that are only there because others were built on them. */
  all?: boolean;
  /** JSON. */
  filters?: string;
  /** A name's pattern, as Docker's oldest clients ask. */
  filter?: string;
}

/** The images that fit, the newest first. */
export function listImages(engine: Engine, { all = false, filters, filter }: ListQuery): ImageRecord[] {
  const parsed = parseFilters(filters) ?? {};
  const asked = filter === undefined ? parsed : { ...parsed, reference: [filter] };
  const isPlain = all || asked.intermediate?.includes("true");
  return selectImages(engine, isPlain ? asked : { ...asked, intermediate: ["false"] })(engine.images.list());
}

/** Promises that a list is right until a record changes; filters may look at the time. */
export function keepList(engine: Engine, context: Pick<Context, "request" | "platform">, query: ListQuery): void {
  if (query.filters === undefined && query.filter === undefined) keepUntilChange(engine, context);
}

/** Takes those of the images that fit, as they stand to each other. */
export function selectImages(
  engine: Engine,
  filters: Filters,
): (images: readonly Readonly<ImageRecord>[]) => Readonly<ImageRecord>[] {
  return (images) => {
    const counts = containersOf(engine);
    return images.filter(imageFilter(filters, {
      now: Date.now(),
      relations: engine.images.relations,
      resolve: (name) => engine.images.resolve(name),
      containers: (id) => counts.get(id) ?? 0,
    }));
  };
}

/** Makes summaries of images, all of the same moment. */
export function summaryOf(engine: Engine): (image: ImageRecord) => ImageSummary {
  const relations = engine.images.relations;
  const counts = containersOf(engine);
  return (image) => imageSummary(image, { relations, containers: counts.get(image.id) ?? 0 });
}

function containersOf(engine: Engine): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { imageID } of engine.containers.list({ all: true })) counts.set(imageID, (counts.get(imageID) ?? 0) + 1);
  return counts;
}
