/** List filters of networks: each is a predicate over one record. */
import type { NetworkRecord } from "../records/network_record.ts";
import {
  type BuildFilter,
  fitsAll,
  fitsID,
  fitsPattern,
  hasLabel,
  parseBoolean,
  readUntil,
} from "../text/list_filters.ts";
import { invalid } from "../errors.ts";

/** Filters by name, as clients send them. */
export type NetworkFilters = Readonly<Record<string, readonly string[]>>;

/** A test of one network. */
export type NetworkPredicate = (network: NetworkRecord) => boolean;

/** The facts that filters need besides the record. */
export interface NetworkFacts {
  /** Whether containers are in the network. */
  isUsed(name: string): boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

type Build = BuildFilter<NetworkRecord, NetworkFacts>;

/** The filters that a prune takes too. */
const PRUNE_FILTERS: Record<string, Build> = {
  label: (values) => ({ labels }) => values.every((value) => hasLabel(labels, value)),
  "label!": (values) => ({ labels }) => !values.some((value) => hasLabel(labels, value)),
  until: byTime,
};

const LIST_FILTERS: Record<string, Build> = {
  ...PRUNE_FILTERS,
  name: (values) => {
    const fits = fitsPattern(values);
    return ({ name }) => fits(name);
  },
  id: (values) => {
    const fits = fitsID(values);
    return ({ id }) => fits(id);
  },
  driver: (values) => ({ driver }) => values.includes(driver),
  dangling: byUse,
};

/** Builds the test for all filters together. Throws `invalid` for an unknown filter or a value it cannot have. */
export function networkPredicate(filters: NetworkFilters, facts: NetworkFacts): NetworkPredicate {
  return buildPredicate(filters, LIST_FILTERS, facts);
}

/** The same for the filters of a prune. */
export function prunePredicate(filters: NetworkFilters, facts: NetworkFacts): NetworkPredicate {
  return buildPredicate(filters, PRUNE_FILTERS, facts);
}

function buildPredicate(filters: NetworkFilters, known: Record<string, Build>, facts: NetworkFacts): NetworkPredicate {
  const tests = Object.entries(filters).map(([key, values]) => {
    return fitsAll({ [key.toLowerCase()]: values }, known, facts, () => invalid(`invalid filter "${key}"`));
  });
  return (network) => tests.every((test) => test(network));
}

function byTime(values: readonly string[], { now }: NetworkFacts): NetworkPredicate {
  const until = readUntil(values, now);
  return ({ created }) => Date.parse(created) < until;
}

function byUse(values: readonly string[], { isUsed }: NetworkFacts): NetworkPredicate {
  if (values.length === 0) throw invalid('got no values for filter key "dangling"');
  if (values.length > 1) throw invalid('got more than one value for filter key "dangling"');
  const wanted = parseBoolean(values[0]);
  if (wanted === undefined) throw invalid(`invalid dangling filter value "${values[0]}"`);
  return ({ name }) => isUsed(name) !== wanted;
}
