import { join } from "node:path";
import type { ContainerRecord } from "../../engine/records/container_record.ts";
import { EngineError } from "../../engine/errors.ts";
import type { ContainerFacts } from "../../engine/ports/host_facts.ts";
import { checkpointFolder, containerPaths, type HostPaths } from "./helpers/paths.ts";
import { containerCapabilities } from "./bundle/capabilities.ts";
import { hiddenPaths } from "./bundle/confinement.ts";

/** Names who starts as root without a look into the container's tree, where other names are resolved. */
const ROOT = /^(?:root|0*)(?::|$)/;

/**
 * Tells of a container.
 *
 * @param own The capabilities this process has
 */
function containerFacts(paths: HostPaths, own: ReadonlySet<string>, record: ContainerRecord): ContainerFacts {
  const container = containerPaths(paths, record.id);
  const { network } = record.spec.namespaces;
  // Containers that share a network share the files that describe it.
  const shared = network.mode === "container" && network.value ? containerPaths(paths, network.value) : container;
  const { noHosts, noResolvConf } = record.spec;
  return {
    folder: container.storage,
    checkpoint: join(checkpointFolder(paths, record.id), "checkpoint"),
    config: container.config,
    pidFile: container.pidFile,
    conmonPidFile: container.conmonPidFile,
    resolvConf: noResolvConf ? "" : shared.resolvConf,
    hostname: container.hostname,
    hosts: noHosts ? "" : shared.hosts,
    tree: {
      lower: record.diffIDs.map((diffID) => join(paths.layers, diffID.slice("sha256:".length), "diff")).reverse(),
      upper: join(container.storage, "upper"),
      work: join(container.storage, "work"),
      merged: join(container.storage, "merged"),
    },
    hidden: hiddenPaths(record.spec),
    capabilities: findCapabilities(own, record),
  };
}

/** As {@linkcode containerFacts}; a record never changes, and nothing else is asked. */
export function rememberedFacts(
  paths: HostPaths,
  own: ReadonlySet<string>,
): (record: ContainerRecord) => ContainerFacts {
  const known = new WeakMap<ContainerRecord, ContainerFacts>();
  return (record) => {
    const facts = known.get(record) ?? containerFacts(paths, own, record);
    known.set(record, facts);
    return facts;
  };
}

function findCapabilities(
  own: ReadonlySet<string>,
  { spec, process }: ContainerRecord,
): ContainerFacts["capabilities"] {
  try {
    const { effective, bounding } = containerCapabilities(spec, own, ROOT.test(process.user) ? 0 : 1, () => {});
    return { effective, bounding };
  } catch (error) {
    // A name that is none: the start will say so.
    if (error instanceof EngineError) return { effective: [], bounding: [] };
    throw error;
  }
}
