import type { Engine } from "../../lib/engine/engine.ts";
import type { ContainerRecord, PortMapping } from "../../lib/engine/records/container_record.ts";
import type { ListOptions } from "../../lib/engine/containers/options.ts";
import type { ImageRecord } from "../../lib/engine/records/image_record.ts";
import type { PodRecord } from "../../lib/engine/records/pod_record.ts";
import { parseFilters } from "../parse_filters.ts";
import type { ListContainer } from "../wire/containers/container.ts";
import type { ListContainersQuery } from "../wire/containers/container_query.ts";
import type { z } from "../wire/zod.ts";
import { listContainer } from "./view/list_container.ts";

/** Lists containers, oldest first: clients show them as they come. */
export async function listContainers(
  engine: Engine,
  query: z.output<typeof ListContainersQuery>,
): Promise<ListContainer[]> {
  const records = engine.containers.list(listOptions(query)).reverse();
  const image = imagesOf(engine);
  if (!query.size && !query.namespace) return records.map((record) => plainEntry(engine, record, image(record)));
  return await Promise.all(records.map(async (record) => {
    return listContainer(record, image(record), {
      rwSize: query.size ? await engine.containers.size(record.id) : undefined,
      ...podFacts(engine, record),
      health: engine.containers.health(record.id)?.status,
      namespaces: query.namespace ? engine.containers.namespaces(record.id) : undefined,
    });
  }));
}

/** Entries as they were shown last: a record never changes, and most of a list are the same as the last time. */
const shown = new WeakMap<ContainerRecord, { image?: ImageRecord; health?: string; entry: ListContainer }>();

function plainEntry(engine: Engine, record: ContainerRecord, image: ImageRecord | undefined): ListContainer {
  if (record.spec.pod !== undefined) return podEntry(engine, record, image);
  const health = engine.containers.health(record.id)?.status;
  const last = shown.get(record);
  if (last && last.image === image && last.health === health) return last.entry;
  const entry = listContainer(record, image, { health });
  shown.set(record, { image, health, entry });
  return entry;
}

/** An entry that tells what other records hold, too. */
function podEntry(engine: Engine, record: ContainerRecord, image: ImageRecord | undefined): ListContainer {
  const health = engine.containers.health(record.id)?.status;
  return listContainer(record, image, { ...podFacts(engine, record), health });
}

/** The pod of a container, and the ports that lead to it: those of the infra container where it shares its network. */
function podFacts({ pods }: Engine, { spec }: ContainerRecord): { pod?: PodRecord; ports?: readonly PortMapping[] } {
  if (spec.pod === undefined || !pods.exists(spec.pod)) return {};
  const pod = pods.resolve(spec.pod);
  const { mode, value } = spec.namespaces.network;
  const isShared = mode === "container" && value === pod.infraID;
  return { pod, ...isShared && { ports: pods.infraOf(pod)?.ports } };
}

/** Returns the options of a list, for both trees. A count that is not positive sets no limit. */
export function listOptions(
  { all, last, limit, filters }: { all?: boolean; last?: number; limit?: number; filters?: string },
): ListOptions {
  const count = Math.max(last ?? 0, limit ?? 0);
  return { all, filters: parseFilters(filters), ...(count > 0 && { last: count }) };
}

/** Looks images up by the containers made of them. */
export function imagesOf(engine: Engine): (record: ContainerRecord) => ImageRecord | undefined {
  const byID = new Map(engine.images.list().map((image) => [image.id, image]));
  return ({ imageID }) => byID.get(imageID);
}
