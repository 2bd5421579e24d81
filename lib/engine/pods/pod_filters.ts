/** Filters of the list of pods: each is a predicate over one pod. */
import type { ContainerRecord } from "../records/container_record.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { type BuildFilter, fitsAll, fitsID, fitsPattern, hasLabel, readUntil } from "../text/list_filters.ts";
import { podStatus } from "./pod_status.ts";
import { invalid } from "../errors.ts";

/** Values by filter: every filter must hold, and any of its values makes it hold (labels: all of them). */
export type PodFilters = Record<string, readonly string[]>;

/** The lookups that filters need. */
export interface PodFilterSources {
  /** The containers of a pod. */
  membersOf(id: string): ContainerRecord[];
  /** A network's name by name, ID or prefix; `undefined` where there is none. */
  network(nameOrID: string): string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

type Predicate = (pod: PodRecord) => boolean;
type Build = BuildFilter<PodRecord, PodFilterSources>;

const CONTAINER_STATES = ["created", "running", "paused", "stopped", "exited", "unknown"];
const POD_STATES = ["stopped", "running", "paused", "exited", "dead", "created", "degraded"];

/**
 * Builds the test for all filters together. Throws `invalid` for an unknown filter or a value it cannot have.
 *
 * Source: Podman's `pkg/domain/filters/pods.go`.
 */
export function podPredicate(filters: PodFilters, sources: PodFilterSources): Predicate {
  return fitsAll(filters, FILTERS, sources, (name) => invalid(`${name} is an invalid filter`));
}

const FILTERS: Record<string, Build> = {
  "ctr-ids": (values, { membersOf }) => {
    const fits = fitsID(values);
    return (pod) => membersOf(pod.id).some(({ id }) => fits(id));
  },
  "ctr-names": (values, { membersOf }) => {
    const fits = fitsPattern(values);
    return (pod) => membersOf(pod.id).some(({ name }) => fits(name));
  },
  "ctr-number": (values, { membersOf }) => {
    const bad = values.find((value) => !/^[0-9]{1,9}$/.test(value));
    if (bad !== undefined) throw invalid(`"${bad}" is no number of containers`);
    const numbers = values.map(Number);
    return (pod) => numbers.includes(membersOf(pod.id).length);
  },
  "ctr-status": byContainerStatus,
  id: (values) => {
    const fits = fitsID(values);
    return ({ id }) => fits(id);
  },
  name: (values) => {
    const fits = fitsPattern(values);
    return (pod) => fits(pod.name);
  },
  status: (values, { membersOf }) => {
    const bad = values.find((value) => !POD_STATES.includes(value));
    if (bad !== undefined) throw invalid(`${bad} is not a valid pod status`);
    return (pod) => values.includes(podStatus(membersOf(pod.id)).toLowerCase());
  },
  label: (values) => (pod) => values.every((value) => hasLabel(pod.labels, value)),
  "label!": (values) => (pod) => !values.some((value) => hasLabel(pod.labels, value)),
  until: (values, { now }) => {
    const until = readUntil(values, now);
    return (pod) => pod.created < until;
  },
  network: (values, { membersOf, network }) => {
    const names = values.map(network);
    const isInOne = (infra: ContainerRecord) => Object.keys(infra.networks).some((name) => names.includes(name));
    return (pod) => membersOf(pod.id).some((member) => member.id === pod.infraID && isInOne(member));
  },
};

function byContainerStatus(values: readonly string[], { membersOf }: PodFilterSources): Predicate {
  const bad = values.find((value) => !CONTAINER_STATES.includes(value));
  if (bad !== undefined) throw invalid(`${bad} is not a valid status`);
  const wanted = values.map((value) => value === "stopped" ? "exited" : value);
  return (pod) => {
    const mains = membersOf(pod.id).filter(({ spec }) => spec.initContainer === undefined);
    return mains.some(({ state }) => wanted.includes(state.status));
  };
}
