import type { Engine } from "../../lib/engine/engine.ts";
import { isBefore } from "../path_version.ts";
import type { InspectContainerData } from "../wire/containers/container_inspect.ts";
import { imagesOf } from "./list.ts";
import { inspectContainer } from "./view/inspect_container.ts";

/** Tells all there is to know of a container. */
export async function getContainer(
  engine: Engine,
  name: string,
  { size = false, version }: { size?: boolean; version?: string },
): Promise<InspectContainerData> {
  const record = engine.containers.resolve(name);
  const rwSize = size ? await engine.containers.size(record.id) : undefined;
  return inspectContainer(record, {
    image: imagesOf(engine)(record),
    runtime: await engine.containers.runtime(),
    facts: engine.containers.facts(record.id),
    rwSize,
    volumePath: (volume) => engine.volumes.exists(volume) ? engine.volumes.resolve(volume).mountpoint : "",
    execIDs: engine.containers.execs.of(record.id).map(({ id }) => id),
    health: engine.containers.health(record.id),
    networkID: networkIDs(engine),
    legacy: isBefore(version, 5, 0),
  });
}

/** Looks IDs of networks up; a network that is gone has none. */
export function networkIDs({ networks }: Engine): (name: string) => string {
  const byName = new Map(networks.list().map(({ name, id }) => [name, id]));
  return (name) => byName.get(name) ?? "";
}
