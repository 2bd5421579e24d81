import type { Engine } from "../../lib/engine/engine.ts";
import type { ContainerRecord } from "../../lib/engine/records/container_record.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { keepUntilChange } from "../keep_answer.ts";
import { isUserNetwork } from "../../lib/engine/records/user_network.ts";
import { isBefore } from "../path_version.ts";
import type { InspectContainerData } from "../wire/containers/container_inspect.ts";
import { imagesOf } from "./list.ts";
import { inspectContainer, type InspectFacts } from "./view/inspect_container.ts";

/** Tells all there is to know of a container. */
export async function getContainer(
  engine: Engine,
  name: string,
  { size = false, version }: { size?: boolean; version?: string },
): Promise<InspectContainerData> {
  const record = engine.containers.resolve(name);
  return inspectContainer(record, await inspectFacts(engine, record, size), isBefore(version, 5, 0));
}

/** Promises that an inspection is right until a record changes, unless it tells sizes, or interfaces that are not the engine's. */
export function keepInspection(
  engine: Engine,
  context: Pick<Context, "request" | "platform">,
  { name, size = false }: { name: string; size?: boolean },
): void {
  const record = engine.containers.resolve(name);
  const { spec } = joinedNetwork(engine, record)?.record ?? record;
  if (!size && spec.namespaces.network.mode !== "path") keepUntilChange(engine, context);
}

/** Gathers the facts that an inspection tells besides the record, in either tree. */
export async function inspectFacts(engine: Engine, record: ContainerRecord, size: boolean): Promise<InspectFacts> {
  const { containers, volumes } = engine;
  const network = joinedNetwork(engine, record);
  return {
    image: imagesOf(engine)(record),
    network,
    runtime: record.spec.runtime ?? await containers.runtime(),
    facts: containers.facts(record.id),
    rwSize: size ? await containers.size(record.id) : undefined,
    volumePath: (volume) => volumes.mountpoint(volume),
    execIDs: containers.execs.of(record.id).map(({ id }) => id),
    health: containers.health(record.id),
    isService: engine.pods.isService(record.id),
    networkID: networkIDs(engine),
    joined: await joinedInterfaces(engine, network?.record ?? record),
  };
}

/** The interfaces of a namespace that is no network's; none are told where it cannot be read, as in Podman. */
async function joinedInterfaces(
  { networks }: Engine,
  { spec, state }: ContainerRecord,
): Promise<InspectFacts["joined"]> {
  const { mode, value = "" } = spec.namespaces.network;
  if (isUserNetwork(mode)) return state.network?.interfaces;
  if (mode !== "path" || state.pid === 0) return undefined;
  return await networks.interfacesIn(value).catch(() => undefined);
}

/** The container whose network a container joins, which may join another one's again; `undefined` for a network of its own. */
function joinedNetwork(engine: Engine, { spec }: ContainerRecord): InspectFacts["network"] {
  const { mode, value } = spec.namespaces.network;
  if (mode !== "container" || value === undefined || !engine.containers.exists(value)) return undefined;
  const record = engine.containers.resolve(value);
  return joinedNetwork(engine, record) ?? { record, image: imagesOf(engine)(record) };
}

/** Looks IDs of networks up; a network that is gone has none. */
export function networkIDs({ networks }: Engine): (name: string) => string {
  const byName = new Map(networks.list().map(({ name, id }) => [name, id]));
  return (name) => byName.get(name) ?? "";
}
