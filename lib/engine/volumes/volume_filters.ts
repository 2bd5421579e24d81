/** Filters of volume lists and prunes: each is a predicate over one record. */
import { EngineError } from "../errors.ts";
import type { VolumeRecord } from "../records/volume_record.ts";
import { type BuildFilter, fitsAll, fitsPattern, hasLabel, readUntil } from "../text/list_filters.ts";
import { splitPair } from "../text/pairs.ts";

/** Values per filter: any of them fits, except for labels, which all must. */
export type VolumeFilters = Readonly<Record<string, readonly string[]>>;

/** The lookups that filters need. */
export interface VolumeFilterSources {
  /** Finds a volume by name or prefix; throws `no_such_volume`. */
  volume(name: string): VolumeRecord;
  /** Whether a container has it. */
  isUsed(name: string): boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

type Predicate = (volume: VolumeRecord) => boolean;
type Build = BuildFilter<VolumeRecord, VolumeFilterSources>;

/** The filters that a prune knows, too: others are easy to get wrong for a deed that cannot be undone. */
const SHARED: Record<string, Build> = {
  after: newerThan,
  since: newerThan,
  anonymous: (values) => byFlag("anonymous", values, ({ anonymous }) => anonymous),
  label: (values) => ({ labels }) => values.every((value) => hasLabel(labels, value)),
  "label!": (values) => ({ labels }) => !values.some((value) => hasLabel(labels, value)),
  until(values, { now }) {
    const until = readUntil(values, now);
    return ({ created }) => Date.parse(created) < until;
  },
};

const LISTED: Record<string, Build> = {
  ...SHARED,
  name: byName,
  driver: (values) => ({ driver }) => values.includes(driver),
  scope: (values) => () => values.includes("local"),
  opt: (values) => ({ options }) => values.some((value) => hasOption(options, value)),
  dangling: (values, { isUsed }) => byFlag("dangling", values, ({ name }) => !isUsed(name)),
};

/** Builds the test for all filters of a list together. Throws `invalid` for an unknown one or a value it cannot have. */
export function listPredicate(filters: VolumeFilters, sources: VolumeFilterSources): Predicate {
  return allOf(filters, sources, LISTED);
}

/**
 * Builds the test of a prune. Without a filter only anonymous volumes fit; `all` takes those with names too, of which the
 * other filters still must hold: Podman forgets them then, and removes what its user did not mean.
 *
 * Source: `NormalizeVolumePruneFilters` of Podman's `pkg/util`.
 */
export function volumePrunePredicate(filters: VolumeFilters, sources: VolumeFilterSources): Predicate {
  const { all: _, ...others } = filters;
  const isOpen = takesAll(filters) || Object.keys(others).length > 0;
  return allOf(isOpen ? others : { anonymous: ["true"] }, sources, SHARED);
}

/** Whether a prune is to take volumes with names. */
export function takesAll({ all: [all = ""] = [] }: VolumeFilters): boolean {
  return all === "1" || all.toLowerCase() === "true";
}

function allOf(filters: VolumeFilters, sources: VolumeFilterSources, known: Record<string, Build>): Predicate {
  return fitsAll(filters, known, sources, (name) => {
    return new EngineError("invalid", `"${name}" is an invalid volume filter`);
  });
}

function newerThan(values: readonly string[], { volume }: VolumeFilterSources): Predicate {
  const mark = Math.min(...values.map((value) => Date.parse(volume(value).created)));
  return ({ created }) => Date.parse(created) > mark;
}

function byName(values: readonly string[]): Predicate {
  const fits = fitsPattern(values);
  return ({ name }) => fits(name);
}

function byFlag(filter: string, values: readonly string[], test: Predicate): Predicate {
  const wanted = values.map((value) => {
    if (["true", "1"].includes(value.toLowerCase())) return true;
    if (["false", "0"].includes(value.toLowerCase())) return false;
    throw new EngineError(
      "invalid",
      `"${value}" is not a valid value for the "${filter}" filter - must be true or false`,
    );
  });
  return (volume) => wanted.includes(test(volume));
}

function hasOption(options: Readonly<Record<string, string>>, filter: string): boolean {
  const [key, value] = splitPair(filter);
  return Object.hasOwn(options, key) && (value === "" || options[key] === value);
}
