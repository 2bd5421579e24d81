import { fitsGlob } from "../../lib/engine/text/glob.ts";
import type { Relations } from "../../lib/engine/images/store/relations.ts";
import type { ImageRecord } from "../../lib/engine/records/image_record.ts";
import type { Filters } from "../wire/query.ts";
import { hasLabel, parseBoolean } from "../../lib/engine/text/list_filters.ts";
import { parseMoment } from "../../lib/engine/text/moment.ts";
import { createdSeconds } from "./view.ts";
import { RequestError } from "../request_error.ts";

/** The engine's facts that image filters need. */
export interface FilterScope {
  now: number;
  relations: Pick<Relations, "isDangling" | "isIntermediate">;
  resolve(nameOrID: string): ImageRecord;
  /** How many containers are made of an image. */
  containers(id: string): number;
}

type Test = (image: ImageRecord) => boolean;
type MakeTest = (value: string, scope: FilterScope) => Test;

const TESTS: Record<string, MakeTest> = {
  after: (value, scope) => newerThan(scope.resolve(value)),
  since: (value, scope) => newerThan(scope.resolve(value)),
  before: (value, scope) => {
    const other = createdSeconds(scope.resolve(value));
    return (image) => createdSeconds(image) < other;
  },
  containers: (value, scope) => booleanTest("containers", value, ({ id }) => scope.containers(id) > 0),
  dangling: (value, { relations }) => booleanTest("dangling", value, (image) => relations.isDangling(image)),
  id: (value) => ({ id }) => id.startsWith(value.replace(/^sha256:/, "")),
  digest: (value) => ({ digest }) => digest.startsWith(value.startsWith("sha256:") ? value : `sha256:${value}`),
  intermediate: (value, { relations }) =>
    booleanTest("intermediate", value, (image) => relations.isIntermediate(image)),
  // Nothing here is read-only.
  readonly: (value) => booleanTest("readonly", value, () => false),
  manifest: (value) => booleanTest("manifest", value, ({ list }) => list !== undefined),
  label: (value) => ({ config }) => hasLabel(config.config?.Labels ?? {}, value),
  "label!": (value) => ({ config }) => !hasLabel(config.config?.Labels ?? {}, value),
  reference: (value) => ({ names, repoDigests }) => [...names, ...repoDigests].some(nameMatcher(value)),
  until: (value, scope) => {
    const until = filterMoment(value, scope.now);
    return (image) => createdSeconds(image) * 1000 < until;
  },
};

/** All of these must hold where a key has several values; of other keys, any. */
const ALL = new Set(["label", "label!"]);

/** Makes a test of filters. Throws `RequestError("invalid")` for a key there is not and for values that make no sense. */
export function imageFilter(filters: Filters, scope: FilterScope): Test {
  const tests = Object.entries(filters).map(([key, values]): Test => {
    // The key is a client's: it may be the name of something every object has.
    const make = Object.hasOwn(TESTS, key) ? TESTS[key] : undefined;
    if (make === undefined) throw new RequestError("invalid", `unsupported image filter "${key}"`);
    const each = values.map((value) => make(value, scope));
    return ALL.has(key) ? (image) => each.every((test) => test(image)) : (image) => each.some((test) => test(image));
  });
  return (image) => tests.every((test) => test(image));
}

function newerThan(other: ImageRecord): Test {
  const created = createdSeconds(other);
  return (image) => createdSeconds(image) > created;
}

function booleanTest(key: string, value: string, test: Test): Test {
  const wanted = parseBoolean(value);
  if (wanted === undefined) {
    throw new RequestError("invalid", `non-boolean value "${value}" for ${key} filter`);
  }
  return (image) => test(image) === wanted;
}

function filterMoment(value: string, now: number): number {
  try {
    return parseMoment(value, now) ?? now;
  } catch (error) {
    throw new RequestError("invalid", `invalid value "${value}" for until filter`, { cause: error });
  }
}

/** Whether a name fits a pattern with `*` and `?`: the whole name, or its end from a slash on, with or without the tag. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const depth = pattern.split("/").length;
  return (name) => {
    const end = name.split("/").slice(-depth).join("/");
    if (fitsGlob(pattern, end)) return true;
    const marks = [...end.slice(end.lastIndexOf("/") + 1).matchAll(/[:@]/g)];
    return marks.some(({ index }) => fitsGlob(pattern, end.slice(0, end.lastIndexOf("/") + 1 + index)));
  };
}
