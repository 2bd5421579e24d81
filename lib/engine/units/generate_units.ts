/**
 * Generates units of systemd for containers and pods of an engine.
 *
 * @module
 */
import { dependenciesOf } from "../containers/dependencies.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { containerUnit, type UnitContainer } from "./container_unit.ts";
import { podIDFile, podUnit } from "./pod_unit.ts";
import { unitName, type UnitOptions, type UnitPlace } from "./unit_options.ts";

/** The parts of an engine that units are generated from. */
export type UnitSources = Pick<Engine, "containers" | "pods" | "info">;

/**
 * Writes the units of a container, or of a pod and its containers: texts by the names of services, without `.service`. Throws
 * `invalid` for what no unit can be made of, `no_such_container` for a name of neither.
 *
 * @param version The version for the header
 */
export async function generateUnits(
  engine: UnitSources,
  nameOrID: string,
  options: UnitOptions,
  version: string,
): Promise<Map<string, string>> {
  const found = findOwner(engine, nameOrID);
  const { host, now } = await engine.info();
  if (host === undefined) throw new EngineError("unsupported", "there is no host to write units for");
  const place = { runRoot: host.runRoot, version, now };
  if ("pod" in found) return podUnits(engine, found.pod, place, options);
  const container = unitContainer(engine, found.container, options);
  return new Map([[container.service, containerUnit(container, place, options)]]);
}

function findOwner(
  { containers, pods }: UnitSources,
  nameOrID: string,
): { container: ContainerRecord } | { pod: PodRecord } {
  try {
    return { container: containers.resolve(nameOrID) };
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    try {
      return { pod: pods.resolve(nameOrID) };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const text = `${nameOrID} does not refer to a container or pod: ${error.message}: ${cause.message}`;
      throw new EngineError(cause.code, text, { cause, sentinel: cause.sentinel });
    }
  }
}

function podUnits(
  engine: UnitSources,
  pod: PodRecord,
  place: UnitPlace,
  options: UnitOptions,
): Map<string, string> {
  if (options.template) throw new EngineError("invalid", "--template is not supported for pods");
  const infra = engine.pods.infraOf(pod);
  if (infra === undefined) {
    throw new EngineError("invalid", `generating systemd unit files: Pod "${pod.name}" has no infra container`);
  }
  const members = engine.pods.membersOf(pod);
  const service = unitName(options.podPrefix ?? "pod", options, options.useName ? pod.name : pod.id);
  const serviceOf = (id: string) => {
    const record = members.find((member) => member.id === id);
    return id === infra.id ? service : record && containerService(record, options);
  };
  const others = members.filter(({ id }) => id !== infra.id).map((record): UnitContainer => ({
    ...unitContainer(engine, record, options),
    boundTo: [...new Set([infra.id, ...dependenciesOf(record)])].flatMap((id) => serviceOf(id) ?? []),
    podIDFile: podIDFile(service),
  }));
  const text = podUnit(
    {
      id: pod.id,
      service,
      infraNameOrID: options.useName ? infra.name : infra.id,
      createCommand: pod.createCommand,
      conmonPidFile: conmonFile(engine, infra),
      services: others.map(({ service }) => service),
    },
    place,
    options,
  );
  return new Map([
    [service, text],
    ...others.map((one): [string, string] => [one.service, containerUnit(one, place, options)]),
  ]);
}

function unitContainer(engine: UnitSources, record: ContainerRecord, options: UnitOptions): UnitContainer {
  return {
    id: record.id,
    nameOrID: options.useName ? record.name : record.id,
    service: containerService(record, options),
    createCommand: record.spec.createCommand,
    conmonPidFile: conmonFile(engine, record),
    env: record.process.env,
    boundTo: [],
  };
}

function containerService({ id, name }: ContainerRecord, options: UnitOptions): string {
  return unitName(options.containerPrefix ?? "container", options, options.useName ? name : id);
}

function conmonFile({ containers }: UnitSources, { id, spec }: ContainerRecord): string {
  const path = spec.conmonPidFile ?? containers.facts(id)?.conmonPidFile;
  if (path) return path;
  const way = "try to recreate the container with --conmon-pidfile flag";
  throw new EngineError("invalid", `conmon PID file path is empty, ${way}`);
}
