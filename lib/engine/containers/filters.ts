/** List filters: each is a predicate over one record. */
import type { ContainerRecord } from "../records/container_record.ts";
import { parsePortRange, type PortRange } from "./create/port_mappings.ts";
import { isCode } from "./failures.ts";
import type { ContainerFilters } from "./options.ts";
import { shouldStartOnBoot } from "./life/restart_policy.ts";
import {
  type BuildFilter,
  compileFilter,
  exactText,
  fitsAll,
  fitsID,
  fitsPattern,
  hasLabel,
  parseBoolean,
  readUntil,
} from "../text/list_filters.ts";
import { invalid } from "../errors.ts";

/** A test of one container. */
export type ContainerPredicate = (record: ContainerRecord) => boolean;

/** The lookups that filters need. */
export interface FilterSources {
  /** Finds a container by name, ID or prefix; throws `no_such_container`. */
  container(nameOrID: string): ContainerRecord;
  /** A network's name by name, ID or prefix; `undefined` where there is none. */
  network(nameOrID: string): string | undefined;
  /** A pod's ID by name, ID or prefix; `undefined` where there is none. */
  pod(nameOrID: string): string | undefined;
  /** A container's state, in the words of the filter `status`. */
  status(record: ContainerRecord): string;
  /** A container's health, `none` where it is not checked. */
  health(record: ContainerRecord): string;
  /** Milliseconds since the epoch. */
  now: number;
}

const STATUSES = "unknown created initialized running stopped paused restarting exited removing stopping".split(" ");
const FULL_ID = /^[0-9a-f]{64}$/i;
const RESTART_POLICIES = ["no", "none", "always", "on-failure", "unless-stopped"];

/** Builds the test for all filters together. Throws `invalid` for an unknown filter or a value it cannot have. */
export function containerPredicate(filters: ContainerFilters, sources: FilterSources): ContainerPredicate {
  return fitsAll(filters, FILTERS, sources, (name) => invalid(`${name} is an invalid filter`));
}

type Build = BuildFilter<ContainerRecord, FilterSources>;

const FILTERS: Record<string, Build> = {
  id: (values) => {
    const fits = fitsID(values);
    return ({ id }) => fits(id);
  },
  name: (values) => matchesAny(values.map(namePattern), (record) => record.name),
  command: (values) => matchesAny(values, (record) => record.process.args[0] ?? ""),
  label: (values) => (record) => values.every((value) => hasLabel(record.spec.labels, value)),
  "label!": (values) => (record) => !values.some((value) => hasLabel(record.spec.labels, value)),
  status: byStatus,
  exited: byExitCode,
  ancestor: byAncestor,
  before: (values, sources) => byAge(values, sources, (created, mark) => created < mark),
  since: (values, sources) => byAge(values, sources, (created, mark) => created > mark),
  until: byTime,
  network: byNetwork,
  publish: (values) => byPorts("publish", values, (record) => [...publishedPorts(record), ...hostPorts(record)]),
  expose: (values) => byPorts("expose", values, (record) => [...publishedPorts(record), ...exposedPorts(record)]),
  volume: (values) => (record) => values.some((value) => hasVolume(record, value)),
  "restart-policy": byRestartPolicy,
  "should-start-on-boot": byBoot,
  pod: byPod,
  health: (values, { health }) => (record) => values.includes(health(record)),
};

function byStatus(values: readonly string[], { status }: FilterSources): ContainerPredicate {
  const unknown = values.find((value) => !STATUSES.includes(value));
  if (unknown !== undefined) throw invalid(`unknown container state: ${unknown}`, "invalid argument");
  const wanted = values.map((value) => value === "stopped" ? "exited" : value);
  return (record) => wanted.includes(status(record));
}

function byExitCode(values: readonly string[], { status }: FilterSources): ContainerPredicate {
  const bad = values.find((value) => !/^-?[0-9]{1,10}$/.test(value));
  if (bad !== undefined) throw invalid(`exited code out of range "${bad}"`);
  const codes = values.map(Number);
  return (record) => status(record) === "exited" && codes.includes(record.state.exitCode);
}

function byAncestor(values: readonly string[]): ContainerPredicate {
  const patterns = values.map(compileFilter);
  return ({ imageID, imageName }) => {
    const [, untagged, tag] = /^(.*?)(?::([^:/]*))?$/.exec(imageName) ?? [];
    const latest = tag === "latest" ? untagged : undefined;
    return values.some((value, i) =>
      imageID.includes(value) || patterns[i]?.(imageName) || (latest !== undefined && patterns[i]?.(latest))
    );
  };
}

function byAge(
  values: readonly string[],
  { container }: FilterSources,
  test: (created: number, mark: number) => boolean,
): ContainerPredicate {
  const mark = Math.min(...values.map((value) => container(value).created));
  return (record) => test(record.created, mark);
}

function byTime(values: readonly string[], { now }: FilterSources): ContainerPredicate {
  const until = readUntil(values, now);
  return (record) => record.created < until;
}

function byNetwork(values: readonly string[], { network, container }: FilterSources): ContainerPredicate {
  const names = values.map(network);
  const shared = values.filter((value) => value.startsWith("container:")).map((value) => value.slice(10));
  const ids = shared.map((value) => idOf(container, value));
  return (record) => {
    const { mode, value } = record.spec.namespaces.network;
    if (mode === "container") return ids.includes(value);
    // Modes that stand in the place of a network.
    if (mode === "host" || mode === "none") return values.includes(mode);
    return Object.keys(record.networks).some((name) => names.includes(name));
  };
}

/** Docker's filters for ports. A published port is found by its number in the container, and by that of the host. */
function byPorts(
  name: string,
  values: readonly string[],
  portsOf: (record: ContainerRecord) => readonly PortRange[],
): ContainerPredicate {
  const wanted = values.map((value) => {
    const range = parsePortRange(value);
    if (range === undefined) {
      throw invalid(`invalid port "${value}" in filter ${name}: expected 80, 80/udp or 8000-8010/tcp`);
    }
    return range;
  });
  return (record) =>
    portsOf(record).some(({ first, last, protocol }) =>
      wanted.some((range) => range.protocol === protocol && range.first <= last && first <= range.last)
    );
}

function publishedPorts({ ports }: ContainerRecord): PortRange[] {
  return ports.map(({ containerPort: first, range, protocol }) => ({ first, last: first + range - 1, protocol }));
}

function hostPorts({ ports }: ContainerRecord): PortRange[] {
  return ports.map(({ hostPort: first, range, protocol }) => ({ first, last: first + range - 1, protocol }));
}

function exposedPorts({ spec }: ContainerRecord): PortRange[] {
  return spec.exposed.flatMap((text) => parsePortRange(text) ?? []);
}

function byPod(values: readonly string[], { pod }: FilterSources): ContainerPredicate {
  const ids = values.map(pod);
  return ({ spec }) => spec.pod !== undefined && ids.includes(spec.pod);
}

function byRestartPolicy(values: readonly string[]): ContainerPredicate {
  const unknown = values.filter((value) => !RESTART_POLICIES.includes(value));
  if (unknown.length > 0) {
    throw invalid(`${unknown.join(", ")} invalid restart ${unknown.length > 1 ? "policies" : "policy"}`);
  }
  return ({ spec }) => {
    const policy = spec.restartPolicy?.name;
    return values.some((value) => value === policy || (value === "none" && policy === undefined));
  };
}

function byBoot(values: readonly string[]): ContainerPredicate {
  const value = values.at(-1) ?? "false";
  const wanted = parseBoolean(value);
  if (wanted === undefined) throw invalid(`invalid boolean "${value}" for should-start-on-boot`);
  return (record) => shouldStartOnBoot(record) === wanted;
}

function hasVolume(record: ContainerRecord, filter: string): boolean {
  const [source, destination] = filter.split(":");
  return record.mounts.some((mount) => {
    if (destination) return mount.source === source && mount.destination === destination;
    return mount.destination === source || (mount.type === "volume" && mount.source === source);
  });
}

/** The pattern of a `name` filter: Docker's clients write names with a slash before them. */
function namePattern(filter: string): string {
  return filter.replaceAll("/", "");
}

/** The one name, or the one full ID, that alone can fit the filters; `undefined` where others can. */
export function onlyCandidate({ id, name }: ContainerFilters): { id?: string; name?: string } | undefined {
  const only = name?.length === 1 ? exactText(namePattern(name[0])) : undefined;
  if (only !== undefined) return { name: only };
  return id?.length === 1 && FULL_ID.test(id[0]) ? { id: id[0].toLowerCase() } : undefined;
}

function matchesAny(values: readonly string[], textOf: (record: ContainerRecord) => string): ContainerPredicate {
  const fits = fitsPattern(values);
  return (record) => fits(textOf(record));
}

function idOf(container: FilterSources["container"], nameOrID: string): string | undefined {
  try {
    return container(nameOrID).id;
  } catch (error) {
    if (isCode(error, "no_such_container", "ambiguous", "invalid")) return undefined;
    throw error;
  }
}
